import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { IdentityProviderId, InteractionId, OrganizationId } from "../../../kernel/base/ids.ts";
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
       expiration_ms = excluded.expiration_ms`,
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
  return (
    row && {
      hash: asked.hash,
      interactionId: row.interaction_id,
      providerId: row.provider_id,
      organizationId: row.organization_id,
      content: { keyId: row.key_id, value: row.content },
      expirationMs: row.expiration_ms,
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

interface ProviderVisitRow {
  readonly interaction_id: InteractionId;
  readonly provider_id: IdentityProviderId;
  readonly organization_id: OrganizationId;
  readonly key_id: string;
  readonly content: Uint8Array;
  readonly expiration_ms: number;
}
