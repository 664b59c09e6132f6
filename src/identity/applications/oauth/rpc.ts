import type { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { toObjectDetails } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { toApplicationName } from "../application/rpc.ts";
import type { AddedClient, ClientSecretCommands } from "./commands.ts";

/** Maps the messages about client secrets of applications to commands. */
export function createClientSecretRpcs(
  commands: ClientSecretCommands,
): Pick<ServiceRpcs<typeof ApplicationService>, "generateClientSecret"> {
  return {
    generateClientSecret: {
      run: async (call, request) => {
        const { secret, details } = await commands.generateSecret(call, toApplicationName(request));
        return { clientSecret: secret.reveal(), details: toObjectDetails(details) };
      },
    },
  };
}

/** Makes the answer of a call that has added an OIDC or API application. */
export function toAddedClientAnswer({ id, details, secret }: AddedClient) {
  return {
    appId: id,
    details: toObjectDetails(details),
    clientId: id,
    clientSecret: secret?.reveal() ?? "",
  };
}
