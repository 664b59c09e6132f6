// People log in to service providers with node-saml 5.1, whose messages and judgment are its own.
import { afterAll, describe, expect, test } from "@jest/globals";
import { ValidateInResponseTo } from "@node-saml/node-saml";
import { createSign } from "node:crypto";
import { SamlNameIdFormat } from "../../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { endLogin } from "../../oidc/support/user-agent.ts";
import { startService } from "../../../support/service.ts";
import { createCaller } from "../../../support/world.ts";
import { addNodeSamlParty, type PartyChoices } from "./node-saml.ts";
import { makePartyKeys } from "./party-keys.ts";
import { createSamlPlace } from "./saml-place.ts";

const formats = {
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
};
const signing = makePartyKeys();
const encryption = makePartyKeys();
/** It takes only answers to what it has asked. */
const strict = { validateInResponseTo: ValidateInResponseTo.always };

const service = await startService();
const place = await createSamlPlace(service);
/** A party without anything special, and a browser in which the person has logged in to it. */
const plain = await addNodeSamlParty(place, { saml: strict });
const known = place.openBrowser();
await plain.take(await endLogin(known, await plain.ask(known), place.person));
afterAll(() => service.stop());

const add = (choices: PartyChoices = {}) =>
  addNodeSamlParty(place, { ...choices, saml: { ...strict, ...choices.saml } });

/** What stands between the characters that libraries encode differently. */
const relayState = "/back?to=here&a=b #(it's) ~fine*! é +%20";

