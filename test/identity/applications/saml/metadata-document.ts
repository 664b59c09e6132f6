export const metadataNamespace = "urn:oasis:names:tc:SAML:2.0:metadata";
export const protocol = "urn:oasis:names:tc:SAML:2.0:protocol";
export const post = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

/** Returns the metadata of a service provider; every part can be replaced. */
export function metadata(parts: {
  /** Before the root. */
  readonly prolog?: string;
  readonly entityId?: string;
  /** Further attributes of the root. */
  readonly entity?: string;
  /** Before the SPSSODescriptor. */
  readonly before?: string;
  /** Attributes of the SPSSODescriptor. */
  readonly provider?: string;
  /** The content of the SPSSODescriptor. */
  readonly services?: string;
  /** Behind the root. */
  readonly epilog?: string;
}): string {
  const {
    prolog = "",
    entityId = "https://sp.example.com/metadata",
    entity = "",
    before = "",
    provider = `protocolSupportEnumeration="${protocol}"`,
    services = service(),
    epilog = "",
  } = parts;
  return (
    `${prolog}<md:EntityDescriptor xmlns:md="${metadataNamespace}" entityID="${entityId}" ${entity}>${before}` +
    `<md:SPSSODescriptor ${provider}>${services}</md:SPSSODescriptor></md:EntityDescriptor>${epilog}`
  );
}

/** Returns an AssertionConsumerService. */
export function service(location = "https://sp.example.com/acs", rest = 'index="0"'): string {
  return `<md:AssertionConsumerService Binding="${post}" Location="${location}" ${rest}/>`;
}
