import { hasLoopbackHost, parseHttpUrl } from "../../../kernel/base/url.ts";
import { malformed, MetadataFault, metadataNamespace } from "./metadata-fault.ts";
import { attributeOf, childrenOf, type XmlElement } from "../../../kernel/xml/document.ts";

/** An endpoint that assertions are sent to. */
export interface AssertionConsumerService {
  readonly binding: string;
  /** An https URL, or with `dev` an http URL on loopback. */
  readonly location: string;
  /** 0 to 65535. */
  readonly index: number;
  /** Whether the endpoint is used when a request names none. */
  readonly isDefault: boolean;
}

/**
 * Returns the AssertionConsumerServices of an SPSSODescriptor, at least one, in the order of the document. No two have the
 * same index, and exactly one is the default. Raises a MetadataFault when one of them cannot be used.
 */
export function readServices(provider: XmlElement, dev: boolean): readonly AssertionConsumerService[] {
  const elements = childrenOf(provider, metadataNamespace, "AssertionConsumerService");
  if (elements.length === 0) {
    throw new MetadataFault(
      "SAML_METADATA_NO_ACS",
      "must have an AssertionConsumerService in its SPSSODescriptor",
    );
  }
  if (elements.length > maxServices)
    throw malformed(`must not have more than ${maxServices} AssertionConsumerServices`);
  const indexes = readIndexes(elements);
  const defaultAt = findDefault(elements);
  return elements.map((element, at) => ({
    binding: readBinding(element),
    location: readLocation(element, dev),
    index: indexes[at] ?? 0,
    isDefault: at === defaultAt,
  }));
}

const maxServices = 2000;
const maxIndex = 65_535;

function readBinding(element: XmlElement): string {
  const binding = attributeOf(element, "Binding")?.trim() ?? "";
  if (binding === "") throw malformed("must have a Binding in every AssertionConsumerService");
  return binding;
}

/** All of them must be usable, since a request may choose any: an assertion must not go to a `javascript:` URL. */
function readLocation(element: XmlElement, dev: boolean): string {
  const location = attributeOf(element, "Location") ?? "";
  const url = parseHttpUrl(location);
  if (url?.protocol === "https:" || (dev && url !== undefined && hasLoopbackHost(url))) return location;
  throw new MetadataFault(
    "SAML_METADATA_ACS_LOCATION",
    "must have an absolute https URL, without user info or fragment, as Location of every AssertionConsumerService",
  );
}

/**
 * Returns the index of each element. SAML Metadata §2.2.3 requires an index that is unique in its role. A duplicate
 * is refused, because it would be unclear where an assertion goes. A missing index, to which no request can refer,
 * becomes the smallest free one.
 */
function readIndexes(elements: readonly XmlElement[]): readonly number[] {
  const given = elements.map((element) => attributeOf(element, "index")?.trim());
  const taken = new Set<number>();
  for (const text of given.filter((each) => each !== undefined)) {
    const index = /^\d{1,9}$/.test(text) ? Number(text) : maxIndex + 1;
    if (index > maxIndex) throw malformed(`must have a number from 0 to ${maxIndex} as index`);
    if (taken.has(index)) throw malformed("must not have an index of AssertionConsumerService twice");
    taken.add(index);
  }
  let free = 0;
  return given.map((text) => {
    if (text !== undefined) return Number(text);
    while (taken.has(free)) free++;
    return free++;
  });
}

/** SAML Metadata §2.2.3: the first one marked true, else the first one not marked false, else the first. */
function findDefault(elements: readonly XmlElement[]): number {
  const said = elements.map((element) => readBoolean(attributeOf(element, "isDefault")?.trim()));
  return [said.indexOf(true), said.indexOf(undefined), 0].find((at) => at >= 0) ?? 0;
}

function readBoolean(text: string | undefined): boolean | undefined {
  switch (text) {
    case undefined:
      return undefined;
    case "true":
    case "1":
      return true;
    case "false":
    case "0":
      return false;
    default:
      throw malformed("must have true or false as isDefault");
  }
}
