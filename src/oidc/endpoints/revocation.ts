import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import {
  type AccessToken,
  formOf,
  hashAccessToken,
  parseJwtId,
} from "../../features/access-tokens/access-token.ts";
import { findAccessToken, revokeAccessToken } from "../../features/access-tokens/repository.ts";
import type { Claims } from "../../features/signing-keys/jwt.ts";
import { authenticateClient } from "../clients/authentication.ts";
import { useAssertion } from "../clients/repository.ts";
import { requireParameter } from "../requests/form.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import type { IssuePorts } from "../tokens/issue.ts";

/** What is known of a token that a client wants to revoke, and the hash under which that is noted. */
type Revocable = Pick<AccessToken, "clientId" | "expirationMs"> & { readonly hash: string };

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
    const token = claims === undefined ? await findOpaque(tx, text) : toRevocable(claims);
    if (token === undefined) return;
    if (token.clientId !== client.id)
      throw new OAuthError("unauthorized_client", "the token belongs to another client");
    await revokeAccessToken(tx, token.hash, token);
  };
  await database.write(write, { signal: request.signal });
}

async function findOpaque(tx: ReadTransaction, text: string): Promise<Revocable | undefined> {
  const hash = hashAccessToken(text);
  const token = await findAccessToken(tx, hash);
  return token && { ...token, hash };
}

function toRevocable({ jti, client_id: clientId, exp }: Claims): Revocable | undefined {
  if (typeof jti !== "string" || typeof clientId !== "string" || typeof exp !== "number") return undefined;
  if (parseJwtId(jti) === undefined) return undefined;
  return { clientId, expirationMs: exp * 1000, hash: hashAccessToken(jti) };
}
