// Apache with mod_auth_mellon (lasso), a service provider of SAML that others have written: login by each binding and without pages,
// encryption, logout from either side, and a new signing key of Gatehouse.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { SigningKeyUse } from "../../gen/gatehouse/v1/signing_key_pb.ts";
import { SigningKeyService } from "../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { endLogin, type UserAgent, type Visited } from "../sites/oidc/support/user-agent.ts";
import { addNodeSamlParty, postedTo } from "../sites/saml/node-saml/node-saml.ts";
import { messageOf } from "../sites/saml/node-saml/message-of.ts";
import { makePartyKeys } from "../sites/saml/node-saml/party-keys.ts";
import { createSamlPlace, readMetadata, type SamlPlace } from "../sites/saml/node-saml/saml-place.ts";
import { startService, type TestService } from "../support/service.ts";
import { createCaller } from "../support/world.ts";
import { requireApache } from "./support/apache.ts";
import { type Mellon, startMellon } from "./support/mellon.ts";

test("a missing Apache is an error that says what to install", () => {
  expect(() => requireApache("auth_mellon", "/nowhere")).toThrow(
    "install the packages apache2-bin and libapache2-mod-auth-mellon",
  );
});

let service: TestService;
let place: SamlPlace;
let mellon: Mellon;
let appId: string;
/** One browser, which has cookies of both. */
let atSite: UserAgent;
let atIssuer: UserAgent;
const started: Mellon[] = [];

beforeAll(async () => {
  service = await startService({ dev: true }); // for http on loopback
  place = await createSamlPlace(service);
  mellon = await start();
  appId = await place.addApplication(mellon.metadata);
  atSite = mellon.openBrowser();
  atIssuer = place.openBrowser();
}, 60_000);
afterAll(async () => {
  for (const one of started) await one.stop();
  await service?.stop();
});

async function start(change = (metadata: string) => metadata): Promise<Mellon> {
  const one = await startMellon(change(await readMetadata(place)));
  started.push(one);
  return one;
}

/** Opens the guarded page, logs in where that is asked for, and brings the answer back. */
async function enter(site = atSite, from = mellon): Promise<Visited> {
  const { url } = await site.open(`${from.origin}/protected/`);
  expect(url.pathname).toBe("/saml/v2/SSO");
  const answer = await endLogin(atIssuer, await atIssuer.open(url.href), place.person);
  return await site.post(`${from.origin}/mellon/postResponse`, answer.posted ?? [], "same-site");
}

async function isGuarded(site = atSite, from = mellon): Promise<boolean> {
  const { url } = await site.open(`${from.origin}/protected/`);
  const { page } = await atIssuer.open(url.href);
  return page?.text.includes('type="password"') === true;
}

