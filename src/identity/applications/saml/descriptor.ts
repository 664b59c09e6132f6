import { parseDateTime } from "../../../kernel/xml/date-time.ts";
import { attributeOf, childrenOf, type XmlElement } from "../../../kernel/xml/document.ts";
import { malformed, MetadataFault, metadataNamespace } from "./metadata-fault.ts";

/**
 * Returns the SPSSODescriptor that is in force. A descriptor whose list of protocols lacks SAML 2.0 does not count:
 * it cannot read our messages (SAML Metadata §2.4.1). A descriptor without a list, which that section requires,
 * counts as SAML 2.0. Raises SAML_METADATA_NO_SP and SAML_METADATA_EXPIRED.
 */
export function findDescriptor(entity: XmlElement, nowMs: number): XmlElement {
  const providers = listDescriptors(entity);
  if (providers.length === 0) {
    throw new MetadataFault(
      "SAML_METADATA_NO_SP",
      `must have an SPSSODescriptor that supports ${protocolNamespace}`,
    );
  }
  const provider = providers.find((each) => !isExpired(each, nowMs));
  if (provider === undefined) throw expired();
  return provider;
}

/** Returns the SPSSODescriptors that support SAML 2.0, in the order of the document. */
export function listDescriptors<E extends XmlElement>(entity: {
  readonly children: readonly E[];
}): readonly E[] {
  return childrenOf(entity, metadataNamespace, "SPSSODescriptor").filter((provider) =>
    (attributeOf(provider, "protocolSupportEnumeration") ?? protocolNamespace)
      .split(/[ \t\r\n]+/)
      .includes(protocolNamespace),
  );
}

/**
 * Returns when the descriptor expires, in milliseconds since 1970; undefined: never. An element is valid no longer than the elements
 * around it: SAML Metadata §2.3.2, §2.4.1.
 */
export function validUntilOf(entity: XmlElement, provider: XmlElement): number | undefined {
  const [left, right] = [readValidUntil(entity), readValidUntil(provider)];
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}

/** Returns the fault of metadata whose time is over. */
export function expired(): MetadataFault {
  return new MetadataFault("SAML_METADATA_EXPIRED", "must not have a validUntil that has passed");
}

/** Says whether the element has a validUntil that has passed. Raises a MetadataFault for one that is no xs:dateTime. */
export function isExpired(element: XmlElement, nowMs: number): boolean {
  const validUntilMs = readValidUntil(element);
  return validUntilMs !== undefined && validUntilMs <= nowMs;
}

const protocolNamespace = "urn:oasis:names:tc:SAML:2.0:protocol";

function readValidUntil(element: XmlElement): number | undefined {
  const text = attributeOf(element, "validUntil");
  if (text === undefined) return undefined;
  const validUntilMs = parseDateTime(text.trim());
  if (validUntilMs === undefined) throw malformed("must not have a validUntil that is not an xs:dateTime");
  return validUntilMs;
}
