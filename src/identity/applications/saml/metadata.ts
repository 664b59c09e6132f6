import { Problem } from "../../../kernel/base/problem.ts";
import { type AssertionConsumerService, readServices } from "./assertion-consumer-service.ts";
import { malformed, MetadataFault, metadataNamespace } from "./metadata-fault.ts";
import {
  attributeOf,
  isNamed,
  parseXml,
  requireUniqueIds,
  type XmlDocument,
} from "../../../kernel/xml/document.ts";
import { decodeXmlOrUtf16, isUtf16 } from "../../../kernel/xml/encoding.ts";
import { XmlError } from "../../../kernel/xml/scan.ts";
import { expired, findDescriptor, isExpired, validUntilOf } from "./descriptor.ts";

/** The parts of a service provider's metadata that are needed to answer its requests. */
export interface SamlMetadata {
  /** 1 to 1024 characters. */
  readonly entityId: string;
  /** The document. */
  readonly xml: string;
  /** At least one, in the order of the document. No two have the same index, and exactly one is the default. */
  readonly assertionConsumerServices: readonly AssertionConsumerService[];
  /** When the document expires, in milliseconds since 1970; undefined when it does not say. */
  readonly validUntilMs: number | undefined;
}

/** What the check of metadata depends on besides the document. */
export interface SamlMetadataOptions {
  /** Milliseconds since 1970, for validUntil. */
  readonly nowMs: number;
  /** Allows http locations on loopback. */
  readonly dev: boolean;
  /** The field of the request that the document came from, for the violation: `metadata_xml` or `metadata_url`. */
  readonly field: string;
}

/**
 * Reads the metadata of a SAML 2.0 service provider. Raises SAML_METADATA_TOO_LARGE, _ENCODING, _DOCTYPE or
 * _MALFORMED, _ROOT, _ENTITY_ID, _NO_SP, _EXPIRED, _NO_ACS, _ACS_LOCATION, checked in this order. Takes a few
 * milliseconds for the worst document. Does not verify signatures in it: the caller who registers an application
 * vouches for its metadata.
 */
export function parseSamlMetadata(bytes: Uint8Array, options: SamlMetadataOptions): SamlMetadata {
  try {
    return readMetadata(bytes, options);
  } catch (error) {
    if (!(error instanceof MetadataFault)) throw error;
    const description = `the document ${error.message}`;
    throw new Problem({
      kind: "invalid",
      reason: error.reason,
      message: `${options.field}: ${description}`,
      violations: [{ field: options.field, description }],
      cause: error.cause,
    });
  }
}

/**
 * Returns `validUntilMs` of a document that was stored before that date was stored with it. If there are several
 * SPSSODescriptors the first counts, as it did then. Also undefined for a document that would be refused now.
 */
export function findValidUntil(xml: string): number | undefined {
  if (!xml.includes("validUntil")) return undefined;
  try {
    const longAgo = { nowMs: Number.NEGATIVE_INFINITY, dev: true, field: "metadata_xml" };
    return readMetadata(new Uint8Array(Buffer.from(xml)), longAgo).validUntilMs;
  } catch (error) {
    if (error instanceof MetadataFault) return undefined;
    throw error;
  }
}

const maxBytes = 500_000;
const maxEntityIdLength = 1024;

function readMetadata(bytes: Uint8Array, { nowMs, dev }: SamlMetadataOptions): SamlMetadata {
  const xml = decode(bytes);
  const { root: entity } = readXml(() => parseWithUniqueIds(xml));
  if (!isNamed(entity, metadataNamespace, "EntityDescriptor")) throw wrongRoot();
  const entityId = attributeOf(entity, "entityID") ?? "";
  if (!isEntityId(entityId)) {
    const rule = `must have an entityID of 1 to ${maxEntityIdLength} characters, none of them a control character`;
    throw new MetadataFault("SAML_METADATA_ENTITY_ID", rule);
  }
  if (isExpired(entity, nowMs)) throw expired();
  const provider = findDescriptor(entity, nowMs);
  return {
    entityId,
    xml,
    assertionConsumerServices: readServices(provider, dev),
    validUntilMs: validUntilOf(entity, provider),
  };
}

function decode(bytes: Uint8Array): string {
  if (bytes.length > maxBytes) {
    throw new MetadataFault("SAML_METADATA_TOO_LARGE", `must not have more than ${maxBytes} bytes`);
  }
  const xml = readXml(() => decodeXmlOrUtf16(bytes));
  if (isUtf16(bytes) && Buffer.byteLength(xml) > maxBytes)
    throw new MetadataFault("SAML_METADATA_TOO_LARGE", `must not have more than ${maxBytes} bytes in UTF-8`);
  return xml;
}

/** Translates what the reader of XML raises. */
function readXml<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    switch (error.fault) {
      case "two-roots":
        throw wrongRoot();
      case "declaration":
        throw new MetadataFault("SAML_METADATA_DOCTYPE", "must not have a DOCTYPE or an entity declaration");
      case "encoding":
        throw new MetadataFault("SAML_METADATA_ENCODING", error.message, error.cause);
      case "malformed":
        throw malformed(error.message);
    }
  }
}

function parseWithUniqueIds(xml: string): XmlDocument {
  const document = parseXml(xml);
  requireUniqueIds(document);
  return document;
}

function wrongRoot(): MetadataFault {
  const rule = `must have one root, an EntityDescriptor in the namespace ${metadataNamespace}`;
  return new MetadataFault("SAML_METADATA_ROOT", rule);
}

function isEntityId(text: string): boolean {
  const { length } = Array.from(text);
  return length <= maxEntityIdLength && text.trim() !== "" && !/\p{Cc}/u.test(text);
}
