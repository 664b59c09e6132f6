import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { RefreshFamily } from "../../logins/authorizations/authorization.ts";
import type { FeatureContext } from "../../context.ts";
import {
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  toTimestampOfMs,
} from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { RefreshTokenCommands } from "./commands.ts";

/** Maps the messages about refresh tokens to commands. */
export function createRefreshTokenRpcs(
  commands: RefreshTokenCommands,
  context: FeatureContext,
): Pick<ServiceRpcs<typeof UserService>, "listRefreshTokens" | "removeRefreshToken"> {
  return {
    listRefreshTokens: {
      run: async (call, request) => {
        const listed = await commands.list(call, request.userId, toPageRequest(request));
        return { ...toListAnswer(listed, context), refreshTokens: listed.page.items.map(toMessage) };
      },
    },
    removeRefreshToken: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request)),
    },
  };
}

function toMessage(family: RefreshFamily) {
  return {
    id: family.id,
    details: toObjectDetails(family.details),
    clientId: family.applicationId,
    authDate: toTimestampOfMs(family.authTimeMs),
    expirationDate: toTimestampOfMs(family.expirationMs),
    scopes: [...family.scopes],
  };
}
