import { ApplicationState } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import {
  toDetailsAnswer,
  toListAnswer,
  toObjectDetails,
  toPageRequest,
  toRemovalAnswer,
  valueName,
} from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import { createApiApplicationRpcs, toApiMessage } from "./api/rpc.ts";
import { noResourceSource, type ResourceSource } from "./api/resource-source.ts";
import type { Application } from "./application.ts";
import { toApplicationName } from "./application/rpc.ts";
import type { ApplicationCommands } from "./commands.ts";
import type { ExternalClientCommands } from "./external/commands.ts";
import { createExternalClientRpcs } from "./external/rpc.ts";
import { createApplicationKeyRpcs } from "./keys/rpc.ts";
import { createClientSecretRpcs } from "./oauth/rpc.ts";
import { createOidcApplicationRpcs, type FetchRules, toOidcMessage } from "./oidc/rpc.ts";
import { createSamlRpcs, type SamlMessageOptions, toSamlMessage } from "./saml/rpc.ts";
import type { ServiceProviderReader } from "./saml/service-provider-reader.ts";

/** What the messages of applications need besides the commands. */
export interface ApplicationServiceParts {
  readonly fetcher: FetchRules;
  /** Reads the metadata of SAML applications. */
  readonly serviceProviders: ServiceProviderReader;
  readonly externalClients: ExternalClientCommands;
  /** Knows the issuer; default: there is none. */
  readonly resources?: ResourceSource;
}

/** Maps the messages of ApplicationService to commands; each kind of application maps its own. */
export function createApplicationService(
  commands: ApplicationCommands,
  context: FeatureContext,
  {
    fetcher,
    serviceProviders: reader,
    externalClients,
    resources = noResourceSource,
  }: ApplicationServiceParts,
): ServiceImplementation {
  return implementService(ApplicationService, {
    ...createSamlRpcs(commands),
    ...createOidcApplicationRpcs(commands, fetcher),
    ...createApiApplicationRpcs(commands, resources),
    ...createClientSecretRpcs(commands),
    ...createExternalClientRpcs(externalClients),
    ...createApplicationKeyRpcs(commands, context),
    getApplication: {
      run: async (call, request) => ({
        application: toApplicationMessage(await commands.get(call, toApplicationName(request)), {
          nowMs: context.clock.nowMs(),
          reader,
        }),
      }),
    },
    listApplications: {
      run: async (call, request) => {
        const filter = { ...request, state: valueName(ApplicationState, request.state) };
        const listed = await commands.list(call, filter, toPageRequest(request));
        const options = { nowMs: context.clock.nowMs(), reader: undefined };
        const applications = listed.page.items.map((application) =>
          toApplicationMessage(application, options),
        );
        return { ...toListAnswer(listed, context), applications };
      },
    },
    updateApplication: {
      run: async (call, request) =>
        toDetailsAnswer(await commands.rename(call, toApplicationName(request), request.name)),
    },
    deactivateApplication: {
      run: async (call, request) =>
        toDetailsAnswer(await commands.deactivate(call, toApplicationName(request))),
    },
    reactivateApplication: {
      run: async (call, request) =>
        toDetailsAnswer(await commands.reactivate(call, toApplicationName(request))),
    },
    removeApplication: {
      run: async (call, request) => toRemovalAnswer(await commands.remove(call, toApplicationName(request))),
    },
  });
}

function toApplicationMessage(application: Application, options: SamlMessageOptions) {
  return {
    id: application.id,
    details: toObjectDetails(application.details),
    state: ApplicationState[application.state],
    name: application.name,
    projectId: application.projectId,
    config: toConfigMessage(application, options),
  };
}

function toConfigMessage(application: Application, options: SamlMessageOptions) {
  const { kind } = application;
  switch (kind) {
    case "saml":
      return { case: kind, value: toSamlMessage(application, options) };
    case "oidc":
      return { case: kind, value: toOidcMessage(application) };
    case "api":
      return { case: kind, value: toApiMessage(application) };
  }
}
