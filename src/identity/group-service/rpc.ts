import { GroupGrantState } from "../../../gen/gatehouse/v1/group_pb.ts";
import {
  type AddGroupMembersRequest,
  type AddGroupRequest,
  GroupService,
  type UpdateGroupRequest,
} from "../../../gen/gatehouse/v1/group_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import type { GroupGrant } from "../group-grants/group-grant.ts";
import type { FieldViolation } from "../../kernel/base/problem.ts";
import type { Group, GroupMembers, GroupSettings, GroupSource } from "../groups/group.ts";
import type { GroupMember } from "../groups/member-list-repository.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  toTimestamp,
} from "../messages.ts";
import {
  checkExpiresBefore,
  checkPeriod,
  checkPeriodChange,
  readExpiresBefore,
  readPeriod,
  readPeriodChange,
  toPeriodMessage,
} from "../rights-in-time/period-messages.ts";
import { implementService, type ServiceImplementation, type ServiceRpcs, toForcedCall } from "../rpc.ts";
import type { GroupServiceCommands } from "./commands.ts";

type Rpcs = ServiceRpcs<typeof GroupService>;

/** Maps the messages of GroupService to commands. */
export function createGroupService(
  commands: GroupServiceCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(GroupService, {
    ...groupRpcs(commands, context),
    ...memberRpcs(commands, context),
    ...grantRpcs(commands, context),
  });
}

function groupRpcs(
  commands: GroupServiceCommands,
  context: FeatureContext,
): Pick<Rpcs, "addGroup" | "getGroup" | "listGroups" | "updateGroup" | "removeGroup"> {
  return {
    addGroup: {
      run: async (call, request) => {
        const { id, details } = await commands.add(call, toSettings(request));
        return { id, details: toObjectDetails(details) };
      },
    },
    getGroup: {
      run: async (call, { id }) => ({ group: toGroupMessage(await commands.get(call, id)) }),
    },
    listGroups: {
      run: async (call, request) => {
        const listed = await commands.list(call, request, toPageRequest(request));
        const groups = listed.page.items.map(toGroupMessage);
        return { ...toListAnswer(listed, context), groups, members: listed.members.map(toMemberMessage) };
      },
    },
    updateGroup: {
      run: async (call, request) =>
        toDetailsAnswer(await commands.update(call, request.id, toSettings(request))),
    },
    removeGroup: {
      run: async (call, { id }) => toRemovalAnswer(await commands.remove(call, id)),
    },
  };
}

function memberRpcs(
  { members }: GroupServiceCommands,
  context: FeatureContext,
): Pick<Rpcs, "addGroupMembers" | "removeGroupMembers" | "listGroupMembers"> {
  return {
    addGroupMembers: {
      check: (request) => [...checkMembers(request), ...checkMemberPeriod(request)],
      run: async (call, request) => {
        const { userIds, groupIds } = request;
        const added = { userIds, groupIds, ...readPeriod(request) };
        return toDetailsAnswer(await members.add(toForcedCall(call, request), request.groupId, added));
      },
    },
    removeGroupMembers: {
      check: checkMembers,
      run: async (call, request) =>
        toRemovalAnswer({ details: await members.remove(call, request.groupId, request), removed: [] }),
    },
    listGroupMembers: {
      check: checkExpiresBefore,
      run: async (call, request) => {
        const asked = { groupId: request.groupId, ...readExpiresBefore(request) };
        const listed = await members.list(call, asked, toPageRequest(request));
        return { ...toListAnswer(listed, context), members: listed.page.items.map(toMemberMessage) };
      },
    },
  };
}

function grantRpcs(
  { grants }: GroupServiceCommands,
  context: FeatureContext,
): Pick<
  Rpcs,
  | "addGroupGrant"
  | "getGroupGrant"
  | "listGroupGrants"
  | "updateGroupGrant"
  | "deactivateGroupGrant"
  | "reactivateGroupGrant"
  | "removeGroupGrant"
