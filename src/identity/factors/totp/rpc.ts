import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { toObjectDetails, toRemovalAnswer, toVerificationDetails } from "../../messages.ts";
import { type ServiceRpcs, toForcedCall } from "../../rpc.ts";
import type { TotpCommands } from "./commands.ts";

/** Maps the messages about authenticator apps to commands. */
export function createTotpRpcs(
  commands: TotpCommands,
): Pick<ServiceRpcs<typeof UserService>, "registerTotp" | "verifyTotp" | "removeTotp"> {
  return {
    registerTotp: {
      run: async (call, request) => {
        const { details, uri, secret } = await commands.register(call, request.userId);
        return { details: toObjectDetails(details), uri: uri.reveal(), secret: secret.reveal() };
      },
    },
    verifyTotp: {
      run: async (call, { userId, code }) => {
        const details = await commands.verify(call, { userId, code: new Secret(code) });
        return { details: toVerificationDetails(details) };
      },
    },
    removeTotp: {
      run: async (call, request) =>
        toRemovalAnswer(await commands.remove(toForcedCall(call, request), request.userId)),
    },
  };
}
