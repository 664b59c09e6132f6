import { ApiAuthMethodType, ApiResourceState } from "../../../../gen/gatehouse/v1/application_pb.ts";
import type {
  ApplicationService,
  CreateApiApplicationRequest,
  UpdateApiConfigRequest,
} from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import type { FieldViolation } from "../../../kernel/base/problem.ts";
import { toDetailsAnswer, valueName } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { toApplicationName } from "../application/rpc.ts";
import { toAddedClientAnswer } from "../oauth/rpc.ts";
import type { ApiApplication } from "./api-application.ts";
import { resourceViolation } from "./api-resource.ts";
import { checkApiScopes } from "./api-scope.ts";
import type { ApiApplicationCommands, AskedApiSettings } from "./commands.ts";
import type { ResourceSource } from "./resource-source.ts";

/** Maps the messages about API applications to commands. */
export function createApiApplicationRpcs(
  commands: ApiApplicationCommands,
  source: Pick<ResourceSource, "issuer">,
): Pick<ServiceRpcs<typeof ApplicationService>, "createApiApplication" | "updateApiConfig"> {
  const check = (request: SettingsRequest) => checkSettings(request, source.issuer());
  return {
    createApiApplication: {
      check,
      run: async (call, request) => {
        const { projectId, name } = request;
        const settings = toApiSettings(request);
        return toAddedClientAnswer(await commands.createApi(call, { projectId, name, settings }));
      },
    },
    updateApiConfig: {
      check,
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateApi(call, toApplicationName(request), toApiSettings(request))),
    },
  };
}

type SettingsRequest = CreateApiApplicationRequest | UpdateApiConfigRequest;

function checkSettings(request: SettingsRequest, issuer: string | undefined): readonly FieldViolation[] {
  const { resource, devMode: isDevMode, scopes } = request;
  const description = resource === "" ? undefined : resourceViolation(resource, { isDevMode, issuer });
  return [
    ...(description === undefined ? [] : [{ field: "resource", description }]),
    ...checkApiScopes(scopes),
  ];
}

function toApiSettings(request: SettingsRequest): AskedApiSettings {
  return {
    authMethodType: valueName(ApiAuthMethodType, request.authMethodType) ?? "BASIC",
    resource: request.resource,
    scopes: request.scopes.map(({ name, description, isDefault, roleKeys }) => ({
      name,
      description,
      isDefault,
      roleKeys,
    })),
    isDevMode: request.devMode,
    allowsExternalClients: request.allowExternalClients,
    isResourceVerified: request.resourceVerified,
  };
}

/** Makes the message of the config. */
export function toApiMessage({ id, api }: ApiApplication) {
  const { authMethodType, resource, resourceState, scopes, isDevMode, allowsExternalClients } = api;
  return {
    clientId: id,
    authMethodType: ApiAuthMethodType[authMethodType],
    resource,
    scopes: scopes.map(({ name, description, isDefault, roleKeys }) => ({
      name,
      description,
      isDefault,
      roleKeys: [...roleKeys],
    })),
    devMode: isDevMode,
    allowExternalClients: allowsExternalClients,
    resourceState: ApiResourceState[resourceState ?? "UNSPECIFIED"],
  };
}
