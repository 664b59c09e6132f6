import { authenticateClient, requireServiceUser } from "../clients/authentication.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import type { IssuePorts, TokenAnswer } from "../tokens/issue.ts";
import { issueForCredential } from "../tokens/issue-for-credential.ts";

/** Gives tokens to a service user, which acts for itself (RFC 6749 §4.4): with openid an ID token, too, as jwt-bearer does. */
export async function grantByClientCredentials(
  ports: IssuePorts,
  request: OAuthRequest,
): Promise<TokenAnswer> {
  const by = requireServiceUser(await authenticateClient(ports, request));
  return await issueForCredential(ports, request, { by, grant: "client_credentials" });
}
