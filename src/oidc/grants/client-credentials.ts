import { authenticateClient } from "../clients/authentication.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import { issueTokens, type IssuePorts, type TokenAnswer } from "../tokens/issue.ts";

/** Gives an access token to a client that acts for itself (RFC 6749 §4.4). */
export async function grantByClientCredentials(
  ports: IssuePorts,
  request: OAuthRequest,
): Promise<TokenAnswer> {
  const by = await authenticateClient(ports.context, request);
  return await issueTokens(ports, request, { by, grant: "client_credentials", mayHaveIdToken: false });
}
