import { UserGrantState } from "../../../gen/gatehouse/v1/user_grant_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import { toListDetails, toObjectDetails, toPageRequest } from "../messages.ts";
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
      run: async (call, { userId, projectId, projectGrantId, roleKeys }) => {
        const { id, details } = await commands.add(call, { userId, projectId, projectGrantId, roleKeys });
        return { userGrantId: id, details: toObjectDetails(details) };
      },
    },
    getUserGrant: {
      run: async (call, request) => ({ userGrant: toUserGrantMessage(await commands.get(call, request)) }),
    },
    listUserGrants: {
      run: async (call, request) => {
        const { userId, projectId, roleKey } = request;
        const filter = { userId, projectId, roleKey };
        const { page, sequence } = await commands.list(call, filter, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          userGrants: page.items.map(toUserGrantMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    updateUserGrant: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.update(call, request, request.roleKeys)),
      }),
    },
    deactivateUserGrant: {
      run: async (call, request) => ({ details: toObjectDetails(await commands.deactivate(call, request)) }),
    },
    reactivateUserGrant: {
      run: async (call, request) => ({ details: toObjectDetails(await commands.reactivate(call, request)) }),
    },
    removeUserGrant: {
      run: async (call, request) => ({ details: toObjectDetails(await commands.remove(call, request)) }),
    },
    bulkRemoveUserGrants: {
      check: (request) => findRepeatedIds(request.grantIds),
      run: async (call, { grantIds }) => ({
        details: toObjectDetails(await commands.removeAll(call, grantIds)),
      }),
    },
    listEffectiveRoles: {
      run: async (call, request) => {
        const { userId, projectId, organizationId } = request;
        const asked = { userId, projectId, organizationId };
        const { page, sequence } = await commands.listEffective(call, asked, toPageRequest(request));
        return {
          details: toListDetails(page, { sequence, nowMs: context.clock.nowMs() }),
          effectiveRoles: page.items.map(toEffectiveRoleMessage),
          nextPageToken: page.nextPageToken,
        };
      },
    },
  });
}

function toUserGrantMessage(grant: UserGrant) {
  return {
    id: grant.id,
    details: toObjectDetails(grant.details),
    state: grant.state === "ACTIVE" ? UserGrantState.ACTIVE : UserGrantState.INACTIVE,
    userId: grant.userId,
    projectId: grant.projectId,
    projectGrantId: grant.projectGrantId,
    roleKeys: [...grant.roleKeys],
  };
}

function toEffectiveRoleMessage({ projectId, organizationId, roleKeys }: EffectiveRole) {
  return { projectId, organizationId, roleKeys: [...roleKeys] };
}
