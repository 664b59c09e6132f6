import { hash } from "node:crypto";
import { nameIdFormatUris, samlAttributeSources } from "../../../identity/applications/saml/saml-settings.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import type { SamlKey } from "../../../identity/signing-keys/saml-key.ts";
import type { SamlKeys } from "../../../identity/signing-keys/saml-keys.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { element, type XmlFragment } from "../../../kernel/xml/write.ts";
import { basicNameFormat, httpPostBinding, samlDeclaration, samlProtocol } from "../messages/identifiers.ts";
import { samlPaths, entityIdOf } from "../parties/paths.ts";
import type { ServiceProviders } from "../parties/service-providers.ts";

const bindings = ["urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", httpPostBinding];

/** The formats that a service provider may ask for, the one that it gets unasked first. */
const nameIdFormats = ["PERSISTENT", "TRANSIENT", "EMAIL_ADDRESS"] as const;

/** What our metadata are written of. */
interface MetadataContent {
  readonly issuer: string;
  readonly keys: readonly Pick<SamlKey, "certificate">[];
  /** Whether the application for which they are read has to sign its requests. */
  readonly wantsSignedRequests: boolean;
}

/** Where the metadata are read for an application. */
export interface MetadataPorts {
  readonly context: Pick<FeatureContext, "database">;
  readonly samlKeys: Pick<SamlKeys, "listPublished">;
  readonly serviceProviders: Pick<ServiceProviders, "findById">;
}

/**
 * Answers with our metadata, which name the keys in their order. Anybody may read them, and keep them for five minutes. A caller who has
 * them already learns that, and no more (RFC 9110 §13.1.2). With `app_id` they are those for one application, which differ in whether it
 * has to sign its requests; the entity id is the same. Raises the page of an application that is unknown.
 */
export async function answerMetadata(
  { context, samlKeys, serviceProviders }: MetadataPorts,
  exchange: Pick<Exchange, "header" | "query">,
  issuer: string,
): Promise<Reply> {
  const id = findApplicationId(exchange);
  const found =
    id === undefined ? undefined : await context.database.read((tx) => serviceProviders.findById(tx, id));
  if (id !== undefined && found === undefined) throw new PageRefusal("not-found");
  const wantsSignedRequests = found?.application.saml.settings.requireSignedRequests ?? false;
  const document = writeMetadata({ issuer, keys: await samlKeys.listPublished(), wantsSignedRequests });
  const etag = `"${hash("sha256", document, "base64url")}"`;
  const headers = { "cache-control": "public, max-age=300", etag };
  if (isNoneElse(exchange.header("if-none-match"), etag)) return { status: 304, headers };
  return {
    status: 200,
    headers: { ...headers, "content-type": "application/samlmetadata+xml" },
    body: document,
  };
}

/**
 * Writes our metadata (SAML Metadata §2.3.2, §2.4.3). It has no validUntil: a service provider that reads it once would lose us at
 * that time. It is not signed: the connection says whose it is.
 */
function writeMetadata({ issuer, keys, wantsSignedRequests }: MetadataContent): string {
  const descriptor = element(
    "md:IDPSSODescriptor",
    {
      protocolSupportEnumeration: samlProtocol,
      WantAuthnRequestsSigned: String(wantsSignedRequests),
    },
    [
      ...keys.map(({ certificate }) => toKeyDescriptor(certificate)),
      ...toEndpoints("md:SingleLogoutService", `${issuer}${samlPaths.singleLogout}`),
      ...nameIdFormats.map((format) => element("md:NameIDFormat", {}, [nameIdFormatUris[format]])),
      ...toEndpoints("md:SingleSignOnService", `${issuer}${samlPaths.singleSignOn}`),
      ...samlAttributeSources.map(toAttribute),
    ],
  );
  const { xml } = element(
    "md:EntityDescriptor",
    {
      "xmlns:md": "urn:oasis:names:tc:SAML:2.0:metadata",
      entityID: entityIdOf(issuer),
      cacheDuration: "PT1H",
    },
    [descriptor],
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xml}`;
}

/** Some products add parameters of their own to the address; they do not count. */
function findApplicationId({ query }: Pick<Exchange, "query">): string | undefined {
  const [id, ...more] = new URLSearchParams(query).getAll("app_id");
  if (more.length > 0 || (id !== undefined && !/^[1-9][0-9]{0,18}$/.test(id)))
    throw new PageRefusal("not-found");
  return id;
}

/** Says whether the caller has this version, or any. The comparison is weak (RFC 9110 §8.8.3.2). */
function isNoneElse(ifNoneMatch: string | undefined, etag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || ifNoneMatch?.trim() === "*";
}

function toKeyDescriptor(certificate: Uint8Array): XmlFragment {
  const text = Buffer.from(certificate).toString("base64");
  return element("md:KeyDescriptor", { use: "signing" }, [
    element("ds:KeyInfo", { "xmlns:ds": "http://www.w3.org/2000/09/xmldsig#" }, [
      element("ds:X509Data", {}, [element("ds:X509Certificate", {}, [text])]),
    ]),
  ]);
}

function toEndpoints(name: string, location: string): readonly XmlFragment[] {
  return bindings.map((binding) => element(name, { Binding: binding, Location: location }));
}

function toAttribute(name: string): XmlFragment {
  return element("saml:Attribute", {
    ...samlDeclaration,
    Name: name,
    NameFormat: basicNameFormat,
  });
}
