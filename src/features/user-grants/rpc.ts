import { UserGrantState } from "../../../gen/gatehouse/v1/user_grant_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { toObjectDetails } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { UserGrantCommands } from "./commands.ts";
import type { UserGrant } from "./user-grant.ts";

/** Maps the messages of UserGrantService to commands. */
export function createUserGrantService(commands: UserGrantCommands): ServiceImplementation {
  return implementService(UserGrantService, {
    addUserGrant: {
      run: async (call, { userId, projectId, projectGrantId, roleKeys }) => {
        const { id, details } = await commands.add(call, { userId, projectId, projectGrantId, roleKeys });
        return { userGrantId: id, details: toObjectDetails(details) };
      },
    },
    getUserGrant: {
      run: async (call, { userId, grantId }) => ({
        userGrant: toUserGrantMessage(await commands.get(call, { userId, grantId })),
      }),
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
