import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import { allOf, type Condition, equals, isAmong, unindexed } from "../../../kernel/base/sql.ts";
import { hasName } from "../../../kernel/base/names/unique-name.ts";
import { foldName } from "../../../kernel/base/names/folding.ts";
import { findUsers } from "../../../identity/people/user/repository.ts";
import type { HumanUser } from "../../../identity/people/user/user.ts";
import { digestMetadata } from "../../../identity/people/user/user-filter.ts";
import { inEffect } from "../../../identity/rights-in-time/period-columns.ts";
import { type NarrowTerm, type Narrowing, type Term, unknownToSql } from "../filters/narrowing.ts";
import { narrowInstant, narrowText } from "../filters/text-column.ts";
import { comparedPartOf } from "../filters/parse-filter.ts";
import { emailsKey, externalIdKey, keptAttributes } from "./kept-attributes.ts";

/** What is stored of a user that SCIM shows. */
export interface StoredUser {
  readonly user: HumanUser;
  /** The metadata of SCIM, by their names. */
  readonly kept: ReadonlyMap<string, string>;
  /** Undefined: the caller may not read groups. */
  readonly groups: readonly { readonly id: string; readonly name: string }[] | undefined;
}

interface Asked {
  readonly organizationId: string;
  /** The service user whose ids are shown. */
  readonly serviceUserId: string;
  readonly hasGroups: boolean;
}

/** Reads those of the ids that are people of the organization, in the order of the ids. */
export async function readScimUsers(
  tx: ReadTransaction,
  { organizationId, hasGroups }: Asked,
  ids: readonly string[],
): Promise<readonly StoredUser[]> {
  if (ids.length === 0) return [];
  const found = await findUsers(tx, toId<OrganizationId>(organizationId), ids);
  const people = new Map(
    found.flatMap((user) => (user.kind === "human" ? [[user.id as string, user] as const] : [])),
  );
  const known = [...people.keys()];
  const [kept, groups] = await Promise.all([
    readKept(tx, known),
    hasGroups ? readGroups(tx, known) : undefined,
  ]);
  return ids.flatMap((id) => {
    const user = people.get(id);
    if (user === undefined) return [];
    return [
      { user, kept: kept.get(id) ?? new Map<string, string>(), groups: groups && (groups.get(id) ?? []) },
    ];
  });
}

/** Finds a user whom the service user calls by that id. */
export async function findUserByExternalId(
  tx: ReadTransaction,
  {
    organizationId,
    serviceUserId,
    externalId,
  }: { readonly organizationId: string; readonly serviceUserId: string; readonly externalId: string },
): Promise<string | undefined> {
  const { sql, parameters } = hasMetadata(organizationId, externalIdKey(serviceUserId), externalId);
  const row = await tx.get<{ id: string }>(`SELECT id FROM users WHERE ${sql}`, parameters);
  return row?.id;
}

