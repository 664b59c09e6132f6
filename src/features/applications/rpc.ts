import { ApplicationState, SamlMetadataState } from "../../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import type { FieldViolation } from "../../base/problem.ts";
import { urlViolation } from "../../base/url.ts";
import { toObjectDetails, toTimestamp } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { Application } from "./application.ts";
import type { ApplicationCommands } from "./commands.ts";
import type { SamlConfig } from "./saml.ts";

/** Maps the messages of ApplicationService to commands. */
export function createApplicationService(commands: ApplicationCommands): ServiceImplementation {
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
      run: async (call, { projectId, appId }) => ({
        application: toApplicationMessage(await commands.get(call, { projectId, applicationId: appId })),
      }),
    },
  });
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

const metadataStates: Readonly<Record<SamlConfig["metadataState"], SamlMetadataState>> = {
  PENDING: SamlMetadataState.PENDING,
  READY: SamlMetadataState.READY,
  FAILED: SamlMetadataState.FAILED,
};

function toApplicationMessage(application: Application) {
  return {
    id: application.id,
    details: toObjectDetails(application.details),
    state: application.state === "ACTIVE" ? ApplicationState.ACTIVE : ApplicationState.INACTIVE,
    name: application.name,
    projectId: application.projectId,
    config: { case: "saml" as const, value: toSamlMessage(application.saml) },
  };
}

function toSamlMessage({ metadata, ...saml }: SamlConfig) {
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
  };
}