describe("mod_auth_mellon", () => {
  test("lets somebody in who logs in, and knows who it is, by an encrypted assertion", async () => {
    const { page } = await enter();
    expect(page).toMatchObject({ status: 200, text: "the page protected" });
    expect(page?.headers.get("x-remote-user")).toBe(place.person.username);
  });

  test("learns without a page who has a session, and that somebody has none (IsPassive)", async () => {
    const home = encodeURIComponent(`${mellon.origin}/protected/`);
    const probe = async (browser: UserAgent) => {
      const site = mellon.openBrowser();
      const { url } = await site.open(`${mellon.origin}/mellon/login?IsPassive=true&ReturnTo=${home}`);
      const answer = await browser.open(url.href);
      const { page } = await site.post(
        `${mellon.origin}/mellon/postResponse`,
        answer.posted ?? [],
        "same-site",
      );
      return { xml: messageOf(answer), status: page?.status, user: page?.headers.get("x-remote-user") };
    };
    expect(await probe(atIssuer)).toMatchObject({ status: 200, user: place.person.username });
    const nobody = await probe(place.openBrowser());
    expect(nobody).toMatchObject({ status: 401, user: null });
    expect(nobody.xml).toContain("NoPassive");
  });

  test("lets somebody in whose browser posts the request", async () => {
    const poster = await start((metadata) =>
      metadata.replace(/<md:SingleSignOnService [^>]*HTTP-Redirect[^>]*><\/md:SingleSignOnService>/, ""),
    );
    await place.addApplication(poster.metadata);
    const [site, browser] = [poster.openBrowser(), place.openBrowser()];
    const { url, posted = [] } = await site.open(`${poster.origin}/protected/`);
    expect([url.href, posted.map(([name]) => name)]).toEqual([
      `${place.issuer}/saml/v2/SSO`,
      ["SAMLRequest", "RelayState"],
    ]);
    const answer = await endLogin(browser, await browser.post(url.href, posted), place.person);
    const { page } = await site.post(
      `${poster.origin}/mellon/postResponse`,
      answer.posted ?? [],
      "same-site",
    );
    expect(page?.headers.get("x-remote-user")).toBe(place.person.username);
  });

  test("logs out here and there, and asks for the password then", async () => {
    const { url } = await atSite.open(
      `${mellon.origin}/mellon/logout?ReturnTo=${encodeURIComponent(`${mellon.origin}/`)}`,
    );
    expect(url.pathname).toBe("/saml/v2/SLO");
    const { url: answered } = await atIssuer.open(url.href);
    expect(answered.pathname).toBe("/mellon/logout");
    const { page } = await atSite.open(answered.href);
    expect(page).toMatchObject({ status: 200, text: "the page " });
    expect(await isGuarded()).toBe(true);
  });

  test("is logged out when somebody logs out of another service provider", async () => {
    await enter();
    const other = await addNodeSamlParty(place, { signing: makePartyKeys() });
    const { profile } = await other.take(await other.ask(atIssuer));
    const asked = await other.saml.getLogoutUrlAsync(profile!, "bye", {});
    const { url: told } = await atIssuer.open(asked);
    expect(told.href).toContain(`${mellon.origin}/mellon/logout?SAMLRequest=`);
    const { url: back } = await atSite.open(told.href);
    expect(back.pathname).toBe("/saml/v2/SLO");
    const { SAMLResponse = "" } = postedTo(await atIssuer.open(back.href), other.slo);
    expect(Buffer.from(SAMLResponse, "base64").toString()).toContain(
      'Value="urn:oasis:names:tc:SAML:2.0:status:Success"',
    );
    expect(await other.saml.validatePostResponseAsync({ SAMLResponse })).toMatchObject({ loggedOut: true });
    expect(await isGuarded()).toBe(true);
  });

  test.each([
    ["aes128-gcm", "http://www.w3.org/2009/xmlenc11#aes128-gcm"],
    ["aes256-cbc", "http://www.w3.org/2001/04/xmlenc#aes256-cbc"],
  ])("reads what is encrypted with %s, if its metadata says so", async (_name, cipher) => {
    const method = `<EncryptionMethod Algorithm="${cipher}"/>`;
    const metadataXml = Buffer.from(
      mellon.metadata.replaceAll("</KeyDescriptor>", `${method}</KeyDescriptor>`),
    );
    const call = createCaller(service, place.organizationId);
    await call(ApplicationService.method.updateSamlConfig, {
      projectId: place.projectId,
      appId,
      metadataXml,
    });
    const { page } = await enter(mellon.openBrowser());
    expect(page?.headers.get("x-remote-user")).toBe(place.person.username);
  });

  test("takes what a new key signs, if it was published when the metadata was read, and nothing else", async () => {
    const rotate = (revokeOld: boolean) =>
      service.call(SigningKeyService.method.rotateSigningKeys, { use: SigningKeyUse.SAML, revokeOld });
    await rotate(false); // from now on the next key is published
    const prepared = await start();
    await place.addApplication(prepared.metadata);
    await rotate(true); // and signs
    const late = await enter(mellon.openBrowser());
    expect([late.page?.status, late.page?.headers.get("x-remote-user")]).toEqual([400, null]);
    const { page } = await enter(prepared.openBrowser(), prepared);
    expect(page?.headers.get("x-remote-user")).toBe(place.person.username);
  }, 60_000);
});