/** Reads all that begins with "scim.", in one step of the index: more than SCIM shows, but fewer steps than names. */
async function readKept(
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Map<string, string>>> {
  const named: Condition = { sql: "key >= ? AND key < ?", parameters: ["scim.", "scim/"] };
  const where = allOf([isAmong("object_id", ids), named]);
  const rows = await tx.all<{ object_id: string; key: string; value: Uint8Array }>(
    `SELECT object_id, key, value FROM metadata WHERE ${where.sql}`,
    where.parameters,
  );
  const byUser = new Map<string, Map<string, string>>(ids.map((id) => [id, new Map<string, string>()]));
  for (const { object_id: id, key, value } of rows) byUser.get(id)?.set(key, Buffer.from(value).toString());
  return byUser;
}

async function readGroups(tx: ReadTransaction, ids: readonly string[]) {
  const where = allOf([isAmong("m.user_id", ids), inEffect("m", tx.now())]);
  const rows = await tx.all<{ user_id: string; id: string; name: string }>(
    `SELECT m.user_id, g.id, g.name FROM group_members m JOIN groups g ON g.id = m.group_id
     WHERE ${where.sql} ORDER BY m.creation_date, g.id`,
    where.parameters,
  );
  return Map.groupBy(rows, (row) => row.user_id);
}

/** What the users of an organization are found by. */
export const userRows = {
  from: "users",
  only: equals("kind", "human"),
  sortColumns: {
    username: "username",
    displayname: "display_name",
    "name.givenname": "given_name",
    "name.familyname": "family_name",
    "emails.value": "email",
  },
} as const;

/** Says what the tables know about a term of a filter of users. */
export function narrowUsers({ organizationId, serviceUserId }: Omit<Asked, "hasGroups">): NarrowTerm {
  return (term) => {
    const { of } = term;
    const name = pathOf(term);
    const column = textColumns[name];
    if (column !== undefined) return narrowText(column, term);
    switch (name) {
      case "id":
        return term.by === "eq" ? lead(equals("id", String(term.value))) : unknownToSql;
      case "username":
        return narrowUsername(term);
      case "active":
        return narrowActive(term);
      case "emails.value":
        return narrowEmail(organizationId, term);
      case "meta.created":
        return narrowInstant("creation_date", term);
      case "meta.lastmodified":
        return narrowInstant("sequence", term);
      case "externalid":
        return narrowKept(organizationId, externalIdKey(serviceUserId), term);
      default: {
        const kept = keptAttributes.find(
          (each) =>
            !each.isJson &&
            each.extension === of.extension?.id &&
            each.name === of.attribute.name &&
            (each.sub ?? undefined) ===
              (of.attribute.type === "complex" ? comparedPartOf(of).name : undefined),
        );
        return kept === undefined ? unknownToSql : narrowKept(organizationId, kept.key, term);
      }
    }
  };
}

const textColumns: Readonly<Record<string, string>> = {
  "name.givenname": "given_name",
  "name.familyname": "family_name",
  displayname: "display_name",
  preferredlanguage: "preferred_language",
};

function pathOf({ of }: Term): string {
  if (of.extension !== undefined) return "";
  const part = comparedPartOf(of);
  return (part === of.attribute ? of.attribute.name : `${of.attribute.name}.${part.name}`).toLowerCase();
}

function lead(condition: Condition): Narrowing {
  return { condition, isExact: true, isLead: true };
}

function narrowUsername({ by, value }: Term): Narrowing {
  if (by === "pr") return { condition: { sql: "TRUE", parameters: [] }, isExact: true, isLead: false };
  // The column has the folded name, behind which the spelling may stand: what it finds is looked at again.
  if (by === "eq")
    return { condition: hasName("folded_username", String(value)), isExact: false, isLead: true };
  if (by !== "sw") return unknownToSql;
  const folded = foldName(String(value));
  const condition = {
    sql: "substr(folded_username, 1, ?) = ?",
    parameters: [Array.from(folded).length, folded],
  };
  return { condition, isExact: false, isLead: false };
}

function narrowActive({ by, value }: Term): Narrowing {
  const isActive = String(value).toLowerCase() === "true";
  const sql = by === "pr" ? "TRUE" : isActive ? "state <> 'INACTIVE'" : "state = 'INACTIVE'";
  return { condition: { sql, parameters: [] }, isExact: true, isLead: false };
}

/** The table has the address of the account; users with more of them are looked at. */
function narrowEmail(organizationId: string, term: Term): Narrowing {
  const narrowed = narrowText("email", term);
  if (narrowed.condition === undefined || term.by === "pr") return unknownToSql;
  const others = {
    sql: "id IN (SELECT object_id FROM metadata WHERE key = ? AND resource_owner = ? AND state IS NOT NULL)",
    parameters: [emailsKey, organizationId],
  };
  const { sql, parameters } = narrowed.condition;
  const condition = { sql: `(${sql} OR ${others.sql})`, parameters: [...parameters, ...others.parameters] };
  return { condition, isExact: false, isLead: term.by === "eq" };
}

function narrowKept(organizationId: string, key: string, { by, value }: Term): Narrowing {
  if (by === "eq") return lead(hasMetadata(organizationId, key, String(value)));
  if (by !== "pr") return unknownToSql;
  const sql =
    "id IN (SELECT object_id FROM metadata WHERE key = ? AND resource_owner = ? AND state IS NOT NULL)";
  return { condition: { sql, parameters: [key, organizationId] }, isExact: true, isLead: false };
}

function hasMetadata(organizationId: string, key: string, value: string): Condition {
  return {
    // The metadata lead to the users, never the other way round.
    sql: `id IN (SELECT ${unindexed("object_id")} FROM metadata WHERE value_digest = ? AND resource_owner = ?)`,
    parameters: [digestMetadata(key, Buffer.from(value)), organizationId],
  };
}
