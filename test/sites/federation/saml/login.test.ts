// People log in at an identity provider of SAML (SAML Profiles §4.1), to which the service is a service provider.
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "@jest/globals";
import { parseTextXml } from "../../../../src/kernel/xml/text-document.ts";
import { startService } from "../../../support/service.ts";
import { beginLogin, leaveForProvider, listUsers, openBrowser, titleOf } from "../support/place.ts";
import { makePartyKeys } from "../../saml/node-saml/party-keys.ts";
import { type AnswerTricks, createSamlIdp, writeIdpMetadata } from "./support/saml-idp.ts";
import { acsOf, createSamlPlace, logInBySaml, readOwnCertificate } from "./support/saml-place.ts";

const service = await startService({ dev: true });
const issuer = `http://localhost:${service.port}`;
const idp = createSamlIdp(issuer, service.clock);
const encryption = { certificate: await readOwnCertificate(service, "encryption") };
afterAll(() => service.stop());

const isIn = (visited: Awaited<ReturnType<typeof logInBySaml>>) => visited.url.searchParams.has("code");

test("the request is signed, asks for a persistent name, and says where the answer goes", async () => {
  const place = await createSamlPlace(service, idp);
  const left = await leaveForProvider(service, place, openBrowser(service));
  expect(left.href.startsWith(`${new URL(idp.entityId).origin}/sso?t=1&SAMLRequest=`)).toBe(true);
  const request = idp.readRequest(left);
  expect(request.isSignedBy(await readOwnCertificate(service, "signing"))).toBe(true);
  expect(request.relayState).toMatch(/^[\w-]{43}$/);
  const { root } = parseTextXml(request.xml);
  expect(Object.fromEntries(root.attributes)).toMatchObject({
    Destination: `${new URL(idp.entityId).origin}/sso?t=1`,
    AssertionConsumerServiceURL: acsOf(service),
    ProtocolBinding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
  });
  expect(root.children.map(({ localName, text, attributes }) => [localName, text, attributes])).toEqual([
    ["Issuer", `${issuer}/idps/saml/metadata`, []],
    [
      "NameIDPolicy",
      "",
      [
        ["AllowCreate", "true"],
        ["Format", "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"],
      ],
    ],
  ]);
  const forced = await leaveForProvider(service, place, openBrowser(service), { prompt: "login" });
  expect(idp.readRequest(forced).xml).toContain(' ForceAuthn="true"');
});

describe("somebody who comes back has an account", () => {
  test.each<[string, AnswerTricks]>([
    ["by a signed assertion", {}],
    ["by a signed Response", { sign: ["response"] }],
    ["by both", { sign: ["assertion", "response"] }],
    ["by an encrypted assertion that is signed", { encrypt: encryption }],
    ["by an encrypted assertion in a signed Response", { encrypt: encryption, sign: ["response"] }],
    [
      "by one in CBC in a signed Response",
      {
        encrypt: { ...encryption, cipher: "http://www.w3.org/2001/04/xmlenc#aes256-cbc" },
        sign: ["assertion", "response"],
      },
    ],
  ])("%s, and the same one the next time", async (_name, tricks) => {
    const place = await createSamlPlace(service, idp);
    expect(isIn(await logInBySaml(service, { place, idp }, tricks))).toBe(true);
    expect(isIn(await logInBySaml(service, { place, idp }, tricks))).toBe(true);
    expect(await listUsers(service, place)).toMatchObject([
      { human: { givenName: "Ada", familyName: "Lovelace" } },
    ]);
  });

  test("whose address counts as verified only where the provider is trusted with it", async () => {
    const read = async (trustMail: boolean) => {
      const place = await createSamlPlace(service, idp, { trustMail });
      await logInBySaml(service, { place, idp }, { nameId: `mail-${trustMail}` });
      return JSON.stringify(await listUsers(service, place));
    };
    expect(await read(true)).toContain('"isEmailVerified":true');
    expect(await read(false)).not.toContain('"isEmailVerified":true');
  });
});

describe("an identity", () => {
  test("is the value of the attribute that the provider is set to, whatever the NameID is", async () => {
    const place = await createSamlPlace(service, idp, { idAttribute: "urn:employee" });
    const format = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
    const of = (value: readonly string[], nameId: string) => ({
      format,
      nameId,
      attributes: {
        "urn:employee": value,
        mail: [`${nameId}@employees.example`],
        givenName: ["Ada"],
        sn: ["Lovelace"],
      },
    });
    expect(isIn(await logInBySaml(service, { place, idp }, of(["7"], "t1")))).toBe(true);
    expect(isIn(await logInBySaml(service, { place, idp }, of(["7"], "t2")))).toBe(true);
    expect(await listUsers(service, place)).toHaveLength(1);
    expect(isIn(await logInBySaml(service, { place, idp }, of(["8"], "t3")))).toBe(true);
    expect(await listUsers(service, place)).toHaveLength(2);
    for (const values of [[], ["7", "8"], [" "]])
      expect(titleOf(await logInBySaml(service, { place, idp }, of(values, "t4")))[0]).toBe(400);
  });

  test.each(["transient", "unspecified"])("is never a NameID that is %s", async (format) => {
    const place = await createSamlPlace(service, idp);
    const answer = { format: `urn:oasis:names:tc:SAML:2.0:nameid-format:${format}` };
    expect(titleOf(await logInBySaml(service, { place, idp }, answer))[0]).toBe(400);
    expect(await listUsers(service, place)).toEqual([]);
  });
});

test("metadata come from their URL, and are read again for a key that they have meanwhile", async () => {
  const next = makePartyKeys();
  let metadata = idp.metadata;
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.end(metadata);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const metadataUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metadata`; // it listens on TCP
  try {
    const place = await createSamlPlace(service, idp, { metadataUrl });
    expect(isIn(await logInBySaml(service, { place, idp }))).toBe(true);
    expect(isIn(await logInBySaml(service, { place, idp }))).toBe(true);
    expect(asked).toBe(1);
    metadata = writeIdpMetadata(idp.entityId, next.certificate);
    expect(isIn(await logInBySaml(service, { place, idp }, { key: next }))).toBe(true);
    expect(asked).toBe(2);
    expect(isIn(await logInBySaml(service, { place, idp }, { key: makePartyKeys() }))).toBe(false);
    expect(asked).toBe(2);
    metadata = writeIdpMetadata("https://other.example", next.certificate);
    service.clock.turn(3_600_000);
    const browser = openBrowser(service);
    const page = await beginLogin(service, place, browser);
    expect(titleOf(await browser.submit(page, { provider: place.idpId }))[0]).toBe(503);
  } finally {
    server.close();
  }
});
