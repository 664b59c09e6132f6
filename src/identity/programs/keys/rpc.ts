import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { FeatureContext } from "../../context.ts";
import {
  checkTimestamp,
  toKeyMessage,
  toListAnswer,
  toMilliseconds,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
} from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { checkExpiration } from "../tokens/token.ts";
import type { KeyCommands } from "./commands.ts";

/** Maps the messages about keys of service users to commands. */
export function createKeyRpcs(
  commands: KeyCommands,
  context: FeatureContext,
): Pick<
  ServiceRpcs<typeof UserService>,
  "addServiceUserKey" | "listServiceUserKeys" | "getServiceUserKey" | "removeServiceUserKey"
> {
  return {
    addServiceUserKey: {
      check: ({ expirationDate }) => [
        ...checkTimestamp("expiration_date", expirationDate),
        ...checkExpiration(toMilliseconds(expirationDate), context.clock.nowMs()),
      ],
      run: async (call, request) => {
        const { id, details, file } = await commands.add(call, {
          userId: request.userId,
          expirationMs: toMilliseconds(request.expirationDate),
          publicKey: request.publicKey,
        });
        const keyDetails = new TextEncoder().encode(file?.reveal());
        return { keyId: id, keyDetails, details: toObjectDetails(details) };
      },
    },
    listServiceUserKeys: {
      run: async (call, request) => {
        const listed = await commands.list(call, request.userId, toPageRequest(request));
        return { ...toListAnswer(listed, context), keys: listed.page.items.map(toKeyMessage) };
      },
    },
    getServiceUserKey: {
      run: async (call, request) => ({ key: toKeyMessage(await commands.get(call, request)) }),
    },
    removeServiceUserKey: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request)),
    },
  };
}
