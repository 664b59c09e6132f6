import { ApplicationState } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import type { FeatureContext } from "../context.ts";
import { toDetailsAnswer, toListAnswer, toObjectDetails, toPageRequest, valueName } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { Application } from "./application.ts";
import { toApplicationName } from "./application/rpc.ts";
import type { ApplicationCommands } from "./commands.ts";
import { createSamlRpcs, toSamlMessage } from "./saml/rpc.ts";

/** Maps the messages of ApplicationService to commands; each kind of application maps its own. */
export function createApplicationService(
  commands: ApplicationCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(ApplicationService, {
    ...createSamlRpcs(commands),
    getApplication: {
      run: async (call, request) => ({
        application: toApplicationMessage(
          await commands.get(call, toApplicationName(request)),
          context.clock.nowMs(),
        ),
      }),
    },
    listApplications: {
      run: async (call, request) => {
        const filter = { ...request, state: valueName(ApplicationState, request.state) };
        const listed = await commands.list(call, filter, toPageRequest(request));
        const nowMs = context.clock.nowMs();
        const applications = listed.page.items.map((application) => toApplicationMessage(application, nowMs));
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
      run: async (call, request) => toDetailsAnswer(await commands.remove(call, toApplicationName(request))),
    },
  });
}

function toApplicationMessage(application: Application, nowMs: number) {
  return {
    id: application.id,
    details: toObjectDetails(application.details),
    state: ApplicationState[application.state],
    name: application.name,
    projectId: application.projectId,
    config: { case: application.kind, value: toSamlMessage(application.saml, nowMs) },
  };
}
