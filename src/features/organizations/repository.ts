import type { ReadTransaction, SqlValue } from "../../base/database.ts";
import { type DetailsRow, toDetails } from "../../base/details.ts";
import { foldName } from "../../base/folding.ts";
import type { OrganizationId } from "../../base/ids.ts";
import { behind, mergeCounts, mergePages, type PageQuery } from "../../base/paging.ts";
import type { Projection } from "../../events/event.ts";
import { type Organization, organizationNotFound } from "./organization.ts";

/** The table of organizations. A removal marks the row; what the organization owned goes in the background. */
export const organizationProjection: Projection = {
  tables: ["stored_organizations"],
  on: {
    "organization.added": async (tx, { aggregateId, date, payload }) => {
      await tx.run(
        "INSERT INTO stored_organizations (id, sequence, creation_date, state, name, folded_name) VALUES (?, ?, ?, 'ACTIVE', ?, ?)",
        [aggregateId, date, date, payload.name, foldName(payload.name)],
      );
    },
    "organization.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run("UPDATE stored_organizations SET name = ?, folded_name = ?, sequence = ? WHERE id = ?", [
        payload.name,
        foldName(payload.name),
        date,
        aggregateId,
      ]);
    },
    "organization.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run("UPDATE stored_organizations SET state = 'INACTIVE', sequence = ? WHERE id = ?", [
        date,
        aggregateId,
      ]);
    },
    "organization.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run("UPDATE stored_organizations SET state = 'ACTIVE', sequence = ? WHERE id = ?", [
        date,
        aggregateId,
      ]);
    },
    /** The first time, the organization and everything in it is hidden. The second time, when its rows are gone, its own row goes. */
    "organization.removed": async (tx, { aggregateId }) => {
      const isGone = await tx.run("DELETE FROM stored_organizations WHERE id = ? AND state = 'REMOVED'", [
        aggregateId,
      ]);
      if (isGone > 0) return;
      // No name has such a character, so the name of the organization is free.
      await tx.run(
        "UPDATE stored_organizations SET state = 'REMOVED', name = '', folded_name = ? WHERE id = ?",
        [`\u0001${aggregateId}`, aggregateId],
      );
    },
  },
  owned: [{ ids: "SELECT id FROM removed_organizations WHERE id = ?", removal: "organization.removed" }],
};

/** Returns the organization, whatever its state, or undefined. */
export async function findOrganization(tx: ReadTransaction, id: string): Promise<Organization | undefined> {
  const row = await tx.get<OrganizationRow>(
    "SELECT *, id AS resource_owner FROM organizations WHERE id = ?",
    [id],
  );
  return row === undefined ? undefined : toOrganization(row);
}

/** Returns the organization, whatever its state. Raises NOT_FOUND. */
export async function getOrganization(tx: ReadTransaction, id: string): Promise<Organization> {
  const organization = await findOrganization(tx, id);
  if (organization === undefined) throw organizationNotFound(id);
  return organization;
}

/** Returns the organization if it is active. Raises NOT_FOUND. */
export async function getActiveOrganization(tx: ReadTransaction, id: string): Promise<Organization> {
  const organization = await getOrganization(tx, id);
  if (organization.state !== "ACTIVE") throw organizationNotFound(id);
  return organization;
}

/** Checks whether rows of a removed organization are left. */
export async function hasRemovedOrganization(tx: ReadTransaction): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM removed_organizations LIMIT 1")) !== undefined;
}

/** Says whether an organization other than `exceptId` has a name that counts as the same. */
export async function isOrganizationNameTaken(
  tx: ReadTransaction,
  name: string,
  exceptId?: OrganizationId,
): Promise<boolean> {
  const row = await tx.get<{ id: string }>("SELECT id FROM organizations WHERE folded_name = ?", [
    foldName(name),
  ]);
  return row !== undefined && row.id !== exceptId;
}

/** Which organizations are listed. */
export interface OrganizationFilter {
  /** The organizations that the caller may see: all of the instance, or these, each once. */
  readonly organizations: "all" | readonly OrganizationId[];
  /** Compared like unique names; empty = every name. */
  readonly name: string;
}

/** Returns organizations, oldest first. */
export async function listOrganizations(
  tx: ReadTransaction,
  filter: OrganizationFilter,
  page: PageQuery,
): Promise<readonly Organization[]> {
  const reads = conditionsOf(filter).map(({ sql, parameters }) => async (part: PageQuery) => {
    const position = behind(part);
    const rows = await tx.all<OrganizationRow>(
      `SELECT *, id AS resource_owner FROM organizations WHERE ${sql} AND ${position.sql}
       ORDER BY creation_date, id LIMIT ?`,
      [...parameters, ...position.parameters, part.limit],
    );
    return rows.map(toOrganization);
  });
  return await mergePages(page, reads);
}

/** Counts organizations, up to `limit`. */
export async function countOrganizations(
  tx: ReadTransaction,
  filter: OrganizationFilter,
  limit: number,
): Promise<number> {
  const counts = conditionsOf(filter).map(({ sql, parameters }) => async (rest: number) => {
    const row = await tx.get<{ total: number }>(
      `SELECT COUNT(*) AS total FROM (SELECT id FROM organizations WHERE ${sql} LIMIT ?) AS counted`,
      [...parameters, rest],
    );
    return row?.total ?? 0;
  });
  return await mergeCounts(limit, counts);
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/** Each condition leads to its rows by an index, in the order of the list. */
function conditionsOf({ organizations, name }: OrganizationFilter): readonly Condition[] {
  const named: Condition =
    name === "" ? { sql: "TRUE", parameters: [] } : { sql: "folded_name = ?", parameters: [foldName(name)] };
  if (organizations === "all") return [named];
  return organizations.map((id) => ({
    sql: `id = ? AND ${named.sql}`,
    parameters: [id, ...named.parameters],
  }));
}

interface OrganizationRow extends DetailsRow {
  readonly id: OrganizationId;
  readonly state: Organization["state"];
  readonly name: string;
}

function toOrganization(row: OrganizationRow): Organization {
  return { id: row.id, details: toDetails(row), state: row.state, name: row.name };
}
