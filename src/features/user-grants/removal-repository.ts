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
      lost: { sql: "value = ?", parameters: [payload.role_key] },
    }),
  "project_grant.changed": (tx, { aggregateId, date, payload }) => {
    const kept = toInList(payload.role_keys);
    return removeRoles(tx, date, {
      of: { sql: restsOnProjectGrant, parameters: [aggregateId] },
      lost: { sql: `value NOT IN ${kept.sql}`, parameters: kept.parameters },
    });
  },
  "project_grant.removed": (tx, { aggregateId }) => removeGrants(tx, restsOnProjectGrant, [aggregateId]),
};

/** The second condition is that of the partial index, which is used only where a query repeats it. */
const restsOnProjectGrant = "project_grant_id = ? AND project_grant_id <> ''";

/** A condition on grants, or on the `value` of a role of one, with its parameters. */
interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

async function removeGrants(
  tx: WriteTransaction,
  where: string,
  parameters: readonly SqlValue[],
): Promise<void> {
  await removeRolesOf(tx, where, parameters);
  await tx.run(`DELETE FROM user_grants WHERE ${where}`, parameters);
}

/** Removes the rows of roles of the grants that fulfil the condition on their columns. */
export async function removeRolesOf(
  tx: WriteTransaction,
  where: string,
  parameters: readonly SqlValue[],
): Promise<void> {
  await tx.run(`DELETE FROM user_grant_roles WHERE ${isRoleOf(where)}`, parameters);
}

/** Leads to the rows of roles by their primary key. */
const isRoleOf = (grants: string, roles = "TRUE") =>
  `(project_id, resource_owner, role_key, creation_date, user_grant_id) IN
     (SELECT g.project_id, g.resource_owner, r.value, g.creation_date, g.id
      FROM (SELECT * FROM user_grants WHERE ${grants}) AS g, json_each(g.role_keys) AS r WHERE ${roles})`;

/** Takes roles out of grants. Those that lose one have changed; the others are left alone. */
async function removeRoles(
  tx: WriteTransaction,
  date: number,
  { of, lost }: { readonly of: Condition; readonly lost: Condition },
): Promise<void> {
  await tx.run(`DELETE FROM user_grant_roles WHERE ${isRoleOf(of.sql, lost.sql)}`, [
    ...of.parameters,
    ...lost.parameters,
  ]);
  await tx.run(
    `UPDATE user_grants SET sequence = ?, role_keys =
       (SELECT json_group_array(value ORDER BY key) FROM json_each(user_grants.role_keys) WHERE NOT (${lost.sql}))
     WHERE ${of.sql} AND EXISTS (SELECT 1 FROM json_each(user_grants.role_keys) WHERE ${lost.sql})`,
    [date, ...lost.parameters, ...of.parameters, ...lost.parameters],
  );
}
