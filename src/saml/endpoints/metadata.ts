import { hash } from "node:crypto";
import { nameIdFormatUris, samlAttributeSources } from "../../features/applications/saml/saml-settings.ts";
import type { SamlKey } from "../../features/signing-keys/saml-key.ts";
import type { Exchange } from "../../http/exchanges/exchange.ts";
import type { Reply } from "../../http/exchanges/reply.ts";
import { element, type XmlFragment } from "../../xml/write.ts";
import { basicNameFormat, httpPostBinding, samlDeclaration, samlProtocol } from "../messages/identifiers.ts";
import { samlPaths, entityIdOf } from "../parties/paths.ts";

const bindings = ["urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", httpPostBinding];

/** The formats that a service provider may ask for, the one that it gets unasked first. */
const nameIdFormats = ["PERSISTENT", "TRANSIENT", "EMAIL_ADDRESS"] as const;

/**
 * Answers with our metadata, which names the keys in their order. Anybody may read it, and keep it for five minutes. A caller who has
 * it already learns that, and no more (RFC 9110 §13.1.2).
 */
export function answerMetadata(
  exchange: Pick<Exchange, "header">,
  { issuer, keys }: { readonly issuer: string; readonly keys: readonly Pick<SamlKey, "certificate">[] },
): Reply {
  const document = writeMetadata(issuer, keys);
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
function writeMetadata(issuer: string, keys: readonly Pick<SamlKey, "certificate">[]): string {
  const descriptor = element(
    "md:IDPSSODescriptor",
    {
      protocolSupportEnumeration: samlProtocol,
      WantAuthnRequestsSigned: "false",
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
