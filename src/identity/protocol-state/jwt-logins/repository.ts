import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { IdentityProviderId, InteractionId, OrganizationId } from "../../../kernel/base/ids.ts";
import type { Sealed } from "../../../kernel/base/keyring.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { BroughtIdentity, JwtLogin } from "./jwt-login.ts";

/**
 * What events do to browsers at gateways, which are not made from the log: nobody comes back from a provider that is gone, or as a
 * user who is. With their interaction they go by the schema.
 */
export const jwtLoginProjection: Projection = {
  tables: [],
  on: {
    "identity_provider.removed": (tx, { aggregateId }) => removeWhere(tx, "provider_id", aggregateId),
    "organization.removed": (tx, { aggregateId }) => removeWhere(tx, "organization_id", aggregateId),
    "user.removed": (tx, { aggregateId }) => removeWhere(tx, "user_id", aggregateId),
  },
};

/**
 * Stores that a browser was sent to a gateway, in place of what was stored of its interaction before. The interaction must be
 * stored.
 */
export async function putJwtLogin(tx: WriteTransaction, login: JwtLogin): Promise<void> {
  const { interactionId, providerId, organizationId, userAgentHash, expirationMs } = login;
  await tx.run(
    `INSERT INTO jwt_logins (interaction_id, provider_id, organization_id, user_agent_hash, expiration_ms) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (interaction_id) DO UPDATE SET provider_id = excluded.provider_id,
       organization_id = excluded.organization_id, user_agent_hash = excluded.user_agent_hash,
       handle_hash = NULL, key_id = NULL, identity = NULL, user_id = NULL, expiration_ms = excluded.expiration_ms`,
    [interactionId, providerId, organizationId, userAgentHash, expirationMs],
  );
}

/** Names a browser at a gateway, as its requests do. */
export interface AskedJwtLogin {
  readonly interactionId: string;
  readonly userAgentHash: string;
  readonly nowMs: number;
}

/** Finds a browser that has not come back from its gateway, in time. */
export async function findWaitingJwtLogin(
  tx: ReadTransaction,
  { interactionId, userAgentHash, nowMs }: AskedJwtLogin,
): Promise<JwtLogin | undefined> {
  const row = await tx.get<JwtLoginRow>(
    `SELECT interaction_id, provider_id, organization_id, expiration_ms FROM jwt_logins
     WHERE interaction_id = ? AND user_agent_hash = ? AND handle_hash IS NULL AND expiration_ms > ?`,
    [interactionId, userAgentHash, nowMs],
  );
  return (
    row && {
      interactionId: row.interaction_id,
      providerId: row.provider_id,
      organizationId: row.organization_id,
      userAgentHash,
      expirationMs: row.expiration_ms,
    }
  );
}

/** Stores the identity that a browser has come back with. Returns whether it was still waited for: only one identity is taken. */
export async function putBroughtIdentity(
  tx: WriteTransaction,
  { interactionId, userAgentHash, nowMs }: AskedJwtLogin,
  { handleHash, identity, userId, expirationMs }: BroughtIdentity,
): Promise<boolean> {
  const changed = await tx.change(
    `UPDATE jwt_logins SET handle_hash = ?, key_id = ?, identity = ?, user_id = ?, expiration_ms = ?
     WHERE interaction_id = ? AND user_agent_hash = ? AND handle_hash IS NULL AND expiration_ms > ?`,
    [
      handleHash,
      identity.keyId,
      identity.value,
      userId ?? null,
      expirationMs,
      interactionId,
      userAgentHash,
      nowMs,
    ],
  );
  return changed === 1;
}

/** Takes an identity by its handle, once and in time. Undefined: there is none. */
export async function takeBroughtIdentity(
  tx: WriteTransaction,
  asked: { readonly interactionId: string; readonly handleHash: string; readonly nowMs: number },
): Promise<Sealed | undefined> {
  const { interactionId, handleHash, nowMs } = asked;
  const row = await tx.get<{ key_id: string; identity: Uint8Array }>(
    "SELECT key_id, identity FROM jwt_logins WHERE interaction_id = ? AND handle_hash = ? AND expiration_ms > ?",
    [interactionId, handleHash, nowMs],
  );
  const isTaken = await removeJwtLoginOfHandle(tx, { interactionId, handleHash });
  return row === undefined || !isTaken ? undefined : { keyId: row.key_id, value: row.identity };
}

/** Ends a login by the handle that was made for it. Returns whether there was one. */
export async function removeJwtLoginOfHandle(
  tx: WriteTransaction,
  { interactionId, handleHash }: { readonly interactionId: string; readonly handleHash: string },
): Promise<boolean> {
  const removed = await tx.change("DELETE FROM jwt_logins WHERE interaction_id = ? AND handle_hash = ?", [
    interactionId,
    handleHash,
  ]);
  return removed === 1;
}

/** Deletes at most `limit` rows whose time is over. Returns how many. */
export async function deleteExpiredJwtLogins(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM jwt_logins WHERE interaction_id IN
       (SELECT interaction_id FROM jwt_logins WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

/** How many rows go before other work gets a turn: a provider may have any number. */
const portion = 500;

async function removeWhere(
  tx: WriteTransaction,
  column: "provider_id" | "organization_id" | "user_id",
  id: string,
): Promise<void> {
  const sql = `DELETE FROM jwt_logins WHERE interaction_id IN
    (SELECT interaction_id FROM jwt_logins WHERE ${column} = ? LIMIT ${portion})`;
  while ((await tx.change(sql, [id])) === portion) await tx.pause();
}

interface JwtLoginRow {
  readonly interaction_id: InteractionId;
  readonly provider_id: IdentityProviderId;
  readonly organization_id: OrganizationId;
  readonly expiration_ms: number;
}
