// What attackers try, over the wire: one or a few of each kind. Each is a page: nothing is sent to a service provider, and the log
// has one line. The browser of the attacks has a session, so that what got through would be answered. All that can be wrong with a
// signature, a document, an encoding, a parameter or a place is tried beside the reader of it: in signatures/, bindings/, messages/.
import { afterAll, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { startService } from "../../support/service.ts";
import { createLoginPlace, createPerson } from "../oidc/support/login-place.ts";
import { ds, forge, type Forgery, method, more } from "./support/forged-message.ts";
import { toQuery } from "./support/messages.ts";
import { makePartyKeys } from "./node-saml/party-keys.ts";
import { addScriptedParty, openSignedIn, originOf, type Sending } from "./support/scripted-party.ts";

const secondAcs = "https://sp.example/second";
const stranger = makePartyKeys();
const id = "_4fee3b046395c4e751011e97f8900b5273d56685";

const service = await startService();
const place = await createLoginPlace(service);
const acs = [{ location: "https://sp.example/acs" }, { location: secondAcs }];
/** The service provider that is attacked. It signs its requests, and has two places for answers. */
const target = await addScriptedParty(service, place, { isSigning: true, acs });
/** A service provider of the attacker, in the same project. */
const other = await addScriptedParty(service, place, { keys: makePartyKeys() });
const browser = await openSignedIn(service, (await createPerson(service, place.organizationId)).userId);
afterAll(() => service.stop());

/** A request as it goes over the wire: by HTTP-Redirect, or by HTTP-POST. */
type Attempt = { readonly path: string } & ({ readonly query: string } | { readonly form: string });

/** Sends it with the cookies of the browser, also where browsers would keep them back, and follows nothing. */
async function send(attempt: Attempt) {
  const { host, origin } = new URL(originOf(service));
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { accept: "text/html", host, cookie, "sec-fetch-site": "cross-site" };
  if ("query" in attempt)
    return await service.http.send({ method: "GET", path: `${attempt.path}?${attempt.query}`, headers });
  const type = { "content-type": "application/x-www-form-urlencoded", origin: `${origin.slice(0, -1)}0` };
  const { path, form: body } = attempt;
  return await service.http.send({ method: "POST", path, headers: { ...headers, ...type }, body });
}

const refusals = () =>
  service
    .log()
    .split("\n")
    .filter((line) => line.includes('"saml.refused"'));

const path = "/saml/v2/SSO";
const request = (sending: Sending = {}) => target.requestOf({ id, ...sending });
const signable = (xml: string) => xml.replace("</saml:Issuer>", "$&{signature}");

/** A good request, signed by the target but for what is forged. */
const signed = (forgery: Partial<Forgery> = {}, xml = request()) =>
  forge({ key: target.keys.privateKey, uri: `#${id}`, message: signable(xml), ...forgery });

/** The request that the attacker wants, with the signature of one that the target has signed. */
function wrapped(forgery: Partial<Forgery>, content = ""): string {
  const wanted = request({ id: "_evil", attributes: { AssertionConsumerServiceURL: secondAcs }, content });
  return signed({ ...forgery, message: signable(wanted), digested: request() });
}

const byPost = (xml: string | Buffer, others: Readonly<Record<string, string>> = {}): Attempt => {
  const fields = { ...others, SAMLRequest: Buffer.from(xml).toString("base64") };
  return { path, form: new URLSearchParams(fields).toString() };
};
const byQuery = (xml = request(), how: { readonly algorithm?: string } = {}) => ({
  path,
  query: toQuery("SAMLRequest", xml, { relayState: "here", keys: target.keys, ...how }),
});
const byChangedQuery = (from: string, to: string): Attempt => ({
  path,
  query: byQuery().query.replace(from, to),
});

const attacks: Readonly<Record<string, () => Attempt>> = {
  "the original in Extensions, its signature in the root": () =>
    byPost(wrapped({}, `<samlp:Extensions>${request()}</samlp:Extensions>`)),
  "the original in ds:Object of the signature": () =>
    byPost(wrapped({ behind: `<ds:Object>${request()}</ds:Object>` })),
  "two signatures": () => byPost(signed({}, signed())),
  "a signature of another namespace": () => byPost(signed().replaceAll(`"${ds}"`, '"urn:x"')),
  "no signature, though it is required": () => byPost(request()),
  "a value changed after it was signed": () => byPost(signed().replace('Version="2.0"', "$& ForceAuthn='1'")),
  "a signature of the query, on POST": () =>
    byPost(request(), Object.fromEntries(new URLSearchParams(byQuery().query))),
  "the key of another service provider": () => byPost(signed({ key: other.keys.privateKey })),
  "a key of the attacker, whose certificate is in KeyInfo": () =>
    byPost(
      signed({
        key: stranger.privateKey,
        behind: `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${stranger.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`,
      }),
    ),
  "hmac-sha256 with the certificate": () =>
    byPost(
      signed({
        signatureMethod: method("SignatureMethod", `${more}hmac-sha256`),
        sign: (octets) => createHmac("sha256", target.keys.certificate).update(octets).digest(),
      }),
    ),
  "rsa-sha1 as SignatureMethod": () =>
    byPost(signed({ signatureMethod: method("SignatureMethod", `${ds}rsa-sha1`) })),
  "a Reference to http": () => byPost(signed({ uri: "http://127.0.0.1:9/document.xml" })),
  "a comment in Issuer, whose signature is good": () =>
    byPost(signed({}, request().replace("</saml:Issuer>", "<!-- -->$&"))),
  "a DOCTYPE with an entity": () => byPost(`<!DOCTYPE a [<!ENTITY e "x">]>${signed()}`),
  "10,000 levels": () => byPost(request({ content: "<x>".repeat(9000) + "</x>".repeat(9000) })),
  "90 MB by DEFLATE on POST": () =>
    byPost(deflateRawSync(`<a>${" ".repeat(90 * 1_048_576)}</a>`, { level: 9 })),
  "9 MB by DEFLATE on Redirect": () => byQuery(`<a>${" ".repeat(9 * 1_048_576)}</a>`),
  "a broken percent sign": () => byChangedQuery("SAMLRequest=", "SAMLRequest=%zz"),
  "SAMLRequest and SAMLResponse": () => byChangedQuery("SAMLRequest=", "SAMLResponse=AAAA&SAMLRequest="),
  "a RelayState that was changed": () => byChangedQuery("RelayState=here", "RelayState=there"),
  "rsa-sha1 as SigAlg": () => byQuery(request(), { algorithm: `${ds}rsa-sha1` }),
  "another service provider as Issuer": () => byQuery(request({ issuer: other.entityId })),
  "an AuthnRequest of SAML 1.1": () =>
    byQuery(request().replaceAll("SAML:2.0:protocol", "SAML:1.1:protocol")),
  "another place for the answer": () =>
    byQuery(request({ attributes: { AssertionConsumerServiceURL: "https://evil.example/" } })),
  "an index that there is not": () =>
    byQuery(request({ attributes: { AssertionConsumerServiceIndex: "99" } })),
  "another recipient": () =>
    byPost(signed({}, request({ attributes: { Destination: "https://evil.example/saml/v2/SSO" } }))),
  "no recipient, though its query is signed": () =>
    byQuery(request({ attributes: { Destination: undefined } })),
  "no recipient, though it is signed": () =>
    byPost(signed({}, request({ attributes: { Destination: undefined } }))),
  "another version": () => byPost(signed({}, request({ attributes: { Version: "1.1" } }))),
  "another time": () => byPost(signed({}, request({ attributes: { IssueInstant: "2001-01-01T00:00:00Z" } }))),
  "a LogoutRequest where somebody logs in": () => byQuery(request({ root: "LogoutRequest" })),
  "an AuthnRequest where somebody logs out": () => ({ ...byQuery(), path: "/saml/v2/SLO" }),
};

test.each(Object.keys(attacks))("%s is refused with a page, and nothing is sent anywhere", async (name) => {
  const before = refusals().length;
  const { status, headers, text } = await send(attacks[name]?.() ?? { path, query: "" });
  expect({ status, text }).toMatchObject({ status: 400 });
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(headers.get("location")).toBeNull();
  expect(headers.getSetCookie()).toEqual([]);
  for (const secret of ["SAMLResponse", ".example", "<form"]) expect(text).not.toContain(secret);
  const lines = refusals().slice(before);
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(target.entityId);
  // The algorithm is named, for whoever looks after it.
  expect(text.includes("<code>rsa-sha1</code>")).toBe(name.startsWith("rsa-sha1"));
  expect(lines[0]?.includes('"algorithm":"rsa-sha1"')).toBe(name.startsWith("rsa-sha1"));
});

describe("what is not an attack", () => {
  test.each([
    ["by HTTP-POST", () => browser.post(`${originOf(service)}${path}`, formOf(byPost(signed())))],
    ["by HTTP-Redirect", () => target.ask(browser)],
    [
      "signed by rsa-sha512",
      () =>
        browser.open(
          `${originOf(service)}${path}?${byQuery(request(), { algorithm: `${more}rsa-sha512` }).query}`,
        ),
    ],
  ])("is answered %s", async (_how, visit) => {
    const { page, url, posted } = await visit();
    expect([page?.text, url.href]).toEqual([undefined, "https://sp.example/acs"]);
    expect(posted?.[0]?.[0]).toBe("SAMLResponse");
  });

  test.each([{ AssertionConsumerServiceURL: secondAcs }, { AssertionConsumerServiceIndex: "1" }])(
    "goes to another place of the metadata: %j",
    async (attributes) => {
      expect((await target.ask(browser, { attributes })).url.href).toBe(secondAcs);
    },
  );
});

function formOf(attempt: Attempt) {
  return [...new URLSearchParams("form" in attempt ? attempt.form : "")];
}
