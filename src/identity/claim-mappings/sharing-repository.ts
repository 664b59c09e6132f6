import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { ClaimPayloads } from "../../kernel/events/authorization-payloads.ts";
import type { Appliers } from "../../kernel/events/event.ts";

/** A key of the metadata of users that their organization shares with others. */
export interface SharedMetadata {
  readonly key: string;
  readonly sharedWith: readonly string[];
}

/** The effects of events on what organizations share. */
export const sharingAppliers: Appliers = {
  "organization.metadata.shared": async (tx, { aggregateId, date, payload }) => {
    await tx.run("UPDATE stored_organizations SET shared_user_metadata = ?, sequence = ? WHERE id = ?", [
      payload.shared.length === 0 ? "" : JSON.stringify(payload.shared),
      date,
      aggregateId,
    ]);
  },
};

/** Lists the keys that an organization shares; none if there is no such organization. */
export async function findSharedMetadata(
  tx: ReadTransaction,
  organizationId: string,
): Promise<readonly SharedMetadata[]> {
  const row = await tx.get<{ readonly shared_user_metadata: string }>(
    "SELECT shared_user_metadata FROM organizations WHERE id = ?",
    [organizationId],
  );
  if (row === undefined || row.shared_user_metadata === "") return [];
  const shared = JSON.parse(
    row.shared_user_metadata,
  ) as ClaimPayloads["organization.metadata.shared"]["shared"]; // written above
  return shared.map(({ key, shared_with: sharedWith }) => ({ key, sharedWith }));
}

/** Returns those of the keys that an organization shares with another one; all of them if both are the same. */
export async function listKeysInReach(
  tx: ReadTransaction,
  keys: readonly string[],
  { homeId, ownerId }: { readonly homeId: string; readonly ownerId: string },
): Promise<readonly string[]> {
  if (homeId === ownerId || keys.length === 0) return keys;
  const shared = await findSharedMetadata(tx, homeId);
  const open = new Set(shared.filter(({ sharedWith }) => sharedWith.includes(ownerId)).map(({ key }) => key));
  return keys.filter((key) => open.has(key));
}
