import { findGroups } from "../../../identity/groups/repository.ts";
import type { Group } from "../../../identity/groups/group.ts";
import { notEnded } from "../../../identity/rights-in-time/period-columns.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { hasName } from "../../../kernel/base/names/unique-name.ts";
import { allOf, always, type Condition, equals, isAmong } from "../../../kernel/base/sql.ts";
import { comparedPartOf } from "../filters/parse-filter.ts";
import { type Narrowing, type NarrowTerm, type Term, unknownToSql } from "../filters/narrowing.ts";
import { narrowInstant } from "../filters/text-column.ts";

/** A direct member, as SCIM shows it. */
export interface ScimMember {
  readonly id: string;
  readonly kind: "User" | "Group";
}

/** A group with its direct members; undefined: they were not asked for. */
export interface StoredGroup {
  readonly group: Group;
  readonly members: readonly ScimMember[] | undefined;
}

/** Reads those of the ids that are groups of the organization, in the order of the ids. */
export async function readScimGroups(
  tx: ReadTransaction,
  { organizationId, hasMembers }: { readonly organizationId: string; readonly hasMembers: boolean },
  ids: readonly string[],
): Promise<readonly StoredGroup[]> {
  const found = new Map(
    (await findGroups(tx, organizationId, ids)).map((group) => [group.id as string, group]),
  );
  const members = hasMembers ? await readMembers(tx, [...found.keys()]) : undefined;
  return ids.flatMap((id) => {
    const group = found.get(id);
    return group === undefined ? [] : [{ group, members: members && (members.get(id) ?? []) }];
  });
}

/** Says which of the ids are groups of the organization: all others are of users, or of nothing. */
export async function findMemberGroups(
  tx: ReadTransaction,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let at = 0; at < ids.length; at += idsPerQuery)
    for (const { id } of await findGroups(tx, organizationId, ids.slice(at, at + idsPerQuery))) found.add(id);
  return found;
}

/** Finds a group that the service user is the source of, and calls by that id. */
export async function findGroupByExternalId(
  tx: ReadTransaction,
  asked: { readonly organizationId: string; readonly serviceUserId: string; readonly externalId: string },
): Promise<string | undefined> {
  const row = await tx.get<{ id: string }>(
    "SELECT id FROM groups WHERE external_id = ? AND resource_owner = ? AND source_user_id = ?",
    [asked.externalId, asked.organizationId, asked.serviceUserId],
  );
  return row?.id;
}

const idsPerQuery = 1000;

async function readMembers(
  tx: ReadTransaction,
  groupIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ScimMember[]>> {
  if (groupIds.length === 0) return new Map();
  const inGroup = isAmong("m.group_id", groupIds);
  const ofUsers = allOf([inGroup, notEnded("m", tx.now())]);
  const rows = await tx.all<ScimMember & { readonly group_id: string }>(
    `SELECT m.group_id, m.user_id AS id, 'User' AS kind, m.creation_date FROM group_members m WHERE ${ofUsers.sql}
     UNION ALL SELECT m.group_id, m.subgroup_id AS id, 'Group' AS kind, m.creation_date FROM subgroups m WHERE ${inGroup.sql}
     ORDER BY creation_date, id`,
    [...ofUsers.parameters, ...inGroup.parameters],
  );
  return Map.groupBy(rows, (row) => row.group_id);
}

/** What the groups of an organization are found by. */
export const groupRows = { from: "groups", only: always } as const;

/** Says what the tables know about a term of a filter of groups. */
export const narrowGroups: NarrowTerm = (term) => {
  const { of, by, value } = term;
  const part = comparedPartOf(of);
  const name = (part === of.attribute ? part.name : `${of.attribute.name}.${part.name}`).toLowerCase();
  const isEqual = by === "eq";
  switch (name) {
    case "id":
      return isEqual ? lead(equals("id", String(value))) : unknownToSql;
    case "displayname":
      return narrowName(term);
    case "externalid":
      if (isEqual && value !== "") return lead(equals("external_id", String(value)));
      if (by !== "pr") return unknownToSql;
      return { condition: { sql: "external_id <> ''", parameters: [] }, isExact: true, isLead: false };
    case "members.value":
      return isEqual ? lead(hasMember(String(value))) : unknownToSql;
    case "meta.created":
      return narrowInstant("creation_date", term);
    case "meta.lastmodified":
      return narrowInstant("sequence", term);
    default:
      return unknownToSql;
  }
};

/** A name leads to its group only within the organization, whose groups are few compared with its users. */
function narrowName({ by, value }: Term): Narrowing {
  if (by !== "eq") return unknownToSql;
  return { condition: hasName("folded_name", String(value)), isExact: false, isLead: false };
}

function hasMember(id: string): Condition {
  return {
    sql: "id IN (SELECT group_id FROM group_members WHERE user_id = ? UNION SELECT group_id FROM subgroups WHERE subgroup_id = ?)",
    parameters: [id, id],
  };
}

function lead(condition: Condition) {
  return { condition, isExact: true, isLead: true };
}
