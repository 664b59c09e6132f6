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
