import { grantByAuthorizationCode } from "../grants/authorization-code.ts";
import { grantByClientCredentials } from "../grants/client-credentials.ts";
import { grantByDeviceCode } from "../grants/device-code.ts";
import { grantByJwtBearer } from "../grants/jwt-bearer.ts";
import { grantByRefreshToken } from "../grants/refresh-token.ts";
import { grantByTokenExchange } from "../grants/token-exchange.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import type { IssuePorts, TokenAnswer } from "../tokens/issue.ts";

type Grant = (ports: IssuePorts, request: OAuthRequest) => Promise<TokenAnswer>;

/** Every grant by its `grant_type`. */
const grants: ReadonlyMap<string, Grant> = new Map([
  ["authorization_code", grantByAuthorizationCode],
  ["refresh_token", grantByRefreshToken],
  ["client_credentials", grantByClientCredentials],
  ["urn:ietf:params:oauth:grant-type:jwt-bearer", grantByJwtBearer],
  ["urn:ietf:params:oauth:grant-type:device_code", grantByDeviceCode],
  ["urn:ietf:params:oauth:grant-type:token-exchange", grantByTokenExchange],
]);

/** All grants, by the names that requests have for them. */
export const grantTypes: readonly string[] = [...grants.keys()];

/** Answers a request for tokens (RFC 6749 §3.2). Raises invalid_request, unsupported_grant_type, and what the grants raise. */
export async function answerTokenRequest(ports: IssuePorts, request: OAuthRequest): Promise<TokenAnswer> {
  const grant = grants.get(requireParameter(request.form, "grant_type"));
  if (grant === undefined)
    throw new OAuthError("unsupported_grant_type", `grant_type must be one of ${grantTypes.join(", ")}`);
  return await grant(ports, request);
}
