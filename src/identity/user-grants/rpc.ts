import { UserGrantState } from "../../../gen/gatehouse/v1/user_grant_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { checkAsOf, readAsOf } from "../as-of-messages.ts";
import type { FeatureContext } from "../context.ts";
import { toListAnswer, toObjectDetails, toPageRequest, toRemovalAnswer } from "../messages.ts";
import {
  checkExpiresBefore,
  checkPeriod,
  checkPeriodChange,
  readExpiresBefore,
  readPeriod,
  readPeriodChange,
  toPeriodMessage,
} from "../rights-in-time/period-messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { UserGrantCommands } from "./commands.ts";
import type { EffectiveRole } from "./effective-role.ts";
import { findRepeatedIds, type UserGrant } from "./user-grant.ts";

/** Maps the messages of UserGrantService to commands. */
export function createUserGrantService(
  commands: UserGrantCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(UserGrantService, {
    addUserGrant: {
      check: checkPeriod,
      run: async (call, request) => {
        const { id, details } = await commands.add(call, { ...request, ...readPeriod(request) });
        return { userGrantId: id, details: toObjectDetails(details) };
      },
    },
    getUserGrant: {
      run: async (call, request) => ({ userGrant: toUserGrantMessage(await commands.get(call, request)) }),
    },
    listUserGrants: {
      check: (request) => [
        ...checkExpiresBefore(request),
        ...checkAsOf(request),
        ...(request.asOf.case !== undefined && request.search !== "" ? [searchOfPast] : []),
      ],
      run: async (call, request) => {
        const filter = { ...request, ...readExpiresBefore(request), asOf: readAsOf(request) };
        const listed = await commands.list(call, filter, toPageRequest(request));
        return { ...toListAnswer(listed, context), userGrants: listed.page.items.map(toUserGrantMessage) };
      },
    },
    updateUserGrant: {
      check: checkPeriodChange,
      run: async (call, request) => {
        const asked = { roleKeys: request.roleKeys, ...readPeriodChange(request) };
        return { details: toObjectDetails(await commands.update(call, request, asked)) };
      },
    },
    deactivateUserGrant: {
      run: async (call, request) => ({ details: toObjectDetails(await commands.deactivate(call, request)) }),
    },
    reactivateUserGrant: {
      run: async (call, request) => ({ details: toObjectDetails(await commands.reactivate(call, request)) }),
    },
    removeUserGrant: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request)),
    },
    bulkRemoveUserGrants: {
      check: (request) => findRepeatedIds(request.grantIds),
      run: async (call, { grantIds }) => toRemovalAnswer(await commands.removeAll(call, grantIds)),
    },
    listEffectiveRoles: {
      check: checkAsOf,
      run: async (call, request) => {
        const filter = { ...request, asOf: readAsOf(request) };
        const listed = await commands.listEffective(call, filter, toPageRequest(request));
        return {
          ...toListAnswer(listed, context),
          effectiveRoles: listed.page.items.map(toEffectiveRoleMessage),
        };
      },
    },
  });
}

const searchOfPast = { field: "search", description: "must be empty where the past is asked about" };

function toUserGrantMessage({ details, state, roleKeys, startDate, endDate, ...grant }: UserGrant) {
  return {
    ...grant,
    details: toObjectDetails(details),
    state: UserGrantState[state],
    roleKeys: [...roleKeys],
    ...toPeriodMessage({ startDate, endDate }),
  };
}

function toEffectiveRoleMessage({ id, groupId, projectId, organizationId, roleKeys }: EffectiveRole) {
  const via = groupId === "" ? { userGrantId: id } : { groupGrantId: id, groupId };
  return { projectId, organizationId, roleKeys: [...roleKeys], via };
}
