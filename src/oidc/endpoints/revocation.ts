import type { WriteTransaction } from "../../base/database.ts";
import { formOf, fromClaims, hashAccessToken } from "../../features/access-tokens/access-token.ts";
import { findAccessToken, revokeAccessToken } from "../../features/access-tokens/repository.ts";
import { authenticateClient } from "../clients/authentication.ts";
import { useAssertion } from "../clients/repository.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import type { IssuePorts } from "../tokens/issue.ts";

/**
 * Revokes an access token (RFC 7009 §2). A token that is none, or holds no longer, is revoked already. Raises invalid_client, and
 * unauthorized_client for the token of another client.
 */
export async function revokeToken(ports: IssuePorts, request: OAuthRequest): Promise<void> {
  const { database } = ports.context;
  const { client, use } = await authenticateClient(ports.context, request);
  const text = requireParameter(request.form, "token");
  const claims =
    formOf(text) === "jwt"
      ? await ports.ownTokens.verify(text, { typ: "at+jwt", issuer: request.issuer })
      : undefined;
  const write = async (tx: WriteTransaction): Promise<void> => {
    if (use !== undefined && !(await useAssertion(tx, use)))
      throw new OAuthError("invalid_client", "the assertion was used before");
    const token =
      claims === undefined ? await findAccessToken(tx, hashAccessToken(text)) : fromClaims(claims);
    if (token === undefined) return;
    if (token.clientId !== client.id)
      throw new OAuthError("unauthorized_client", "the token belongs to another client");
    await revokeAccessToken(tx, token);
  };
  await database.write(write, { signal: request.signal });
}
