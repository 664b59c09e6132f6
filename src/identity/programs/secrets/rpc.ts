import type { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { toObjectDetails, toRemovalAnswer } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { SecretCommands } from "./commands.ts";

/** Maps the messages about client secrets of service users to commands. */
export function createSecretRpcs(
  commands: SecretCommands,
): Pick<ServiceRpcs<typeof UserService>, "generateServiceUserSecret" | "removeServiceUserSecret"> {
  return {
    generateServiceUserSecret: {
      run: async (call, request) => {
        const { clientId, secret, details } = await commands.generate(call, request.userId);
        return { clientId, clientSecret: secret.reveal(), details: toObjectDetails(details) };
      },
    },
    removeServiceUserSecret: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, request.userId)),
    },
  };
}
