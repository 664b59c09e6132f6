import type { KeyObject } from "node:crypto";
import { parseHttpUrl } from "../../kernel/base/url.ts";
import { attributeOf, childrenOf, isNamed } from "../../kernel/xml/document.ts";
import { XmlError } from "../../kernel/xml/scan.ts";
import { parseTextXml } from "../../kernel/xml/text-document.ts";
import { readPublishedKeys } from "../applications/saml/key-descriptor.ts";
import { metadataNamespace } from "../applications/saml/metadata-fault.ts";

/** What we need of the metadata of an identity provider, to send people there and to verify what it answers. */
export interface UpstreamMetadata {
  /** Where requests by HTTP-Redirect go: an http or https URL without fragment. */
  readonly singleSignOnUrl: string;
  /** 1 to 10: RSA, P-256 or P-384. Dates and issuers of certificates do not count. */
  readonly signingKeys: readonly KeyObject[];
}

/** Says why metadata cannot be used, in words that follow the name of the field. */
export interface UpstreamMetadataFault {
  readonly fault: string;
}

const redirectBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect";
const protocolNamespace = "urn:oasis:names:tc:SAML:2.0:protocol";
const maxSigningKeys = 10;

/**
 * Reads the metadata of the identity provider with that entity id (SAML Metadata §2.4.3). Keys are bare keys (SAML V2.0 Metadata
 * Interoperability Profile §2.5); the document may have a byte order mark in front.
 */
export function readUpstreamMetadata(
  xml: string,
  entityId: string,
): UpstreamMetadata | UpstreamMetadataFault {
  try {
    const { root } = parseTextXml(xml.replace(/^\uFEFF/, ""), {});
    if (!isNamed(root, metadataNamespace, "EntityDescriptor"))
      return { fault: "must be SAML metadata with an EntityDescriptor as root" };
    if (attributeOf(root, "entityID") !== entityId)
      return { fault: "must be the metadata of the provider with that entity_id" };
    const provider = childrenOf(root, metadataNamespace, "IDPSSODescriptor").find((each) =>
      (attributeOf(each, "protocolSupportEnumeration") ?? protocolNamespace)
        .split(/[ \t\r\n]+/)
        .includes(protocolNamespace),
    );
    if (provider === undefined) return { fault: "must have an IDPSSODescriptor of SAML 2.0" };
    const singleSignOnUrl = childrenOf(provider, metadataNamespace, "SingleSignOnService")
      .filter((each) => attributeOf(each, "Binding")?.trim() === redirectBinding)
      .map((each) => attributeOf(each, "Location") ?? "")
      .find((location) => parseHttpUrl(location) !== undefined);
    if (singleSignOnUrl === undefined)
      return { fault: "must have a SingleSignOnService by HTTP-Redirect, with an http or https URL" };
    const signingKeys = readPublishedKeys(provider)
      .keys.filter(({ use, isFor }) => use !== "encryption" && isFor.verifying)
      .map(({ publicKey }) => publicKey)
      .slice(0, maxSigningKeys);
    if (signingKeys.length === 0) return { fault: "must have a key for signing: RSA, P-256 or P-384" };
    return { singleSignOnUrl, signingKeys };
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return { fault: error.message };
  }
}
