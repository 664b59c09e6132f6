import { ExternalClientKind } from "../../../../gen/gatehouse/v1/application_pb.ts";
import type {
  ApplicationService,
  UpdateExternalClientSettingsRequest,
} from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { toDetailsAnswer, toObjectDetails, valueName } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import type { ExternalClientCommands } from "./commands.ts";
import { type ExternalClientSettings, findSettingsFaults } from "./settings.ts";

/** Maps the messages about external clients to commands. */
export function createExternalClientRpcs(
  commands: ExternalClientCommands,
): Pick<
  ServiceRpcs<typeof ApplicationService>,
  "getExternalClientSettings" | "updateExternalClientSettings"
> {
  return {
    getExternalClientSettings: {
      run: async (call) => {
        const { details, kinds, hostPatterns, projectId } = await commands.getExternalClients(call);
        return {
          settings: {
            ...(details === undefined ? {} : { details: toObjectDetails(details) }),
            kinds: kinds.map((kind) => ExternalClientKind[kind]),
            hostPatterns: [...hostPatterns],
            projectId,
          },
        };
      },
    },
    updateExternalClientSettings: {
      check: (request) => findSettingsFaults(toSettings(request)),
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateExternalClients(call, toSettings(request))),
    },
  };
}

function toSettings(request: UpdateExternalClientSettingsRequest): ExternalClientSettings {
  return {
    kinds: [...new Set(request.kinds)].flatMap((kind) => valueName(ExternalClientKind, kind) ?? []),
    hostPatterns: [...new Set(request.hostPatterns)],
    projectId: request.projectId,
  };
}
