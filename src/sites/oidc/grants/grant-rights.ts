import type { OidcGrantType } from "../../../identity/applications/oidc/oidc-application.ts";
import type { Client, OidcClient } from "../clients/client.ts";
import { OAuthError } from "../requests/oauth-error.ts";

/** Returns the client if it is an application that has the grant. Raises unauthorized_client (RFC 6749 §5.2). */
export function requireGrantType(client: Client, grant: OidcGrantType): OidcClient {
  if (client.kind === "oidc" && client.settings.grantTypes.includes(grant)) return client;
  throw new OAuthError("unauthorized_client", "the client does not have this grant");
}
