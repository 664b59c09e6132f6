import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { GroupId } from "../../kernel/base/ids.ts";
import { parseDn } from "../../kernel/base/names/distinguished-name.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { addMembers, type GroupMembers, removeMembers } from "../groups/group.ts";
import { listGroupsOfProvider, listMembersAmong, type ProviderGroup } from "../groups/sourced-repository.ts";

/** Somebody, and the groups here that the directory says they are in; undefined: it does not say. */
export interface PersonInGroups {
  readonly userId: string;
  readonly groupIds: readonly string[] | undefined;
}

/** The groups here that a directory decides about, by its DNs of them in the form of `parseDn`. */
export type DirectoryGroups = ReadonlyMap<string, readonly ProviderGroup[]>;

/** Reads the groups that a directory decides about. One whose `external_id` is no DN has no members by it. */
export async function readDirectoryGroups(tx: ReadTransaction, idpId: string): Promise<DirectoryGroups> {
  const groups = await listGroupsOfProvider(tx, idpId);
  return Map.groupBy(groups, ({ externalId }) => parseDn(externalId) ?? "");
}

/** Returns the ids of the groups here that the DNs mean. */
export function toGroupIds(
  groups: DirectoryGroups,
  groupDns: readonly string[] | undefined,
): readonly GroupId[] | undefined {
  return groupDns?.flatMap((dn) => (dn === "" ? [] : (groups.get(dn) ?? []).map(({ id }) => id)));
}

/**
 * Decides what makes people members of those groups alone, among the ones that the directory decides about: an event for each group whose
 * members come, and one for each whose members go. The directory may do so without the permissions, which the caller had who made
 * it the source; such groups give no membership of administrators.
 */
export async function decideMembers(
  tx: ReadTransaction,
  groups: DirectoryGroups,
  people: readonly PersonInGroups[],
): Promise<readonly NewEvent[]> {
  const all = [...groups.values()].flat();
  const known = people.filter(({ groupIds }) => groupIds !== undefined);
  const present = await listMembersAmong(
    tx,
    known.map(({ userId }) => userId),
    all.map(({ id }) => id),
  );
  const before = Map.groupBy(present, ({ groupId }) => groupId);
  const events: NewEvent[] = [];
  for (const group of all) {
    const members = new Set((before.get(group.id) ?? []).map(({ userId }) => userId));
    const isMeant = ({ groupIds = [] }: PersonInGroups) => groupIds.includes(group.id);
    const coming = known.filter((person) => isMeant(person) && !members.has(person.userId));
    const going = known.filter((person) => !isMeant(person) && members.has(person.userId));
    events.push(...addMembers(group, toMembers(coming)), ...removeMembers(group, toMembers(going)));
  }
  return events;
}

function toMembers(people: readonly PersonInGroups[]): GroupMembers {
  return { userIds: people.map(({ userId }) => userId), groupIds: [] };
}
