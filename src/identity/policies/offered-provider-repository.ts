import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { IdentityProviderId, LoginPolicyId } from "../../kernel/base/ids.ts";
import { defineList } from "../../kernel/base/list.ts";
import { countUpTo } from "../../kernel/base/sql.ts";
import type { Appliers } from "../../kernel/events/event.ts";
import type { OfferedProvider } from "./offered-provider.ts";

const setSequence = "UPDATE login_policies SET sequence = ? WHERE id = ?";

/** Appliers of the identity providers that policies list; part of the projection of login policies. */
export const offeredProviderAppliers: Appliers = {
  "login_policy.idp.added": async (tx, { aggregateId, date, payload }) => {
    await tx.run("INSERT INTO login_policy_idps (policy_id, idp_id, creation_date) VALUES (?, ?, ?)", [
      aggregateId,
      payload.idp_id,
      date,
    ]);
    await tx.run(setSequence, [date, aggregateId]);
  },
  "login_policy.idp.removed": async (tx, { aggregateId, date, payload }) => {
    await tx.run("DELETE FROM login_policy_idps WHERE policy_id = ? AND idp_id = ?", [
      aggregateId,
      payload.idp_id,
    ]);
    await tx.run(setSequence, [date, aggregateId]);
  },
  // At most one policy lists it: that of its organization.
  "identity_provider.removed": async (tx, { aggregateId, date }) => {
    const row = await tx.get<{ policy_id: string }>(
      "SELECT policy_id FROM login_policy_idps WHERE idp_id = ?",
      [aggregateId],
    );
    if (row === undefined) return;
    await tx.run("DELETE FROM login_policy_idps WHERE idp_id = ?", [aggregateId]);
    await tx.run(setSequence, [date, row.policy_id]);
  },
};

/** Removes what a policy lists. */
export async function removeOfferedProviders(tx: WriteTransaction, policyId: string): Promise<void> {
  await tx.run("DELETE FROM login_policy_idps WHERE policy_id = ?", [policyId]);
}

/** Says whether the policy lists the identity provider. */
export async function isProviderOffered(
  tx: ReadTransaction,
  policyId: LoginPolicyId,
  id: string,
): Promise<boolean> {
  const row = await tx.get("SELECT 1 FROM login_policy_idps WHERE policy_id = ? AND idp_id = ?", [
    policyId,
    id,
  ]);
  return row !== undefined;
}

/** Counts the identity providers that the policy lists, up to `limit`. */
export async function countOfferedProviders(
  tx: ReadTransaction,
  policyId: LoginPolicyId,
  limit: number,
): Promise<number> {
  const where = { sql: "policy_id = ?", parameters: [policyId] };
  return await countUpTo(tx, limit, { column: "idp_id", from: "login_policy_idps", where });
}

/** Lists the ids of the identity providers that the policy lists. */
export async function listOfferedIds(
  tx: ReadTransaction,
  policyId: LoginPolicyId,
): Promise<ReadonlySet<string>> {
  const rows = await tx.all<{ idp_id: string }>("SELECT idp_id FROM login_policy_idps WHERE policy_id = ?", [
    policyId,
  ]);
  return new Set(rows.map((row) => row.idp_id));
}

/** The identity providers that a policy lists, in the order in which they were added. */
export const offeredProviderList = defineList<object, OfferedProviderRow, OfferedProvider>({
  name: "ListLoginPolicyIdps",
  from: "login_policy_idps",
  of: "policy_id",
  columns: ["idp_id", "creation_date"],
  order: ["creation_date", "idp_id"],
  filters: {},
  async toItems(rows, tx) {
    const items: OfferedProvider[] = [];
    for (const { idp_id: id, creation_date: date } of rows) {
      const provider = await tx.get<ProviderRow>(
        "SELECT name, state, resource_owner FROM identity_providers WHERE id = ?",
        [id],
      );
      if (provider === undefined) continue;
      const { name, state, resource_owner: resourceOwner } = provider;
      items.push({ id, name, state, details: { sequence: date, creationDate: date, resourceOwner } });
    }
    return items;
  },
});

interface OfferedProviderRow {
  readonly idp_id: IdentityProviderId;
  readonly creation_date: number;
}

interface ProviderRow {
  readonly name: string;
  readonly state: OfferedProvider["state"];
  readonly resource_owner: string;
}
