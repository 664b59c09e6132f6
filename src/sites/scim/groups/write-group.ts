import { GroupService } from "../../../../gen/gatehouse/v1/group_service_pb.ts";
import type { Group } from "../../../identity/groups/group.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { RpcUnit, ScimRequest } from "../calls/rpc-calls.ts";
import { refusal, resourceNotFound } from "../errors/scim-error.ts";
import { plainTextOf, type ScimResource } from "../schemas/resource.ts";
import { toGroupResource } from "./group-resource.ts";
import { findMemberIds, type MemberChange, readMemberIds } from "./member-changes.ts";
import { findGroupByExternalId, findMemberGroups, readScimGroups, type StoredGroup } from "./repository.ts";

const { addGroup, updateGroup, removeGroup, addGroupMembers, removeGroupMembers } = GroupService.method;

/**
 * Adds a group with members, by AddGroup and AddGroupMembers. Its source is the service user, who alone changes the members, if it belongs
 * to the organization.
 */
export async function createGroup(request: ScimRequest, wanted: ScimResource): Promise<ScimResource> {
  const { caller, organizationId } = request;
  const source =
    (caller.organizationId as string) === organizationId
      ? ({ case: "sourceUserId", value: caller.userId } as const)
      : { case: undefined };
  return await request.options.calls.write(request, async (unit) => {
    const externalId = plainTextOf(wanted["externalId"]) ?? "";
    await requireFreeId(request, unit, { id: "", externalId });
    const { id } = await unit.call(addGroup, {
      name: plainTextOf(wanted["displayName"]) ?? "",
      externalId,
      source,
    });
    await changeMembers(request, unit, id, { kind: "add", ids: readMemberIds(wanted["members"]) });
    return toGroupResource(await getStoredGroup(request, unit.tx, id, true), request.baseUrl);
  });
}

/** Changes a group by UpdateGroup, and then its members by AddGroupMembers and RemoveGroupMembers. `decide` sees it without its members. */
export async function changeGroup(
  request: ScimRequest,
  id: string,
  change: {
    readonly decide: (before: ScimResource) => ScimResource;
    readonly members: readonly MemberChange[];
    /** Whether the answer has the members. */
    readonly hasMembers: boolean;
  },
): Promise<ScimResource> {
  return await request.options.calls.write(request, async (unit) => {
    const { group } = await getStoredGroup(request, unit.tx, id, false);
    const after = change.decide(toGroupResource({ group, members: undefined }, request.baseUrl));
    await changeSettings(request, unit, group, after);
    for (const each of change.members) await changeMembers(request, unit, id, each);
    const stored = await getStoredGroup(request, unit.tx, id, change.hasMembers);
    return toGroupResource(stored, request.baseUrl);
  });
}

/** Removes a group, by RemoveGroup. `require` sees the group before. */
export async function deleteGroup(
  request: ScimRequest,
  id: string,
  require: (before: ScimResource) => void,
): Promise<void> {
  await request.options.calls.write(request, async (unit) => {
    require(toGroupResource(await getStoredGroup(request, unit.tx, id, false), request.baseUrl));
    await unit.call(removeGroup, { id });
  });
}

/** Reads a group. Raises 404. */
export async function getStoredGroup(
  { organizationId }: ScimRequest,
  tx: ReadTransaction,
  id: string,
  hasMembers: boolean,
): Promise<StoredGroup> {
  const [found] = await readScimGroups(tx, { organizationId, hasMembers }, [id]);
  if (found === undefined) throw resourceNotFound(id);
  return found;
}

async function changeSettings(
  request: ScimRequest,
  unit: RpcUnit,
  group: Group,
  after: ScimResource,
): Promise<void> {
  const { id, description, source } = group;
  const name = plainTextOf(after["displayName"]) ?? "";
  const externalId = plainTextOf(after["externalId"]) ?? "";
  if (name === group.name && externalId === group.externalId) return;
  await requireFreeId(request, unit, { id, externalId });
  await unit.call(updateGroup, { id, name, description, externalId, source: toSourceField(source) });
}

function toSourceField(source: Group["source"]) {
  switch (source?.kind) {
    case undefined:
      return { case: undefined };
    case "provider":
      return { case: "sourceIdpId", value: source.idpId } as const;
    case "user":
      return { case: "sourceUserId", value: source.userId } as const;
    case "hook":
      return { case: "sourceHookId", value: source.hookId } as const;
  }
}

/** The API takes so many members at once. */
const membersPerCall = 1000;

async function changeMembers(
  request: ScimRequest,
  unit: RpcUnit,
  id: string,
  change: MemberChange,
): Promise<void> {
  const { added, removed } = await settle(request, unit, id, change);
  for (const kind of ["removed", "added"] as const) {
    const ids = kind === "added" ? added : removed;
    const groups = await findMemberGroups(unit.tx, request.organizationId, ids);
    for (let at = 0; at < ids.length; at += membersPerCall) {
      const some = ids.slice(at, at + membersPerCall);
      const [groupIds, userIds] = [
        some.filter((each) => groups.has(each)),
        some.filter((each) => !groups.has(each)),
      ];
      const members = { groupId: id, userIds, groupIds };
      await (kind === "added"
        ? callForMembers(unit.call(addGroupMembers, members))
        : unit.call(removeGroupMembers, members));
      await unit.tx.pause();
    }
  }
}

/** The group exists, so what is not found is a member. A directory would take 404 for the group. Raises invalidValue. */
async function callForMembers(made: Promise<unknown>): Promise<void> {
  try {
    await made;
  } catch (error) {
    if (error instanceof Problem && error.kind === "not-found") throw refusal("invalidValue", error.message);
    throw error;
  }
}

/** Says whom a change adds and removes. */
async function settle(request: ScimRequest, { tx }: RpcUnit, id: string, change: MemberChange) {
  if (change.kind === "add") return { added: change.ids, removed: [] };
  if (change.kind === "remove") return { added: [], removed: change.ids };
  const { members = [] } = await getStoredGroup(request, tx, id, true);
  if (change.kind === "remove-found") return { added: [], removed: findMemberIds(change.filter, members) };
  const wanted = new Set(change.ids);
  const present = new Set(members.map((member) => member.id));
  return {
    added: change.ids.filter((each) => !present.has(each)),
    removed: [...present].filter((each) => !wanted.has(each)),
  };
}

/** Each service user calls at most one of its groups by an id. Raises uniqueness. */
async function requireFreeId(
  { organizationId, caller }: ScimRequest,
  { tx }: RpcUnit,
  { id, externalId }: { readonly id: string; readonly externalId: string },
): Promise<void> {
  if (externalId === "") return;
  const found = await findGroupByExternalId(tx, { organizationId, serviceUserId: caller.userId, externalId });
  if (found !== undefined && found !== id)
    throw refusal("uniqueness", `another group has the externalId ${JSON.stringify(externalId)}`);
}
