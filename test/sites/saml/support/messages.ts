import { randomBytes, sign } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { SignedXml } from "xml-crypto";
import { uniqueName } from "../../../support/world.ts";
import type { PartyKeys } from "../node-saml/party-keys.ts";

/** What an AuthnRequest says besides what every one does. */
export interface RequestParts {
  /** Attributes of the root; undefined takes one away. */
  readonly attributes?: Readonly<Record<string, string | undefined>>;
  /** XML behind the Issuer. */
  readonly content?: string;
  /** Default: AuthnRequest. */
  readonly root?: string;
  /** Default: the entity id. */
  readonly issuer?: string;
}

/** Writes an AuthnRequest. */
export function writeRequest(
  own: {
    readonly entityId: string;
    readonly id: string;
    readonly nowMs: number;
    readonly destination: string;
  },
  { attributes = {}, content = "", root = "AuthnRequest", issuer = own.entityId }: RequestParts = {},
): string {
  const all = {
    ID: own.id,
    Version: "2.0",
    IssueInstant: new Date(own.nowMs).toISOString(),
    Destination: own.destination,
    ...attributes,
  };
  const written = Object.entries(all).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${escapeXml(value)}"`],
  );
  return `<samlp:${root} xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ${written.join(" ")}><saml:Issuer>${escapeXml(issuer)}</saml:Issuer>${content}</samlp:${root}>`;
}

/** Makes an id of a message. */
export function newMessageId(): string {
  return `_${randomBytes(16).toString("hex")}`;
}

/** Makes an origin that no other service provider has. */
export function uniqueOrigin(name: string): string {
  return `https://${uniqueName(name).toLowerCase().replaceAll(/\W+/g, "-")}.example`;
}

/** Writes the metadata of a service provider, with its elements in the order of the schema. */
export function writeMetadata(entityId: string, elements: readonly string[], attributes = ""): string {
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${escapeXml(entityId)}"><md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"${attributes}>${elements.join("")}</md:SPSSODescriptor></md:EntityDescriptor>`;
}

/** Writes a key of metadata. Without a use it is for all. */
export function writeKey({ certificate }: Pick<PartyKeys, "certificate">, use?: string): string {
  return `<md:KeyDescriptor${use === undefined ? "" : ` use="${use}"`}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
}

/** The bindings of metadata. */
export const bindingUris = {
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
} as const;

/** Escapes text for XML. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** Writes the query of a message by HTTP-Redirect, signed if there are keys. */
export function toQuery(
  kind: "SAMLRequest" | "SAMLResponse",
  xml: string,
  {
    relayState,
    encodedRelayState = relayState === undefined ? undefined : encodeURIComponent(relayState),
    keys,
    algorithm = rsaSha256,
  }: {
    readonly relayState?: string | undefined;
    /** Default: as encodeURIComponent encodes it. */
    readonly encodedRelayState?: string | undefined;
    readonly keys?: Pick<PartyKeys, "privateKey"> | undefined;
    readonly algorithm?: string;
  },
): string {
  const message = `${kind}=${encodeURIComponent(deflateRawSync(xml).toString("base64"))}`;
  const state = encodedRelayState === undefined ? "" : `&RelayState=${encodedRelayState}`;
  if (keys === undefined) return `${message}${state}`;
  const signed = `${message}${state}&SigAlg=${encodeURIComponent(algorithm)}`;
  const hash = /sha\d+$/.exec(algorithm)?.[0];
  const signature = sign(hash, Buffer.from(signed), keys.privateKey).toString("base64");
  return `${signed}&Signature=${encodeURIComponent(signature)}`;
}

/** Signs a message by HTTP-POST, with xml-crypto: the signature stands behind the Issuer. */
export function signMessage(xml: string, keys: PartyKeys): string {
  const signer = new SignedXml({
    privateKey: keys.privatePem,
    signatureAlgorithm: rsaSha256,
    canonicalizationAlgorithm: exclusive,
  });
  signer.addReference({
    xpath: "/*",
    transforms: ["http://www.w3.org/2000/09/xmldsig#enveloped-signature", exclusive],
    digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
  });
  const location = { reference: "/*/*[local-name(.)='Issuer']", action: "after" } as const;
  signer.computeSignature(xml, { prefix: "ds", location });
  return signer.getSignedXml();
}

const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";
const exclusive = "http://www.w3.org/2001/10/xml-exc-c14n#";
