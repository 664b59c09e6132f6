import type { KeyObject } from "node:crypto";
import { hasLoopbackHost, parseHttpUrl } from "../../../kernel/base/url.ts";
import { attributeOf, childrenOf } from "../../../kernel/xml/document.ts";
import { XmlError } from "../../../kernel/xml/scan.ts";
import { parseTextXml, type TextElement } from "../../../kernel/xml/text-document.ts";
import { type AssertionConsumerService, readServices } from "./assertion-consumer-service.ts";
import { isExpired, listDescriptors, validUntilOf } from "./descriptor.ts";
import { type PublishedKey, type PublishedKeys, readPublishedKeys } from "./key-descriptor.ts";
import { MetadataFault, metadataNamespace } from "./metadata-fault.ts";

/** Where a service provider takes part in logouts (SAML Metadata §2.4.2). */
export interface LogoutService {
  readonly binding: "redirect" | "post";
  readonly location: string;
  /** Where responses go: `location`, unless the metadata says otherwise (SAML Metadata §2.2.2). */
  readonly responseLocation: string;
}

/** What a service provider wants to know of users (SAML Metadata §2.4.4.1). */
export interface AttributeService {
  readonly index: number;
  /** Whether it counts for requests that name none. */
  readonly isDefault: boolean;
  /** In the order of the document. */
  readonly requested: readonly { readonly name: string; readonly nameFormat: string | undefined }[];
}

/** How assertions for a service provider are encrypted. */
export interface EncryptionKey {
  /** RSA, 2048 to 8192 bits. */
  readonly publicKey: KeyObject;
  /** The content ciphers that its EncryptionMethods name, as URIs: empty, or at least one of `contentCiphers`. */
  readonly ciphers: readonly string[];
}

/** The content ciphers that we encrypt with, the best one first (XML Encryption 1.1 §5.2). */
export const contentCiphers: readonly string[] = [
  "http://www.w3.org/2009/xmlenc11#aes256-gcm",
  "http://www.w3.org/2009/xmlenc11#aes128-gcm",
  "http://www.w3.org/2001/04/xmlenc#aes256-cbc",
  "http://www.w3.org/2001/04/xmlenc#aes128-cbc",
];

/** A key that the metadata publishes, for people to look at. */
export type ServiceProviderCertificate = Pick<
  PublishedKey,
  "use" | "fingerprintSha256" | "notAfterMs" | "keyType"
>;

/** What we need of the metadata of a service provider, to answer its messages and to send it ours. */
export interface ServiceProvider {
  readonly entityId: string;
  /** AuthnRequestsSigned: unsigned requests in its name are not from it (SAML Metadata §2.4.4). */
  readonly signsRequests: boolean;
  /** As in `SamlMetadata`. */
  readonly assertionConsumerServices: readonly AssertionConsumerService[];
  /** In the order of the document. Those that are not https URLs are left out. */
  readonly logoutServices: readonly LogoutService[];
  /** URIs, in the order of the document. */
  readonly nameIdFormats: readonly string[];
  /** At most 10: RSA, P-256 or P-384. Dates and issuers of certificates do not count. */
  readonly signingKeys: readonly KeyObject[];
  /** Undefined: it has no key that can be used. */
  readonly encryption: EncryptionKey | undefined;
  readonly attributeServices: readonly AttributeService[];
  readonly certificates: readonly ServiceProviderCertificate[];
  /** The parts of the document that will not work, in words. `findSamlProblems` adds what depends on settings and time. */
  readonly problems: readonly string[];
}

/** What the reading depends on besides the document. */
export interface ServiceProviderOptions {
  /** Allows http locations on loopback. */
  readonly dev: boolean;
  /** Milliseconds since 1970: of several SPSSODescriptors, the first one counts that is valid then, else the first of all. */
  readonly nowMs: number;
  /** The date of the metadata in force, as it is stored: the SPSSODescriptor with that date counts before any other. */
  readonly validUntilMs?: number | undefined;
}

/**
 * Reads the metadata of a service provider that `parseSamlMetadata` has accepted before, if need be long ago: dates do not count.
 * What cannot be used in it is left out, and of a document that cannot be read everything. Keys are bare keys (SAML V2.0 Metadata
 * Interoperability Profile §2.5).
 */
export function readServiceProvider(xml: string, options: ServiceProviderOptions): ServiceProvider {
  try {
    // As it was sent, perhaps with a byte order mark. The limits are those of parseSamlMetadata.
    const { root } = parseTextXml(xml.replace(/^\uFEFF/, ""), {});
    return readEntity(root, options);
  } catch (error) {
    if (!(error instanceof XmlError) && !(error instanceof MetadataFault)) throw error;
    return unreadable;
  }
}

const unreadable: ServiceProvider = {
  entityId: "",
  signsRequests: true,
  assertionConsumerServices: [],
  logoutServices: [],
  nameIdFormats: [],
  signingKeys: [],
  encryption: undefined,
  attributeServices: [],
  certificates: [],
  problems: ["the metadata breaks a rule that is newer than it: send a new document"],
};

