import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { Details } from "../../kernel/base/details.ts";
import type { Instant } from "../../kernel/base/clock.ts";
import { defineListOfParts } from "../../kernel/base/list.ts";
import { equals, isAmong } from "../../kernel/base/sql.ts";
import { endsBefore, periodColumns, type PeriodRow, toPeriod } from "../rights-in-time/period-columns.ts";
import type { Period } from "../rights-in-time/period.ts";
import type { Group } from "./group.ts";

/** A direct member of a group, and when it is so. */
export interface GroupMember extends Period {
  readonly id: string;
  readonly kind: "user" | "group";
  /** The date of creation is when it became a member. */
  readonly details: Details;
}

interface MemberRow extends PeriodRow {
  readonly id: string;
  readonly kind: GroupMember["kind"];
  readonly creation_date: number;
}

/** The group whose members are asked for. */
export interface AskedMembers extends Pick<Group, "id" | "details"> {
  /** Users who are not members for good and stop being members before it, in the order of the ends. Absent: all. */
  readonly expiresBefore?: Instant | undefined;
}

/** The direct members of a group. */
export const memberList = defineListOfParts<AskedMembers, MemberRow, GroupMember>({
  name: "ListGroupMembers",
  from: "group_members",
  columns: ["id", "kind", "creation_date", ...periodColumns],
  indexes: [
    { table: "group_members", columns: ["group_id", "creation_date", "user_id"], isUnique: false },
    { table: "group_members", columns: ["group_id", "end_date", "user_id"], isUnique: false },
    { table: "subgroups", columns: ["group_id", "creation_date", "subgroup_id"], isUnique: false },
  ],
  keyOf: ({ id, expiresBefore = "" }) => [id, expiresBefore],
  isByEnd: ({ expiresBefore }) => expiresBefore !== undefined,
  partsOf: ({ id, expiresBefore }, tx) => {
    const isIn = equals("group_id", id);
    if (expiresBefore !== undefined)
      return [{ from: membersAs("user"), where: [isIn, endsBefore("end_date", expiresBefore, tx.now())] }];
    return [
      { from: membersAs("user"), where: [isIn] },
      { from: membersAs("group"), where: [isIn] },
    ];
  },
  toItems: (rows) => rows.map(toMember),
});

/** Finds the user as a direct member of these groups, in their order. */
export async function findUserAsMember(
  tx: ReadTransaction,
  userId: string,
  groupIds: readonly string[],
): Promise<readonly GroupMember[]> {
  const named = isAmong("group_id", groupIds);
  const rows = await tx.all<MemberRow & { readonly group_id: string }>(
    `SELECT group_id, user_id AS id, 'user' AS kind, creation_date, ${periodColumns.join(", ")} FROM group_members
     WHERE user_id = ? AND ${named.sql}`,
    [userId, ...named.parameters],
  );
  const byGroup = new Map(rows.map((row) => [row.group_id, toMember(row)]));
  return groupIds.flatMap((id) => byGroup.get(id) ?? []);
}

function toMember({ id, kind, creation_date: date, ...row }: MemberRow): GroupMember {
  const details = { sequence: date, creationDate: date, resourceOwner: "" };
  return { id, kind, ...toPeriod(row), details };
}

function membersAs(kind: GroupMember["kind"]): string {
  const ofTable =
    kind === "user"
      ? { table: "group_members", column: "user_id", period: "start_date, end_date" }
      : { table: "subgroups", column: "subgroup_id", period: "NULL AS start_date, NULL AS end_date" };
  const { table, column, period } = ofTable;
  return `(SELECT ${column} AS id, '${kind}' AS kind, creation_date, group_id, ${period} FROM ${table}) AS members`;
}
