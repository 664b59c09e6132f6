import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import { type GroupId, type OrganizationId, toId } from "../../kernel/base/ids.ts";
import { isAmong } from "../../kernel/base/sql.ts";
import { notEnded } from "../rights-in-time/period-columns.ts";
import type { Group } from "./group.ts";

/** A group whose members an identity provider or a hook alone changes, and what that calls it. */
export interface ProviderGroup extends Pick<Group, "id" | "details" | "externalId" | "organizationId"> {}

/** Lists the groups of which the provider is the source and that have a name there, by their ids. */
export async function listGroupsOfProvider(
  tx: ReadTransaction,
  idpId: string,
): Promise<readonly ProviderGroup[]> {
  const rows = await tx.all<SourcedRow>(`${selectSourced} WHERE source_idp_id = ? ORDER BY id`, [idpId]);
  return rows.map(toSourced).filter(({ externalId }) => externalId !== "");
}

/** Lists the groups of which the hook is the source, by their ids. They may have no name there. */
export async function listGroupsOfHook(
  tx: ReadTransaction,
  hookId: string,
): Promise<readonly ProviderGroup[]> {
  const rows = await tx.all<SourcedRow>(`${selectSourced} WHERE source_hook_id = ? ORDER BY id`, [hookId]);
  return rows.map(toSourced);
}

interface SourcedRow extends DetailsRow {
  readonly id: GroupId;
  readonly external_id: string;
}

const selectSourced = `SELECT id, external_id, ${detailsColumns.join(", ")} FROM groups`;

function toSourced(row: SourcedRow): ProviderGroup {
  const details = toDetails(row);
  const organizationId = toId<OrganizationId>(details.resourceOwner);
  return { id: row.id, details, externalId: row.external_id, organizationId };
}

/** Lists in which of the groups each of the users is, until no end that has come. */
export async function listMembersAmong(
  tx: ReadTransaction,
  userIds: readonly string[],
  groupIds: readonly string[],
): Promise<readonly { readonly userId: string; readonly groupId: GroupId }[]> {
  if (userIds.length === 0 || groupIds.length === 0) return [];
  const [users, groups, held] = [
    isAmong("m.user_id", userIds),
    isAmong("m.group_id", groupIds),
    notEnded("m", tx.now()),
  ];
  return await tx.all(
    `SELECT m.user_id AS "userId", m.group_id AS "groupId" FROM group_members m
     WHERE ${users.sql} AND ${groups.sql} AND ${held.sql}`,
    [...users.parameters, ...groups.parameters, ...held.parameters],
  );
}
