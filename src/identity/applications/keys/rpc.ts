import type { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
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
import { checkExpiration } from "../../programs/tokens/token.ts";
import { toApplicationName } from "../application/rpc.ts";
import type { ApplicationKeyCommands } from "./commands.ts";

/** Maps the messages about keys of applications to commands. */
export function createApplicationKeyRpcs(
  commands: ApplicationKeyCommands,
  context: FeatureContext,
): Pick<
  ServiceRpcs<typeof ApplicationService>,
  "addApplicationKey" | "listApplicationKeys" | "getApplicationKey" | "removeApplicationKey"
> {
  return {
    addApplicationKey: {
      check: ({ expirationDate }) => [
        ...checkTimestamp("expiration_date", expirationDate),
        ...checkExpiration(toMilliseconds(expirationDate), context.clock.nowMs()),
      ],
      run: async (call, request) => {
        const { id, details, file } = await commands.addKey(call, toApplicationName(request), {
          expirationMs: toMilliseconds(request.expirationDate),
          publicKey: request.publicKey,
        });
        const keyDetails = new TextEncoder().encode(file?.reveal());
        return { id, details: toObjectDetails(details), keyDetails };
      },
    },
    listApplicationKeys: {
      run: async (call, request) => {
        const listed = await commands.listKeys(call, toApplicationName(request), toPageRequest(request));
        return { ...toListAnswer(listed, context), keys: listed.page.items.map(toKeyMessage) };
      },
    },
    getApplicationKey: {
      run: async (call, request) => ({
        key: toKeyMessage(await commands.getKey(call, toApplicationName(request), request.keyId)),
      }),
    },
    removeApplicationKey: {
      run: async (call, request) =>
        toRemovalAnswer(await commands.removeKey(call, toApplicationName(request), request.keyId)),
    },
  };
}
