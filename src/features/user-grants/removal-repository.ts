import { type SqlValue, toInList, type WriteTransaction } from "../../base/database.ts";
import type { Appliers } from "../../events/event.ts";

/** What the removal of others takes away from grants, and the removal of grants themselves. */
export const removalAppliers: Appliers = {
  "user_grant.removed": (tx, { aggregateId }) => removeGrants(tx, "id = ?", [aggregateId]),
  "user.removed": (tx, { aggregateId }) => removeGrants(tx, "user_id = ?", [aggregateId]),
  "organization.removed": async (tx, { aggregateId }) => {
    await removeGrants(tx, "resource_owner = ?", [aggregateId]);
    await removeGrants(tx, "user_id IN (SELECT id FROM users WHERE resource_owner = ?)", [aggregateId]);
    await removeGrants(tx, "project_id IN (SELECT id FROM projects WHERE resource_owner = ?)", [aggregateId]);
  },
  "project.removed": (tx, { aggregateId }) => removeGrants(tx, "project_id = ?", [aggregateId]),
  "project.role.removed": (tx, { aggregateId, date, payload }) =>
    removeRoles(tx, date, {
      of: { sql: "project_id = ?", parameters: [aggregateId] },
      lost: { sql: "role_key = ?", parameters: [payload.role_key] },
    }),
  "project_grant.changed": (tx, { aggregateId, date, payload }) => {
    const kept = toInList(payload.role_keys);
    return removeRoles(tx, date, {
      of: { sql: restsOnProjectGrant, parameters: [aggregateId] },
      lost: { sql: `role_key NOT IN ${kept.sql}`, parameters: kept.parameters },
    });
  },
  "project_grant.removed": (tx, { aggregateId }) => removeGrants(tx, restsOnProjectGrant, [aggregateId]),
};

/** The second condition is that of the partial index, which is used only where a query repeats it. */
const restsOnProjectGrant = "project_grant_id = ? AND project_grant_id <> ''";

/** A condition on a table, with its parameters. */
interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

async function removeGrants(
  tx: WriteTransaction,
  where: string,
  parameters: readonly SqlValue[],
): Promise<void> {
  await tx.run(
    `DELETE FROM user_grant_roles WHERE user_grant_id IN (SELECT id FROM user_grants WHERE ${where})`,
    parameters,
  );
  await tx.run(`DELETE FROM user_grants WHERE ${where}`, parameters);
}

/** Takes roles out of grants. Those that lose one have changed; the others are left alone. */
async function removeRoles(
  tx: WriteTransaction,
  date: number,
  { of, lost }: { readonly of: Condition; readonly lost: Condition },
): Promise<void> {
  await tx.run(
    `UPDATE user_grants SET sequence = ? WHERE ${of.sql}
       AND EXISTS (SELECT 1 FROM user_grant_roles WHERE user_grant_id = user_grants.id AND ${lost.sql})`,
    [date, ...of.parameters, ...lost.parameters],
  );
  await tx.run(
    `DELETE FROM user_grant_roles WHERE user_grant_id IN (SELECT id FROM user_grants WHERE ${of.sql}) AND ${lost.sql}`,
    [...of.parameters, ...lost.parameters],
  );
}
