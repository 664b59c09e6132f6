// The attacks of saml.md §10, turned round: answers that a provider of SAML did not make for this login let nobody in.
import { afterAll, describe, expect, test } from "@jest/globals";
import { startService } from "../../../support/service.ts";
import { makePartyKeys } from "../../saml/node-saml/party-keys.ts";
import { beginLogin, leaveForProvider, listUsers, openBrowser, titleOf } from "../support/place.ts";
import { type AnswerTricks, createSamlIdp } from "./support/saml-idp.ts";
import { acsOf, createSamlPlace, logInBySaml, readOwnCertificate } from "./support/saml-place.ts";

const service = await startService({ dev: true });
const idp = createSamlIdp(`http://localhost:${service.port}`, service.clock);
const other = createSamlIdp(`http://localhost:${service.port}`, service.clock, "other");
const place = await createSamlPlace(service, idp);
const certificate = await readOwnCertificate(service, "encryption");
const stranger = makePartyKeys();
afterAll(() => service.stop());

const begunAgain = [400, "Please begin again"];
const refused = [400, "You are not signed in"];
const of = (xml: string) => /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)?.[0] ?? "";
const forged = (xml: string) =>
  of(xml)
    .replace(/<ds:Signature.*<\/ds:Signature>/s, "")
    .replace(/ ID="[^"]*"/, ' ID="_forged"')
    .replace("ada-1", "eve");
const signatureOf = (xml: string) => /<ds:Signature.*<\/ds:Signature>/s.exec(xml)?.[0] ?? "";
const cbc = "http://www.w3.org/2001/04/xmlenc#aes128-cbc";
const assertionNs = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';

