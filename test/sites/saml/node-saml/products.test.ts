// Logins with the metadata that other products write: keys, lists of ciphers and endpoints as they have them. node-saml reads the answer.
import { afterAll, expect, test } from "@jest/globals";
import { SAML } from "@node-saml/node-saml";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { productMetadata } from "../../../identity/applications/saml/product-metadata.ts";
import { endLogin } from "../../oidc/support/user-agent.ts";
import { startService } from "../../../support/service.ts";
import { createCaller } from "../../../support/world.ts";
import { toQuery, writeRequest } from "../support/messages.ts";
import { messageOf } from "./message-of.ts";
import { addNodeSamlParty } from "./node-saml.ts";
import { makePartyKeys } from "./party-keys.ts";
import { createSamlPlace, publishedCertificates } from "./saml-place.ts";

const keys = makePartyKeys();

const service = await startService({ dev: true });
const place = await createSamlPlace(service);
const idpCert = await publishedCertificates(place);
/** The person has a session in it. */
const browser = place.openBrowser();
const party = await addNodeSamlParty(place);
await party.take(await endLogin(browser, await party.ask(browser), place.person));
afterAll(() => service.stop());

/** Puts our own key in the place of theirs, and takes out how long the document is good. */
const ours = (document: string) =>
  document
    .replaceAll(/(X509Certificate[^>]*>)[A-Za-z0-9+/=\s]+(<)/g, `$1${keys.certificate}$2`)
    .replaceAll(/validUntil=["'][^"']*["']/g, "");

const hasKeyToSign = (metadata: string) => /<(\w+:)?KeyDescriptor(?! use=["']encryption)/.test(metadata);
const hasKeyToEncrypt = (metadata: string) => /<(\w+:)?KeyDescriptor(?! use=["']signing)/.test(metadata);
const mustSign = (metadata: string) => /AuthnRequestsSigned=["'](true|1)/.test(metadata);
const products = productMetadata.map(
  (each) => [each.product, { ...each, metadata: ours(each.document) }] as const,
);

/** Makes the application, and sends the browser with a request of it, signed if there is a key for it. */
async function ask({ metadata, entityId, services }: (typeof products)[number][1]) {
  const [, acs = ""] =
    services.find(([binding]) => binding === "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST") ?? [];
  const appId = await place.addApplication(metadata);
  const destination = `${place.issuer}/saml/v2/SSO`;
  const own = { entityId, id: "_of-another-product", nowMs: service.clock.nowMs(), destination };
  const xml = writeRequest(own, { attributes: { AssertionConsumerServiceURL: acs } });
  const query = toQuery("SAMLRequest", xml, {
    relayState: "here",
    keys: hasKeyToSign(metadata) ? keys : undefined,
  });
  const visited = await browser.open(`${destination}?${query}`);
  const saml = await place.readSaml(appId);
  const call = createCaller(service, place.organizationId);
  await call(ApplicationService.method.removeApplication, { projectId: place.projectId, appId });
  return { visited, acs, saml };
}

test.each(products.filter(([, { metadata }]) => hasKeyToSign(metadata) || !mustSign(metadata)))(
  "%s: a request is answered where its metadata say, encrypted if there is a key for it",
  async (_product, product) => {
    const { visited, acs } = await ask(product);
    expect([visited.page?.text, visited.url.href]).toEqual([undefined, new URL(acs).href]);
    expect(messageOf(visited).includes("EncryptedAssertion")).toBe(hasKeyToEncrypt(product.metadata));
    const reader = new SAML({
      issuer: product.entityId,
      callbackUrl: acs,
      idpCert: [...idpCert],
      decryptionPvk: keys.privatePem,
    });
    const { SAMLResponse = "" } = Object.fromEntries(visited.posted ?? []);
    const { profile } = await reader.validatePostResponseAsync({ SAMLResponse });
    expect(JSON.stringify(profile)).toContain(place.email);
  },
);

test.each(products.filter(([, { metadata }]) => !hasKeyToSign(metadata) && mustSign(metadata)))(
  "%s: demands signed requests without a key for them, which the application says",
  async (_product, product) => {
    const { visited, saml } = await ask(product);
    expect(visited.page?.status).toBe(400);
    expect(saml["problems"]).toContainEqual(expect.stringContaining("requests have to be signed"));
  },
);
