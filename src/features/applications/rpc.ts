import { ApplicationState, SamlMetadataState } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import type { FieldViolation } from "../../base/problem.ts";
import { urlViolation } from "../../base/url.ts";
import type { FeatureContext } from "../context.ts";
import { toListDetails, toObjectDetails, toPageRequest, toTimestamp } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { Application } from "./application.ts";
import type { ApplicationCommands } from "./commands.ts";
import type { ApplicationName } from "./get-application.ts";
import { isMetadataExpired, type SamlConfig } from "./saml/saml-config.ts";

/** Maps the messages of ApplicationService to commands. */
export function createApplicationService(
  commands: ApplicationCommands,
  context: FeatureContext,
): ServiceImplementation {
  return implementService(ApplicationService, {
    createSamlApplication: {
      check: (request) => checkMetadataUrl(request.metadataUrl),
      run: async (call, { projectId, name, metadataXml, metadataUrl }) => {
        const application = { projectId, name, metadataXml, metadataUrl };
        const { id, details, entityId } = await commands.createSaml(call, application);
        return { appId: id, details: toObjectDetails(details), entityId: entityId ?? "" };
      },
    },
    getApplication: {
      run: async (call, request) => ({
        application: toApplicationMessage(await commands.get(call, toName(request)), context.clock.nowMs()),
      }),
    },
    listApplications: {
      run: async (call, request) => {
        const { projectId, name } = request;
        const filter = { projectId, name, state: stateNames[request.state] };
        const { page, sequence } = await commands.list(call, filter, toPageRequest(request));
        const nowMs = context.clock.nowMs();
        return {
          details: toListDetails(page, { sequence, nowMs }),
          applications: page.items.map((application) => toApplicationMessage(application, nowMs)),
          nextPageToken: page.nextPageToken,
        };
      },
    },
    updateApplication: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.rename(call, toName(request), request.name)),
      }),
    },
    updateSamlConfig: {
      check: (request) => checkMetadataUrl(request.metadataUrl),
      run: async (call, request) => ({
        details: toObjectDetails(await commands.updateSaml(call, toName(request), request)),
      }),
    },
    deactivateApplication: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.deactivate(call, toName(request))),
      }),
    },
    reactivateApplication: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.reactivate(call, toName(request))),
      }),
    },
    removeApplication: {
      run: async (call, request) => ({
        details: toObjectDetails(await commands.remove(call, toName(request))),
      }),
    },
  });
}

function toName(request: { readonly projectId: string; readonly appId: string }): ApplicationName {
  return { projectId: request.projectId, applicationId: request.appId };
}

/**
 * Leaves an empty text to the rule of the proto, and a URL that the service does not connect to to the
 * guarded fetch, which has a reason of its own for it.
 */
function checkMetadataUrl(text: string): readonly FieldViolation[] {
  if (text === "" || isForbidden(URL.parse(text))) return [];
  const description = urlViolation(text, { allowQuery: true });
  return description === undefined ? [] : [{ field: "metadata_url", description }];
}

function isForbidden(url: URL | null): boolean {
  if (url === null) return false;
  return !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "";
}

const stateNames: Readonly<Record<ApplicationState, Application["state"] | undefined>> = {
  [ApplicationState.UNSPECIFIED]: undefined,
  [ApplicationState.ACTIVE]: "ACTIVE",
  [ApplicationState.INACTIVE]: "INACTIVE",
};

const metadataStates: Readonly<Record<SamlConfig["metadataState"], SamlMetadataState>> = {
  PENDING: SamlMetadataState.PENDING,
  READY: SamlMetadataState.READY,
  FAILED: SamlMetadataState.FAILED,
};

function toApplicationMessage(application: Application, nowMs: number) {
  return {
    id: application.id,
    details: toObjectDetails(application.details),
    state: application.state === "ACTIVE" ? ApplicationState.ACTIVE : ApplicationState.INACTIVE,
    name: application.name,
    projectId: application.projectId,
    config: { case: "saml" as const, value: toSamlMessage(application.saml, nowMs) },
  };
}

function toSamlMessage(saml: SamlConfig, nowMs: number) {
  const { metadata } = saml;
  return {
    entityId: metadata?.entityId ?? "",
    metadataXml: new Uint8Array(Buffer.from(metadata?.xml ?? "", "utf8")),
    metadataUrl: saml.metadataUrl,
    assertionConsumerServices: [...(metadata?.assertionConsumerServices ?? [])],
    ...(saml.metadataFetchDate === undefined
      ? {}
      : { metadataFetchDate: toTimestamp(saml.metadataFetchDate) }),
    metadataState: metadataStates[saml.metadataState],
    metadataError: saml.metadataError,
    metadataExpired: isMetadataExpired(saml, nowMs),
  };
}