function readEntity(entity: TextElement, options: ServiceProviderOptions): ServiceProvider {
  const provider = chooseDescriptor(entity, options);
  const published = readPublishedKeys(provider);
  const logout = readLogoutServices(provider, options);
  const encryption = chooseEncryption(published);
  return {
    entityId: attributeOf(entity, "entityID") ?? "",
    // Any value but those of false: a service provider that meant to say so must not be impersonated for a misspelling.
    signsRequests: !["", "false", "0"].includes(attributeOf(provider, "AuthnRequestsSigned")?.trim() ?? ""),
    // Checked when the document was taken, but perhaps by a service with --dev.
    assertionConsumerServices: readServices(provider, true).filter((each) =>
      isUsable(each.location, options),
    ),
    logoutServices: logout.services,
    nameIdFormats: childrenOf(provider, metadataNamespace, "NameIDFormat").flatMap(
      ({ text }) => text?.trim() || [],
    ),
    signingKeys: signingKeysOf(published).slice(0, maxSigningKeys),
    encryption,
    attributeServices: readAttributeServices(provider),
    certificates: published.keys.map(({ use, fingerprintSha256, notAfterMs, keyType }) => ({
      use,
      fingerprintSha256,
      notAfterMs,
      keyType,
    })),
    problems: [...findKeyProblems(published, encryption), ...logout.problems],
  };
}

function chooseDescriptor(entity: TextElement, { nowMs, validUntilMs }: ServiceProviderOptions): TextElement {
  const all = listDescriptors(entity);
  const chosen =
    (validUntilMs !== undefined && all.find((each) => validUntilOf(entity, each) === validUntilMs)) ||
    all.find((each) => !isExpired(each, nowMs)) ||
    all[0];
  if (chosen === undefined) throw new MetadataFault("SAML_METADATA_NO_SP", "must have an SPSSODescriptor");
  return chosen;
}

const maxSigningKeys = 10;

function signingKeysOf({ keys }: PublishedKeys): readonly KeyObject[] {
  return keys
    .filter(({ use, isFor }) => use !== "encryption" && isFor.verifying)
    .map(({ publicKey }) => publicKey);
}

/** The first key counts whose ciphers, if it names any, we have: XML Encryption 1.1 §3.2, SAML Metadata §2.4.1.1. */
function chooseEncryption({ keys }: PublishedKeys): EncryptionKey | undefined {
  const chosen = keys.find(
    ({ use, isFor, ciphers }) =>
      use !== "signing" &&
      isFor.encrypting &&
      (ciphers.length === 0 || ciphers.some((uri) => contentCiphers.includes(uri))),
  );
  return chosen && { publicKey: chosen.publicKey, ciphers: chosen.ciphers };
}

function findKeyProblems(published: PublishedKeys, encryption: EncryptionKey | undefined): readonly string[] {
  const { keys, unread } = published;
  const short = keys.filter(({ isShort }) => isShort).length;
  const useless = keys.filter(({ isFor, isShort }) => !isFor.verifying && !isShort).length;
  const spare = signingKeysOf(published).length - maxSigningKeys;
  const offersOwn = keys.some(({ use }) => use === "encryption");
  return [
    ...(short > 0 ? [`RSA keys with less than 2048 bits are not safe: the metadata has ${short}`] : []),
    ...(useless > 0 ? [`the metadata has keys that cannot be used, by their kind or size: ${useless}`] : []),
    ...(unread > 0 ? [`the metadata has KeyDescriptors that cannot be read or are too many: ${unread}`] : []),
    ...(spare > 0
      ? [`only ${maxSigningKeys} keys for signing are used: the metadata has ${spare} more`]
      : []),
    ...(offersOwn && encryption === undefined
      ? ["the key for encryption in the metadata, or each cipher that it names, cannot be used"]
      : []),
  ];
}

const logoutBindings = new Map<string, LogoutService["binding"]>([
  ["urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", "redirect"],
  ["urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", "post"],
]);

function readLogoutServices(
  provider: TextElement,
  options: ServiceProviderOptions,
): { readonly services: readonly LogoutService[]; readonly problems: readonly string[] } {
  const all = childrenOf(provider, metadataNamespace, "SingleLogoutService").flatMap((element) => {
    const binding = logoutBindings.get(attributeOf(element, "Binding")?.trim() ?? "");
    const location = attributeOf(element, "Location") ?? "";
    const responseLocation = attributeOf(element, "ResponseLocation") ?? location;
    return binding === undefined ? [] : [{ binding, location, responseLocation }];
  });
  const services = all.filter((service) =>
    [service.location, service.responseLocation].every((location) => isUsable(location, options)),
  );
  const problem = "a SingleLogoutService of the metadata is left out: its locations must be https URLs";
  return { services, problems: services.length < all.length ? [problem] : [] };
}

/** We send browsers there, with messages about the user. */
function isUsable(location: string, { dev }: ServiceProviderOptions): boolean {
  const url = parseHttpUrl(location);
  return url?.protocol === "https:" || (dev && url !== undefined && hasLoopbackHost(url));
}

function readAttributeServices(provider: TextElement): readonly AttributeService[] {
  const elements = childrenOf(provider, metadataNamespace, "AttributeConsumingService");
  const said = elements.map((element) => attributeOf(element, "isDefault")?.trim());
  const isTrue = (text: string | undefined) => text === "true" || text === "1";
  // SAML Metadata §2.2.3: the first one marked true, else the first one not marked, else the first.
  const defaultAt = [said.findIndex(isTrue), said.indexOf(undefined), 0].find((at) => at >= 0);
  return elements.map((element, at) => {
    const index = attributeOf(element, "index")?.trim() ?? "";
    return {
      index: /^\d{1,5}$/.test(index) ? Number(index) : noIndex,
      isDefault: at === defaultAt,
      requested: childrenOf(element, metadataNamespace, "RequestedAttribute").flatMap((attribute) => {
        const name = attributeOf(attribute, "Name") ?? "";
        return name === "" ? [] : [{ name, nameFormat: attributeOf(attribute, "NameFormat") }];
      }),
    };
  });
}

/** No request can name it. */
const noIndex = -1;
