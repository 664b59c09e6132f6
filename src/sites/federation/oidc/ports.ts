import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { OidcConfig } from "../../../identity/providers/oidc.ts";
import type { FederationPorts } from "../provider/ports.ts";
import type { Discovery } from "./discovery.ts";
import type { KnownStyles } from "./secret-styles.ts";

/** What logins at providers of OpenID Connect work with. */
export interface OidcPorts extends FederationPorts {
  readonly discovery: Discovery;
  readonly knownStyles: KnownStyles;
}

/** A provider of OpenID Connect. */
export type OidcProvider = Omit<IdentityProvider, "config"> & { readonly config: OidcConfig };
