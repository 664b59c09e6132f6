import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { revokeAuthorization } from "../../../identity/logins/authorizations/authorization.ts";
import { findAuthorization } from "../../../identity/logins/authorizations/repository.ts";
import { findAccessToken, revokeAccessToken } from "../../../identity/logins/access-tokens/repository.ts";
import { authenticateClient } from "../clients/authentication.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import { findRefreshToken } from "../codes/repository.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { type OAuthRequest, originOfRequest } from "../requests/oauth-request.ts";
import type { IssuePorts } from "../tokens/issue.ts";
import { type PresentedToken, readPresentedToken } from "../tokens/presented-token.ts";

/**
 * Revokes a token (RFC 7009 §2). A refresh token is revoked with everything that came from the same code. A text that is no token,
 * and a token that is no longer valid, count as revoked already. Raises invalid_client, and unauthorized_client for the token of
 * another client.
 */
export async function revokeToken(ports: IssuePorts, request: OAuthRequest): Promise<void> {
  const { client, use } = await authenticateClient(ports, request);
  const text = requireParameter(request.form, "token");
  const presented = await readPresentedToken(ports, { text, issuer: request.issuer });
  const asked = { request, clientId: client.id };
  await writeWithUse(ports.context.database, { uses: toUses(use), request }, async (tx) => {
    if (presented.kind === "refresh") await revokeFamily(ports, tx, { ...asked, hash: presented.hash });
    else await revokeAccess(tx, { ...asked, presented });
    return {};
  });
}

async function revokeAccess(
  tx: WriteTransaction,
  { clientId, presented }: { readonly clientId: string; readonly presented: PresentedToken },
): Promise<void> {
  const token = presented.kind === "jwt" ? presented.token : await findOpaque(tx, presented);
  if (token === undefined) return;
  requireOwn(token.clientId, clientId);
  await revokeAccessToken(tx, token);
}

async function findOpaque(tx: WriteTransaction, presented: PresentedToken) {
  return presented.kind === "opaque" ? await findAccessToken(tx, presented.hash) : undefined;
}

async function revokeFamily(
  { context }: IssuePorts,
  tx: WriteTransaction,
  asked: { readonly request: OAuthRequest; readonly clientId: string; readonly hash: string },
): Promise<void> {
  const stored = await findRefreshToken(tx, asked.hash);
  const authorization = stored && (await findAuthorization(tx, stored.authorizationId));
  if (authorization === undefined) return;
  requireOwn(authorization.applicationId, asked.clientId);
  if (authorization.isEnded) return;
  const origin = originOfRequest(asked.request, authorization.userId);
  await context.log.append(tx, origin, [revokeAuthorization(authorization, "revoked")]);
}

function requireOwn(ownerId: string, clientId: string): void {
  if (ownerId !== clientId)
    throw new OAuthError("unauthorized_client", "the token belongs to another client");
}
