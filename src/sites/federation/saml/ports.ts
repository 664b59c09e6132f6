import type { SamlKeys } from "../../../identity/signing-keys/saml-keys.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { SamlProviderStored } from "../../../identity/providers/saml.ts";
import type { FederationPorts } from "../provider/ports.ts";
import type { UpstreamSource } from "./upstream-source.ts";

/** What logins at providers of SAML work with. */
export interface UpstreamPorts extends FederationPorts {
  readonly upstreams: UpstreamSource;
  /** What requests are signed with, and assertions decrypted. */
  readonly samlKeys: Pick<SamlKeys, "getSigner" | "listPublished" | "openPrivateKeys">;
}

/** A provider of SAML. */
export type SamlIdentityProvider = Omit<IdentityProvider, "config"> & { readonly config: SamlProviderStored };

/** What the answer of a provider of SAML is checked with. It can be written as JSON. */
export interface SamlVisitSecrets {
  /** The RelayState, as the provider sends it back. */
  readonly state: string;
  /** The ID of the AuthnRequest. */
  readonly requestId: string;
  /** As it was when the browser was sent: an answer after a change is of another provider. */
  readonly issuer: string;
}
