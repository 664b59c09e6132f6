import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { toObjectDetails, toRemovalAnswer } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { RecoveryCodeCommands } from "./commands.ts";

/** Maps the messages about recovery codes to commands. */
export function createRecoveryCodeRpcs(
  commands: RecoveryCodeCommands,
): Pick<ServiceRpcs<typeof UserService>, "generateRecoveryCodes" | "removeRecoveryCodes"> {
  return {
    generateRecoveryCodes: {
      run: async (call, request) => {
        const { details, codes } = await commands.generate(call, request.userId);
        return { details: toObjectDetails(details), codes: codes.map((code) => code.reveal()) };
      },
    },
    removeRecoveryCodes: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request.userId)),
    },
  };
}