> {
  return {
    addGroupGrant: {
      check: checkPeriod,
      run: async (call, request) => {
        const { id, details } = await grants.add(call, { ...request, ...readPeriod(request) });
        return { groupGrantId: id, details: toObjectDetails(details) };
      },
    },
    getGroupGrant: {
      run: async (call, request) => ({ groupGrant: toGroupGrantMessage(await grants.get(call, request)) }),
    },
    listGroupGrants: {
      check: checkExpiresBefore,
      run: async (call, request) => {
        const filter = { ...request, ...readExpiresBefore(request) };
        const listed = await grants.list(call, filter, toPageRequest(request));
        return { ...toListAnswer(listed, context), groupGrants: listed.page.items.map(toGroupGrantMessage) };
      },
    },
    updateGroupGrant: {
      check: checkPeriodChange,
      run: async (call, request) => {
        const asked = { roleKeys: request.roleKeys, ...readPeriodChange(request) };
        return toDetailsAnswer(await grants.update(call, request, asked));
      },
    },
    deactivateGroupGrant: {
      run: async (call, request) => toDetailsAnswer(await grants.deactivate(call, request)),
    },
    reactivateGroupGrant: {
      run: async (call, request) => toDetailsAnswer(await grants.reactivate(call, request)),
    },
    removeGroupGrant: {
      run: async (call, request) => toRemovalAnswer(await grants.remove(call, request)),
    },
  };
}

/** Users and groups together are limited, which no rule of a field can say. */
function checkMembers({ userIds, groupIds }: GroupMembers): readonly FieldViolation[] {
  const count = userIds.length + groupIds.length;
  if (count >= 1 && count <= maxMembersOfCall) return [];
  return [{ field: "user_ids", description: "must have, together with group_ids, 1 to 1,000 entries" }];
}

const maxMembersOfCall = 1000;

/** Finds dates that are none, and dates beside groups: these are in a group for good. */
function checkMemberPeriod(request: AddGroupMembersRequest): readonly FieldViolation[] {
  const { startDate, endDate, groupIds } = request;
  const hasDates = startDate !== undefined || endDate !== undefined;
  if (groupIds.length === 0 || !hasDates) return checkPeriod(request);
  return [{ field: "group_ids", description: "must be empty beside start_date or end_date" }];
}

function toSettings({
  name,
  description,
  externalId,
  source,
}: AddGroupRequest | UpdateGroupRequest): GroupSettings {
  return { name, description, externalId, source: readSource(source) };
}

function readSource(source: AddGroupRequest["source"]): GroupSource | undefined {
  switch (source.case) {
    case "sourceIdpId":
      return { kind: "provider", idpId: source.value };
    case "sourceUserId":
      return { kind: "user", userId: source.value };
    case "sourceHookId":
      return { kind: "hook", hookId: source.value };
    case undefined:
      return undefined;
  }
}

function toGroupMessage({ id, details, name, description, externalId, source }: Group) {
  return {
    id,
    details: toObjectDetails(details),
    name,
    description,
    externalId,
    source: toSourceMessage(source),
  };
}

function toSourceMessage(source: GroupSource | undefined) {
  switch (source?.kind) {
    case undefined:
      return { case: undefined };
    case "provider":
      return { case: "sourceIdpId" as const, value: source.idpId };
    case "user":
      return { case: "sourceUserId" as const, value: source.userId };
    case "hook":
      return { case: "sourceHookId" as const, value: source.hookId };
  }
}

function toMemberMessage({ id, kind, details, ...period }: GroupMember) {
  const member =
    kind === "user" ? { case: "userId" as const, value: id } : { case: "groupId" as const, value: id };
  return { member, addDate: toTimestamp(details.creationDate), ...toPeriodMessage(period) };
}

function toGroupGrantMessage({ details, state, roleKeys, startDate, endDate, ...grant }: GroupGrant) {
  return {
    ...grant,
    details: toObjectDetails(details),
    state: GroupGrantState[state],
    roleKeys: [...roleKeys],
    ...toPeriodMessage({ startDate, endDate }),
  };
}
