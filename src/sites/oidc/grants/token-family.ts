import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { Authorization } from "../../../identity/logins/authorizations/authorization.ts";
import { extendAuthorization } from "../../../identity/logins/authorizations/repository.ts";
import type { GoodProof } from "../../../identity/protocol-state/dpop/proof.ts";
import type { OidcClient } from "../clients/client.ts";
import { hashCode, refreshIdleMs, refreshLifetimeMs } from "../codes/code.ts";
import { putRefreshToken } from "../codes/repository.ts";

/** Returns the key that a refresh token of the client is bound to: those of clients that authenticate are not (RFC 9449 §5). */
export function keyOfFamily(
  { method }: Pick<OidcClient, "method">,
  proof: GoodProof | undefined,
): string | undefined {
  return method === "NONE" ? proof?.jkt : undefined;
}

/**
 * Begins the family of tokens of a code: an access token and, with a refresh token, a family of them. The authorization is kept for
 * as long as a part of it may live. Returns until when that is.
 */
export async function startFamily(
  tx: WriteTransaction,
  family: {
    readonly authorization: Authorization;
    readonly refreshToken: Secret | undefined;
    /** As `keyOfFamily` returns it. */
    readonly jkt: string | undefined;
    readonly nowMs: number;
    readonly accessTokenSeconds: number;
  },
): Promise<number> {
  const { authorization, refreshToken, jkt, nowMs } = family;
  const accessMs = family.accessTokenSeconds * 1000;
  const expirationMs = nowMs + refreshLifetimeMs;
  const keptUntilMs = refreshToken === undefined ? nowMs + accessMs : expirationMs + accessMs;
  await extendAuthorization(tx, authorization.id, keptUntilMs);
  if (refreshToken !== undefined)
    await putRefreshToken(tx, {
      hash: hashCode(refreshToken.reveal()),
      authorizationId: authorization.id,
      jkt,
      idleExpirationMs: nowMs + refreshIdleMs,
      expirationMs,
    });
  return keptUntilMs;
}
