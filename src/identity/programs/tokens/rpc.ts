import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { FeatureContext } from "../../context.ts";
import {
  checkTimestamp,
  toListAnswer,
  toMilliseconds,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  toTimestampOfMs,
} from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { TokenCommands, TokenWithLimits } from "./commands.ts";
import { checkExpiration } from "./token.ts";

/** Maps the messages about personal access tokens to commands. */
export function createTokenRpcs(
  commands: TokenCommands,
  context: FeatureContext,
): Pick<
  ServiceRpcs<typeof UserService>,
  "addPersonalAccessToken" | "listPersonalAccessTokens" | "removePersonalAccessToken"
> {
  return {
    addPersonalAccessToken: {
      check: ({ expirationDate }) => [
        ...checkTimestamp("expiration_date", expirationDate),
        ...checkExpiration(toMilliseconds(expirationDate), context.clock.nowMs()),
      ],
      run: async (call, request) => {
        const { id, details, token } = await commands.add(call, {
          userId: request.userId,
          expirationMs: toMilliseconds(request.expirationDate),
        });
        return { tokenId: id, token: token.reveal(), details: toObjectDetails(details) };
      },
    },
    listPersonalAccessTokens: {
      run: async (call, request) => {
        const listed = await commands.list(call, request.userId, toPageRequest(request));
        const personalAccessTokens = listed.page.items.map(toTokenMessage);
        return { ...toListAnswer(listed, context), personalAccessTokens };
      },
    },
    removePersonalAccessToken: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request)),
    },
  };
}

function toTokenMessage({ id, details, expirationMs, isLimited, leftOutMembershipIds }: TokenWithLimits) {
  return {
    id,
    details: toObjectDetails(details),
    isLimited,
    leftOutMembershipIds: [...leftOutMembershipIds],
    ...(expirationMs === undefined ? {} : { expirationDate: toTimestampOfMs(expirationMs) }),
  };
}
