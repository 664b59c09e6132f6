import { Problem } from "../../../base/problem.ts";
import { type AssertionConsumerService, readServices } from "./assertion-consumer-service.ts";
import { malformed, MetadataFault, metadataNamespace } from "./metadata-fault.ts";
import {
  attributeOf,
  childrenOf,
  isNamed,
  parseXml,
  type XmlDocument,
  type XmlElement,
} from "./xml-document.ts";
import { XmlError } from "./xml-scan.ts";

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

/** What the judgement of metadata depends on besides the document. */
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
const protocolNamespace = "urn:oasis:names:tc:SAML:2.0:protocol";

function readMetadata(bytes: Uint8Array, { nowMs, dev }: SamlMetadataOptions): SamlMetadata {
  const xml = decode(bytes);
  const document = parse(xml);
  requireUniqueIds(document);
  const entity = document.root;
  if (!isNamed(entity, metadataNamespace, "EntityDescriptor")) throw wrongRoot();
  const entityId = attributeOf(entity, "entityID") ?? "";
  if (!isEntityId(entityId)) {
    const rule = `must have an entityID of 1 to ${maxEntityIdLength} characters, none of them a control character`;
    throw new MetadataFault("SAML_METADATA_ENTITY_ID", rule);
  }
  if (isExpired(entity, nowMs)) throw expired();
  const provider = findServiceProvider(entity, nowMs);
  return {
    entityId,
    xml,
    assertionConsumerServices: readServices(provider, dev),
    validUntilMs: earliest(readValidUntil(entity), readValidUntil(provider)),
  };
}

function decode(bytes: Uint8Array): string {
  if (bytes.length > maxBytes) {
    throw new MetadataFault("SAML_METADATA_TOO_LARGE", `must not have more than ${maxBytes} bytes`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notUtf8(cause);
  }
  // UTF-16 and UTF-32 without byte order mark are valid UTF-8 as long as the text is ASCII: XML 1.0 appendix F.
  if (text.slice(0, 4).includes("\0") || !/^utf-8$/i.test(declaredEncoding(text))) throw notUtf8();
  return text;
}

function declaredEncoding(text: string): string {
  const declaration = /^<\?xml\s[^>]*>/.exec(text)?.[0] ?? "";
  return /\sencoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1] ?? "UTF-8";
}

function notUtf8(cause?: unknown): MetadataFault {
  return new MetadataFault("SAML_METADATA_ENCODING", "must be encoded in UTF-8", cause);
}

function parse(xml: string): XmlDocument {
  try {
    return parseXml(xml);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    switch (error.fault) {
      case "two-roots":
        throw wrongRoot();
      case "declaration":
        throw new MetadataFault("SAML_METADATA_DOCTYPE", "must not have a DOCTYPE or an entity declaration");
      case "malformed":
        throw malformed(error.message);
    }
  }
}

function wrongRoot(): MetadataFault {
  const rule = `must have one root, an EntityDescriptor in the namespace ${metadataNamespace}`;
  return new MetadataFault("SAML_METADATA_ROOT", rule);
}

/**
 * A signature must refer to exactly one element: XML 1.0 §3.3.1, the attributes of type ID in SAML, XML Signature,
 * XML.
 */
function requireUniqueIds({ elements }: XmlDocument): void {
  const ids = new Set<string>();
  for (const { attributes } of elements) {
    for (const [name, value] of attributes) {
      if (name !== "ID" && name !== "Id" && name !== "xml:id") continue;
      if (ids.has(value)) throw malformed("must not have the same ID twice");
      ids.add(value);
    }
  }
}

function isEntityId(text: string): boolean {
  const { length } = Array.from(text);
  return length <= maxEntityIdLength && text.trim() !== "" && !/\p{Cc}/u.test(text);
}

/**
 * Returns the SPSSODescriptor that is in force. A descriptor whose list of protocols lacks SAML 2.0 does not count:
 * it cannot read our messages (SAML Metadata §2.4.1). A descriptor without a list, which that section requires,
 * counts as SAML 2.0.
 */
function findServiceProvider(entity: XmlElement, nowMs: number): XmlElement {
  const providers = childrenOf(entity, metadataNamespace, "SPSSODescriptor").filter((provider) =>
    (attributeOf(provider, "protocolSupportEnumeration") ?? protocolNamespace)
      .split(/[ \t\r\n]+/)
      .includes(protocolNamespace),
  );
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

function expired(): MetadataFault {
  return new MetadataFault("SAML_METADATA_EXPIRED", "must not have a validUntil that has passed");
}

function isExpired(element: XmlElement, nowMs: number): boolean {
  const validUntilMs = readValidUntil(element);
  return validUntilMs !== undefined && validUntilMs <= nowMs;
}

/** An element is valid no longer than the elements around it: SAML Metadata §2.3.2, §2.4.1. */
function earliest(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.min(left, right);
}

function readValidUntil(element: XmlElement): number | undefined {
  const text = attributeOf(element, "validUntil");
  if (text === undefined) return undefined;
  const validUntilMs = parseDateTime(text.trim());
  if (validUntilMs === undefined) throw malformed("must not have a validUntil that is not an xs:dateTime");
  return validUntilMs;
}

/** Returns milliseconds since 1970. A time without a zone is UTC: SAML Core §1.3.3. */
function parseDateTime(text: string): number | undefined {
  const [, date = "", time = "", fraction = "", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/.exec(text) ?? [];
  const midnight = new Date(`${date}T00:00:00Z`);
  const parsedMs = Date.parse(`${date}T${time}${fraction.slice(0, ".123".length)}${zone}`);
  if (Number.isNaN(parsedMs) || Number.isNaN(midnight.getTime())) return undefined;
  // Date.parse accepts days that a month does not have: it turns 2026-02-30 into 2026-03-02.
  return midnight.toISOString().startsWith(date) ? parsedMs : undefined;
}
