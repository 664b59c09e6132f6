import { uniqueName } from "../../support/world.ts";

/** The namespace of SAML 2.0 metadata. */
export const metadataNamespace = "urn:oasis:names:tc:SAML:2.0:metadata";
/** Bindings of an AssertionConsumerService. */
export const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
export const artifact = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact";

/** The settings of an application that nobody has changed, as answers show them. */
export const initialSettings = {
  requireSignedRequests: false,
  encryption: "SAML_ENCRYPTION_UNSPECIFIED",
  nameIdFormat: "SAML_NAME_ID_FORMAT_UNSPECIFIED",
  allowIdpInitiated: false,
  defaultRelayState: "",
  logoutDisabled: false,
  attributes: [],
  onlyRequestedAttributes: false,
};

/** Returns the text in UTF-8. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns an entity id that no other call returned. */
export function newEntityId(): string {
  return `https://sp.example.com/${encodeURIComponent(uniqueName("entity"))}`;
}

/** What is to be different in a document; by default it is good. */
export interface Parts {
  readonly entityId?: string;
  readonly attributes?: string;
  readonly services?: string;
  readonly before?: string;
  readonly after?: string;
}

/** The AssertionConsumerService of a document that names no other. */
export const oneService = `<m:AssertionConsumerService Binding="${post}" Location="https://sp.example.com/acs" index="0"/>`;

/** Returns the metadata of a service provider. */
export function metadata(parts: Parts = {}): string {
  const { entityId = newEntityId(), attributes = "", services = oneService, before = "", after = "" } = parts;
  return `<?xml version="1.0" encoding="UTF-8"?>${before}
<m:EntityDescriptor xmlns:m="${metadataNamespace}" entityID="${entityId}"${attributes}>
  <m:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${services}</m:SPSSODescriptor>
</m:EntityDescriptor>${after}`;
}

const sp = (location: string) =>
  `<m:AssertionConsumerService Binding="${post}" Location="${location}" index="0"/>`;

/** Documents that are refused: what is wrong, the reason, the document. */
export const badDocuments: readonly (readonly [string, string, string | Uint8Array])[] = [
  ["not XML", "SAML_METADATA_MALFORMED", "hello"],
  ["XML that ends too soon", "SAML_METADATA_MALFORMED", metadata().slice(0, -5)],
  ["an entity that nobody declares", "SAML_METADATA_MALFORMED", metadata({ entityId: "&unknown;" })],
  ["a DOCTYPE", "SAML_METADATA_DOCTYPE", metadata({ before: '<!DOCTYPE a SYSTEM "file:///etc/passwd">' })],
  [
    "an entity bomb",
    "SAML_METADATA_DOCTYPE",
    metadata({ before: '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]>', entityId: "&c;" }),
  ],
  ["UTF-16 that declares UTF-8", "SAML_METADATA_ENCODING", Buffer.from(`\uFEFF${metadata()}`, "utf16le")],
  ["Latin-1", "SAML_METADATA_ENCODING", metadata().replace("UTF-8", "ISO-8859-1")],
  [
    "bytes that are no UTF-8",
    "SAML_METADATA_ENCODING",
    Buffer.from(metadata({ entityId: "\xff" }), "latin1"),
  ],
  ["another root", "SAML_METADATA_ROOT", metadata().replaceAll("EntityDescriptor", "EntitiesDescriptor")],
  ["another namespace", "SAML_METADATA_ROOT", metadata().replace(metadataNamespace, "urn:other")],
  ["two roots", "SAML_METADATA_ROOT", metadata({ after: "<x/>" })],
  ["no entity id", "SAML_METADATA_ENTITY_ID", metadata({ entityId: "" })],
  ["too long an entity id", "SAML_METADATA_ENTITY_ID", metadata({ entityId: "\u{1F600}".repeat(1025) })],
  [
    "no service provider",
    "SAML_METADATA_NO_SP",
    metadata().replaceAll("SPSSODescriptor", "IDPSSODescriptor"),
  ],
  ["nowhere to send assertions", "SAML_METADATA_NO_ACS", metadata({ services: "" })],
  ["assertions to a script", "SAML_METADATA_ACS_LOCATION", metadata({ services: sp("javascript:alert(1)") })],
  [
    "assertions in clear text",
    "SAML_METADATA_ACS_LOCATION",
    metadata({ services: sp("http://sp.example.com/") }),
  ],
  [
    "a bad place among good ones",
    "SAML_METADATA_ACS_LOCATION",
    metadata({ services: oneService + sp("data:,x").replace('"0"', '"1"') }),
  ],
  [
    "a validity that is over",
    "SAML_METADATA_EXPIRED",
    metadata({ attributes: ' validUntil="2020-01-01T00:00:00Z"' }),
  ],
];