describe("node-saml", () => {
  test("logs in by HTTP-Redirect, and learns who it is by the names of ZITADEL", async () => {
    const browser = place.openBrowser();
    const taken = await plain.take(
      await endLogin(browser, await plain.ask(browser, relayState), place.person),
    );
    expect(taken.relayState).toBe(relayState);
    expect(taken.profile).toMatchObject({
      issuer: `${place.issuer}/saml/v2/metadata`,
      nameID: place.email,
      nameIDFormat: formats.email,
      sessionIndex: expect.any(String),
      attributes: {
        Email: place.email,
        SurName: "Hopper",
        FirstName: "Grace",
        UserName: place.person.username,
        UserID: place.person.userId,
      },
    });
  });

  test.each([
    ["deflated, as it does by default,", false],
    ["as Bindings §3.5.4 says", true],
  ])("logs in by HTTP-POST with a signed request, %s", async (_how, skipRequestCompression) => {
    const party = await add({ signing, saml: { skipRequestCompression, authnRequestBinding: "HTTP-POST" } });
    const browser = place.openBrowser();
    const asked = await party.askByPost(browser, relayState);
    expect(asked.page?.text).toContain('type="password"');
    const taken = await party.take(await endLogin(browser, asked, place.person));
    expect(taken).toMatchObject({ relayState, profile: { nameID: place.email } });
    const again = await party.take(await party.askByPost(browser, "again")); // the session of the browser is enough
    expect(again).toMatchObject({ relayState: "again", profile: { nameID: place.email } });
  });

  test("signs by HTTP-Redirect other octets than it sends, with a RelayState that needs encoding", async () => {
    const party = await add({ signing });
    expect(await place.readSaml(party.appId)).toMatchObject({ entityId: party.entityId });
    const { relayState: back } = await party.take(await party.ask(known, relayState));
    expect(back).toBe(relayState);
  });

  const withoutGcm = (text: string) => text.replaceAll(/<EncryptionMethod [^>]*gcm"\/>/g, "");
  const withoutCiphers = (text: string) => text.replaceAll(/<EncryptionMethod [^>]*\/>/g, "");
  test.each([
    ["with GCM", (text: string) => text, "xmlenc11#aes256-gcm"],
    ["with CBC, if its list has no GCM", withoutGcm, "xmlenc#aes256-cbc"],
    ["with GCM, if it has no list", withoutCiphers, "xmlenc11#aes256-gcm"],
  ])("reads an encrypted assertion: %s", async (_how, metadata, cipher) => {
    const party = await add({ encryption, signing, metadata });
    const visited = await party.ask(known);
    const xml = Buffer.from(
      Object.fromEntries(visited.posted ?? [])["SAMLResponse"] ?? "",
      "base64",
    ).toString();
    expect(xml).toContain(cipher);
    expect(xml).not.toContain(place.email);
    expect(await party.take(visited)).toMatchObject({ profile: { nameID: place.email } });
  });

  test("has one key for both uses, which its metadata does not say", async () => {
    const keys = makePartyKeys();
    const metadata = (text: string) =>
      text
        .replace(/<KeyDescriptor use="signing">[^]*?<\/KeyDescriptor>/, "")
        .replace(' use="encryption"', "");
    const party = await add({ signing: keys, encryption: keys, metadata });
    const visited = await party.ask(known, relayState);
    expect(await party.take(visited)).toMatchObject({ relayState, profile: { nameID: place.email } });
  });

  test("refuses the answer that was made for another service provider", async () => {
    const party = await add({ saml: { validateInResponseTo: ValidateInResponseTo.never } });
    const visited = await plain.ask(known);
    const SAMLResponse = Object.fromEntries(visited.posted ?? [])["SAMLResponse"] ?? "";
    await expect(party.saml.validatePostResponseAsync({ SAMLResponse })).rejects.toThrow("audience mismatch");
  });
});

test("the settings of an application and its metadata decide what node-saml is told", async () => {
  const uri = "urn:oasis:names:tc:SAML:2.0:attrname-format:uri";
  const asked = (name: string) => `<RequestedAttribute Name="${name}" NameFormat="${uri}"/>`;
  const requested =
    '<AttributeConsumingService index="1" isDefault="true"><ServiceName xml:lang="en">Portal</ServiceName>' +
    `${asked("urn:oid:2.5.4.42")}${asked("urn:oid:2.5.4.4")}${asked("urn:oid:9.9.9")}</AttributeConsumingService>`;
  const party = await add({
    metadata: (text) => text.replace("</SPSSODescriptor>", `${requested}</SPSSODescriptor>`),
  });
  const told = async () => (await party.take(await party.ask(known))).profile;
  const set = (settings: object) =>
    createCaller(service, place.organizationId)(ApplicationService.method.updateSamlSettings, {
      projectId: place.projectId,
      appId: party.appId,
      ...settings,
    });
  const wanted = { "urn:oid:2.5.4.42": "Grace", "urn:oid:2.5.4.4": "Hopper" };
  const attributesOf = async () => (await told())?.["attributes"];
  expect(await attributesOf()).toMatchObject({ ...wanted, FirstName: "Grace", UserID: place.person.userId });
  await set({ onlyRequestedAttributes: true, nameIdFormat: SamlNameIdFormat.PERSISTENT });
  expect(await told()).toMatchObject({
    nameIDFormat: formats.persistent,
    nameQualifier: `${place.issuer}/saml/v2/metadata`,
  });
  expect(await attributesOf()).toEqual(wanted);
  const email = { name: "urn:oid:0.9.2342.19200300.100.1.3", source: "Email", nameFormat: uri };
  await set({ attributes: [email, { name: "tenant", constant: "lamps & <more>" }] });
  expect(await attributesOf()).toMatchObject({ [email.name]: place.email, tenant: "lamps & <more>" });
});

describe("a service provider with a key of P-256", () => {
  test("signs as XML Signature says, r and s", async () => {
    const keys = makePartyKeys("P-256");
    const descriptor = `<KeyDescriptor><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${keys.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`;
    const metadata = (text: string) =>
      text
        .replace('AuthnRequestsSigned="false"', 'AuthnRequestsSigned="1"')
        .replace(/(<SPSSODescriptor[^>]*>)/, `$1${descriptor}`);
    const party = await add({ metadata });
    const url = new URL(await party.saml.getAuthorizeUrlAsync("here", undefined, {}));
    const unsigned = await known.open(url.href);
    expect([unsigned.page?.status, unsigned.posted]).toEqual([400, undefined]);
    const algorithm = "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256";
    const octets = `${url.search.slice(1)}&SigAlg=${encodeURIComponent(algorithm)}`;
    const signature = createSign("sha256")
      .update(octets)
      .sign({ key: keys.privateKey, dsaEncoding: "ieee-p1363" }, "base64");
    const visited = await known.open(
      `${url.origin}${url.pathname}?${octets}&Signature=${encodeURIComponent(signature)}`,
    );
    expect(await party.take(visited)).toMatchObject({ relayState: "here", profile: { nameID: place.email } });
  });
});
