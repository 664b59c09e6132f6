import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { IdentityProviderId, InteractionId, OrganizationId } from "../../../kernel/base/ids.ts";
import type { Sealed } from "../../../kernel/base/keyring.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { ProviderVisit } from "./provider-visit.ts";

/**
 * What events do to visits to identity providers, which are not made from the log: they are removed with the provider or its
 * organization. With their interaction they go by the schema.
 */
export const providerVisitProjection: Projection = {
  tables: [],
  on: {
    "identity_provider.removed": (tx, { aggregateId }) => removeWhere(tx, "provider_id", aggregateId),
    "organization.removed": (tx, { aggregateId }) => removeWhere(tx, "organization_id", aggregateId),
  },
};

/** Stores a visit, in place of a former one of its interaction. The interaction must be stored. */
export async function putProviderVisit(tx: WriteTransaction, visit: ProviderVisit): Promise<void> {
  const { hash, interactionId, providerId, organizationId, content, expirationMs } = visit;
  await tx.run(
    `INSERT INTO provider_visits (interaction_id, hash, provider_id, organization_id, key_id, content, expiration_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (interaction_id) DO UPDATE SET hash = excluded.hash, provider_id = excluded.provider_id,
       organization_id = excluded.organization_id, key_id = excluded.key_id, content = excluded.content,
       expiration_ms = excluded.expiration_ms, answer_hash = NULL, answer_key_id = NULL, answer = NULL,
       answer_expiration_ms = NULL`,
    [interactionId, hash, providerId, organizationId, content.keyId, content.value, expirationMs],
  );
}

/** Finds a visit that has not come back, and whose time is not over. */
export async function findProviderVisit(
  tx: ReadTransaction,
  asked: { readonly hash: string; readonly nowMs: number },
): Promise<ProviderVisit | undefined> {
  const row = await tx.get<ProviderVisitRow>(
    `SELECT interaction_id, provider_id, organization_id, key_id, content, expiration_ms FROM provider_visits
     WHERE hash = ? AND expiration_ms > ?`,
    [asked.hash, asked.nowMs],
  );
  return row && toVisit(asked.hash, row);
}

/** A visit whose browser was made to post an answer. */
export interface AnsweredVisit extends ProviderVisit {
  /** Encrypted: what was posted. */
  readonly answer: Sealed;
}

/** Keeps an answer to a visit under the hash of its handle, in place of a former one. Returns whether there is such a visit. */
export async function keepProviderAnswer(
  tx: WriteTransaction,
  kept: {
    readonly hash: string;
    readonly answerHash: string;
    readonly answer: Sealed;
    readonly nowMs: number;
    readonly expirationMs: number;
  },
): Promise<boolean> {
  const { hash, answerHash, answer, nowMs, expirationMs } = kept;
  const changed = await tx.change(
    `UPDATE provider_visits SET answer_hash = ?, answer_key_id = ?, answer = ?, answer_expiration_ms = ?
     WHERE hash = ? AND expiration_ms > ?`,
    [answerHash, answer.keyId, answer.value, expirationMs, hash, nowMs],
  );
  return changed === 1;
}

/** Finds a visit by the handle of its answer, in time. */
export async function findVisitOfAnswer(
  tx: ReadTransaction,
  { answerHash, nowMs }: { readonly answerHash: string; readonly nowMs: number },
): Promise<AnsweredVisit | undefined> {
  const row = await tx.get<ProviderVisitRow & AnswerRow>(
    `SELECT hash, interaction_id, provider_id, organization_id, key_id, content, expiration_ms, answer_key_id, answer
     FROM provider_visits WHERE answer_hash = ? AND answer_expiration_ms > ? AND expiration_ms > ?`,
    [answerHash, nowMs, nowMs],
  );
  return (
    row && {
      ...toVisit(row.hash, row),
      answer: { keyId: row.answer_key_id, value: row.answer },
    }
  );
}

/** Ends a visit. Returns whether it had not ended before. */
export async function endProviderVisit(tx: WriteTransaction, hash: string): Promise<boolean> {
  return (await tx.change("DELETE FROM provider_visits WHERE hash = ?", [hash])) === 1;
}

/** How many rows go before other work gets a turn: a provider may have any number. */
const portion = 500;

async function removeWhere(
  tx: WriteTransaction,
  column: "provider_id" | "organization_id",
  id: string,
): Promise<void> {
  const sql = `DELETE FROM provider_visits WHERE interaction_id IN
    (SELECT interaction_id FROM provider_visits WHERE ${column} = ? LIMIT ${portion})`;
  while ((await tx.change(sql, [id])) === portion) await tx.pause();
}

function toVisit(hash: string, row: ProviderVisitRow): ProviderVisit {
  return {
    hash,
    interactionId: row.interaction_id,
    providerId: row.provider_id,
    organizationId: row.organization_id,
    content: { keyId: row.key_id, value: row.content },
    expirationMs: row.expiration_ms,
  };
}

interface AnswerRow {
  readonly hash: string;
  readonly answer_key_id: string;
  readonly answer: Uint8Array;
}

interface ProviderVisitRow {
  readonly interaction_id: InteractionId;
  readonly provider_id: IdentityProviderId;
  readonly organization_id: OrganizationId;
  readonly key_id: string;
  readonly content: Uint8Array;
  readonly expiration_ms: number;
}
