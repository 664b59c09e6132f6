import { ApiAuthMethodType } from "../../../../gen/gatehouse/v1/application_pb.ts";
import type { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { toDetailsAnswer, valueName } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { toApplicationName } from "../application/rpc.ts";
import { toAddedClientAnswer } from "../oauth/rpc.ts";
import type { ApiApplication, ApiSettings } from "./api-application.ts";
import type { ApiApplicationCommands } from "./commands.ts";

/** Maps the messages about API applications to commands. */
export function createApiApplicationRpcs(
  commands: ApiApplicationCommands,
): Pick<ServiceRpcs<typeof ApplicationService>, "createApiApplication" | "updateApiConfig"> {
  return {
    createApiApplication: {
      run: async (call, request) => {
        const { projectId, name } = request;
        const settings = toApiSettings(request);
        return toAddedClientAnswer(await commands.createApi(call, { projectId, name, settings }));
      },
    },
    updateApiConfig: {
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateApi(call, toApplicationName(request), toApiSettings(request))),
    },
  };
}

function toApiSettings(request: { readonly authMethodType: ApiAuthMethodType }): ApiSettings {
  return { authMethodType: valueName(ApiAuthMethodType, request.authMethodType) ?? "BASIC" };
}

/** Makes the message of the config. */
export function toApiMessage({ id, api }: ApiApplication) {
  return { clientId: id, authMethodType: ApiAuthMethodType[api.authMethodType] };
}
