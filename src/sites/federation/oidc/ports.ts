import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { IdentityProviderConfig } from "../../../identity/providers/kinds.ts";
import type { FederationPorts } from "../provider/ports.ts";
import type { Discovery } from "./discovery.ts";
import type { KnownStyles } from "./secret-styles.ts";

/** What logins at providers work with that give codes: of OpenID Connect and OAuth 2.0. */
export interface OidcPorts extends FederationPorts {
  readonly discovery: Discovery;
  readonly knownStyles: KnownStyles;
}

/** The configuration of a provider to which browsers are sent for a code. */
export type CodeConfig = Extract<IdentityProviderConfig, { readonly kind: "oidc" | "template" }>;

/** A provider to which browsers are sent for a code. */
export type CodeProvider = Omit<IdentityProvider, "config"> & { readonly config: CodeConfig };
