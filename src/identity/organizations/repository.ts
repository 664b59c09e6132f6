import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, toDetails } from "../../kernel/base/details.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import { defineListOfParts, type ListIndex } from "../../kernel/base/list.ts";
import { equals, insertSql, isAmong, joinTable, unindexed, updateSql } from "../../kernel/base/sql.ts";
import { chooseNamed, hasName, isNameTaken, toUniqueName } from "../../kernel/base/names/unique-name.ts";
import type { Projection } from "../../kernel/events/event.ts";
import { type Organization, organizationNotFound } from "./organization.ts";

const table = "stored_organizations";
const storedColumns = ["id", "state", "sequence", "creation_date", "name"];
const columns = [...storedColumns, "id AS resource_owner"];
const selectOne = `SELECT ${columns.join(", ")} FROM organizations WHERE id = ?`;

const insertOrganization = insertSql(table, [
  "name",
  "folded_name",
  "sequence",
  "id",
  "creation_date",
  "state",
]);
const updateName = updateSql(table, ["name", "folded_name", "sequence"]);
const updateState = updateSql(table, ["state", "sequence"]);

/** How events fill the table of organizations. */
export const organizationProjection: Projection = {
  tables: ["stored_organizations"],
  on: {
    "organization.added": async (tx, { aggregateId, date, payload }) => {
      const named = [payload.name, toUniqueName(payload.name), date];
      await tx.run(insertOrganization, [...named, aggregateId, date, "ACTIVE"]);
    },
    "organization.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run(updateName, [payload.name, toUniqueName(payload.name), date, aggregateId]);
    },
    "organization.deactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["INACTIVE", date, aggregateId]);
    },
    "organization.reactivated": async (tx, { aggregateId, date }) => {
      await tx.run(updateState, ["ACTIVE", date, aggregateId]);
    },
    /** The first time, the organization and everything in it is hidden. The second time, when its rows are gone, its own row goes. */
    "organization.removed": async (tx, { aggregateId }) => {
      const isGone = await tx.change("DELETE FROM stored_organizations WHERE id = ? AND state = 'REMOVED'", [
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
  const row = await tx.get<OrganizationRow>(selectOne, [id]);
  return row === undefined ? undefined : toOrganization(row);
}

/** An organization in a statement that reads other tables, too: its table must be called `organization` there. */
export const joinedOrganization = joinTable(
  "organization",
  storedColumns,
  (row: Omit<OrganizationRow, "resource_owner">) => toOrganization({ ...row, resource_owner: row.id }),
);

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

/** Returns the organization whose name counts as the same, whatever its state, or undefined. */
export async function findOrganizationByName(
  tx: ReadTransaction,
  name: string,
): Promise<Organization | undefined> {
  const where = hasName("folded_name", name);
  const rows = await tx.all<OrganizationRow>(
    `SELECT ${columns.join(", ")} FROM organizations WHERE ${where.sql}`,
    where.parameters,
  );
  const row = chooseNamed(rows, name, (each) => each.name);
  return row === undefined ? undefined : toOrganization(row);
}

/** Says whether an organization other than `kept` has a name that counts as the same. */
export async function isOrganizationNameTaken(
  tx: ReadTransaction,
  name: string,
  kept?: Organization,
): Promise<boolean> {
  return await isNameTaken(tx, { from: "organizations", column: "folded_name", name, kept });
}

/** Which organizations are listed. */
export interface OrganizationFilter {
  /** Compared like unique names; empty = every name. */
  readonly name: string;
}

/** A filter, and the organizations that the caller may see. */
export interface AskedOrganizations extends OrganizationFilter {
  /** All of the instance, or these, none of them twice. */
  readonly organizations: "all" | readonly OrganizationId[];
}

/** The organizations that the caller may see. */
export const organizationList = defineListOfParts<AskedOrganizations, OrganizationRow, Organization>({
  name: "ListOrganizations",
  from: "organizations",
  columns,
  indexes: [
    { table: "organizations", columns: ["creation_date", "id"], isUnique: false },
    ...["id", "folded_name"].map(
      (column): ListIndex => ({ table: "organizations", columns: [column], isUnique: true }),
    ),
  ],
  keyOf: ({ name }) => [name],
  partsOf({ organizations, name }) {
    const ids = organizations === "all" ? [] : [isAmong("id", organizations)];
    const column = organizations === "all" ? "folded_name" : unindexed("folded_name");
    if (name !== "") return [{ where: [...ids, hasName(column, name)], isUnordered: true }];
    if (organizations === "all") return [{ where: [] }];
    return organizations.map((id) => ({ where: [equals("id", id)] }));
  },
  toItems: (rows) => rows.map(toOrganization),
});

interface OrganizationRow extends DetailsRow {
  readonly id: OrganizationId;
  readonly state: Organization["state"];
  readonly name: string;
}

function toOrganization(row: OrganizationRow): Organization {
  return { id: row.id, details: toDetails(row), state: row.state, name: row.name };
}
