import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { toRemovalAnswer } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { CodeFactorCommands } from "./commands.ts";

/** Maps the messages about second factors that are codes to commands. */
export function createCodeFactorRpcs(
  commands: CodeFactorCommands,
): Pick<ServiceRpcs<typeof UserService>, "removeCodeFactor"> {
  return {
    removeCodeFactor: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request)),
    },
  };
}