describe("an answer lets nobody in", () => {
  test.each<[string, AnswerTricks]>([
    ["without a signature", { sign: [] }],
    ["encrypted, without a signature", { sign: [], encrypt: { certificate } }],
    ["by another key", { key: stranger }],
    ["of which the Response alone is by another key", { key: stranger, sign: ["response"] }],
    ["by SHA-1", { algorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1" }],
    ["with another name than was signed", { change: (xml) => xml.replace("ada-1", "eve") }],
    ["with the signature taken away", { change: (xml) => xml.replace(signatureOf(xml), "") }],
    ["with a forged assertion before", { change: (xml) => xml.replace(of(xml), forged(xml) + of(xml)) }],
    ["with a forged assertion behind", { change: (xml) => xml.replace(of(xml), of(xml) + forged(xml)) }],
    [
      "with the signed assertion in Extensions of the Response",
      {
        change: (xml) =>
          xml
            .replace(of(xml), forged(xml))
            .replace("<samlp:Status>", `<samlp:Extensions>${of(xml)}</samlp:Extensions><samlp:Status>`),
      },
    ],
    [
      "with the signed assertion in an Object of the signature of a forged one",
      {
        change: (xml) => {
          const around = signatureOf(xml).replace(
            "</ds:Signature>",
            `<ds:Object>${of(xml).replace(signatureOf(xml), "")}</ds:Object></ds:Signature>`,
          );
          return xml.replace(of(xml), forged(xml).replace("<saml:Subject>", `${around}<saml:Subject>`));
        },
      },
    ],
    [
      "with the signed assertion in the Advice of a forged one",
      {
        change: (xml) =>
          xml.replace(
            of(xml),
            forged(xml).replace(
              "<saml:AuthnStatement",
              `<saml:Advice>${of(xml)}</saml:Advice><saml:AuthnStatement`,
            ),
          ),
      },
    ],
    [
      "with an ID twice",
      {
        change: (xml) =>
          xml.replace("<samlp:Status>", `<samlp:Status ID="${/ ID="([^"]+)"/.exec(of(xml))?.[1]}">`),
      },
    ],
    [
      "with a second signature",
      { change: (xml) => xml.replace("<samlp:Status>", `${signatureOf(xml)}<samlp:Status>`) },
    ],
    ["with a comment in the name", { change: (xml) => xml.replace("ada-1", "ada-1<!---->") }],
    ["with a comment that was signed in the name", { nameId: "ada<!-- -->-1" }],
    ["with CDATA in the name", { nameId: "<![CDATA[ada-1]]>" }],
    ["with a DOCTYPE", { change: (xml) => `<!DOCTYPE r [<!ENTITY a "b">]>${xml}` }],
    ["with two roots", { change: (xml) => xml + xml }],
    ["for another audience", { audience: "https://other.example/metadata" }],
    ["for no audience", { conditions: "" }],
    [
      "for two audiences of which both have to hold",
      {
        conditions: ["https://other.example", `http://localhost:${service.port}/idps/saml/metadata`]
          .map(
            (each) =>
              `<saml:AudienceRestriction><saml:Audience>${each}</saml:Audience></saml:AudienceRestriction>`,
          )
          .join(""),
      },
    ],
    [
      "with a condition that nobody knows",
      { conditions: '<saml:Condition xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="x"/>' },
    ],
    ["for another recipient", { recipient: "https://other.example/acs" }],
    ["with another Destination", { destination: "https://other.example/acs", sign: ["response"] }],
    ["to another request", { inResponseTo: "_another" }],
    [
      "whose Response alone is to another request",
      { change: (xml) => xml.replace(/ InResponseTo="[^"]*"/, ' InResponseTo="_another"') },
    ],
    ["whose Response is to no request", { change: (xml) => xml.replace(/ InResponseTo="[^"]*"/, "") }],
    [
      "confirmed for no request",
      { changeAssertion: (xml) => xml.replace(/ InResponseTo="[^"]*"/, ""), sign: ["response"] },
    ],
    ["confirmed for another request", { confirmedRequest: "_another" }],
    ["of another issuer", { issuer: other.entityId }],
    ["of another issuer of the Response", { responseIssuer: other.entityId }],
    ["that is too old", { agoMs: 331_000 }],
    ["from the future", { agoMs: -91_000 }],
    ["without AuthnStatement", { statement: "" }],
    [
      "of a session that is over",
      {
        statement: `<saml:AuthnStatement AuthnInstant="2020-01-01T00:00:00Z" SessionNotOnOrAfter="2020-01-02T00:00:00Z"/>`,
      },
    ],
    ["named for another service provider", { qualifiers: ' SPNameQualifier="https://other.example"' }],
    ["named by another provider", { qualifiers: ` NameQualifier="${other.entityId}"` }],
    ["encrypted for somebody else", { encrypt: { certificate: stranger.certificate } }],
    ["in CBC, whose Response is not signed", { encrypt: { certificate, cipher: cbc } }],
    [
      "encrypted, with a second assertion in its Advice",
      {
        encrypt: { certificate },
        changeAssertion: (xml) =>
          xml.replace(
            "<saml:AuthnStatement",
            `<saml:Advice>${forged(xml)}</saml:Advice><saml:AuthnStatement`,
          ),
      },
    ],
    [
      "encrypted, that is no assertion",
      { encrypt: { certificate }, changeAssertion: () => `<saml:Issuer ${assertionNs}>x</saml:Issuer>` },
    ],
    ["that is no Response", { change: (xml) => of(xml) }],
  ])("%s", async (_name, tricks) => {
    expect(titleOf(await logInBySaml(service, { place, idp }, tricks))).toEqual(refused);
    expect(await listUsers(service, place)).toEqual([]);
  });

  test("and a provider that lets nobody in says so", async () => {
    const [status] = titleOf(await logInBySaml(service, { place, idp }, { status: "Responder", sign: [] }));
    expect(status).toBe(403);
    expect(await listUsers(service, place)).toEqual([]);
  });

  test("of another provider of the organization", async () => {
    const browser = openBrowser(service);
    const left = await leaveForProvider(service, place, browser);
    expect(titleOf(await browser.post(acsOf(service), other.answer(left)))).toEqual(refused);
  });
});

describe("a browser", () => {
  const leave = async () => {
    const browser = openBrowser(service);
    return { browser, left: await leaveForProvider(service, await fresh(), browser) };
  };
  const fresh = () => createSamlPlace(service, idp);

  test("in which the login was not begun gets nothing, and ends the login", async () => {
    const attacker = await leave();
    const fields = idp.answer(attacker.left);
    expect(titleOf(await openBrowser(service).post(acsOf(service), fields))).toEqual(begunAgain);
    expect(titleOf(await attacker.browser.post(acsOf(service), fields))).toEqual(begunAgain);
  });

  test("with the cookie of another login gets nothing, and only the login of the answer ends", async () => {
    const [ground, attacker, victim] = [await fresh(), openBrowser(service), await leave()];
    const page = await beginLogin(service, ground, attacker);
    const { url } = await attacker.submit(page, { provider: ground.idpId });
    expect(titleOf(await victim.browser.post(acsOf(service), idp.answer(url)))).toEqual(begunAgain);
    expect(titleOf(await attacker.open(page.url.href))).toEqual(begunAgain);
    const own = await victim.browser.post(acsOf(service), idp.answer(victim.left));
    expect(own.url.searchParams.has("code")).toBe(true);
  });

  test("brings an answer once", async () => {
    const { browser, left } = await leave();
    const fields = idp.answer(left);
    expect((await browser.post(acsOf(service), fields)).url.searchParams.has("code")).toBe(true);
    expect(titleOf(await browser.post(acsOf(service), fields))).toEqual(begunAgain);
  });

  test("brings an assertion once, whatever login it is of", async () => {
    const ground = await fresh();
    const both = { assertionId: "_same" };
    expect((await logInBySaml(service, { place: ground, idp }, both)).url.searchParams.has("code")).toBe(
      true,
    );
    expect(titleOf(await logInBySaml(service, { place: ground, idp }, both))).toEqual(refused);
  });

  test("gets no further with a state that nobody was sent with", async () => {
    const { browser, left } = await leave();
    const guess = idp.answer(left, { relayState: "A".repeat(43) });
    expect(titleOf(await browser.post(acsOf(service), guess))).toEqual(begunAgain);
    expect((await browser.post(acsOf(service), idp.answer(left))).url.searchParams.has("code")).toBe(true);
  });

  test("has a minute for the redirect: the answer is kept encrypted until then", async () => {
    const { browser, left } = await leave();
    const body = new URLSearchParams(idp.answer(left).map(([name, value]) => [name, value])).toString();
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      host: `localhost:${service.port}`,
    };
    const posted = await service.http.send({ method: "POST", path: "/idps/saml/acs", headers, body });
    expect(posted.status).toBe(303);
    const location = posted.headers.get("location") ?? "";
    expect(location).toMatch(/\/idps\/saml\/acs\?h=[\w-]{43}$/);
    service.clock.turn(60_000);
    expect(titleOf(await browser.open(location))).toEqual(begunAgain);
  });

  test.each([
    ["without message", [["RelayState", "A".repeat(43)]]],
    [
      "with two messages",
      [
        ["SAMLResponse", "a"],
        ["SAMLResponse", "b"],
        ["RelayState", "A".repeat(43)],
      ],
    ],
  ] as const)("gets an error for a form %s", async (_name, fields) => {
    expect((await openBrowser(service).post(acsOf(service), fields)).page?.status).toBe(400);
  });
});
