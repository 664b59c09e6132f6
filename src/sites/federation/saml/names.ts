import { federationPaths } from "../provider/paths.ts";

/** The namespace of the messages: SAML Core §1.2. */
export const protocolNamespace = "urn:oasis:names:tc:SAML:2.0:protocol";
/** The namespace of assertions: SAML Core §1.2. */
export const assertionNamespace = "urn:oasis:names:tc:SAML:2.0:assertion";
/** SAML Bindings §3.5. */
export const postBinding = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";
/** SAML Core §8.3.7. */
export const persistentFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";

/** What we are to providers of SAML. */
export interface OwnSide {
  /** The URL of our metadata, as SAML Metadata §4.1.1 advises. */
  readonly entityId: string;
  /** Where answers come to. */
  readonly acsUrl: string;
}

/** Returns our names and addresses for providers of SAML, by our issuer. */
export function toOwnSide(issuer: string): OwnSide {
  return {
    entityId: `${issuer}${federationPaths.samlMetadata}`,
    acsUrl: `${issuer}${federationPaths.samlAcs}`,
  };
}
