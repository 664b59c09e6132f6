import { SamlMetadataState } from "../../../../gen/gatehouse/v1/application_pb.ts";
import type { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import type { FieldViolation } from "../../../base/problem.ts";
import { urlViolation } from "../../../base/url.ts";
import { toDetailsAnswer, toObjectDetails, toTimestamp } from "../../messages.ts";
import type { ServiceRpcs } from "../../rpc.ts";
import { toApplicationName } from "../application/rpc.ts";
import type { SamlCommands } from "./commands.ts";
import { isMetadataExpired, type SamlConfig } from "./saml-config.ts";

/** Maps the messages about SAML applications to commands. */
export function createSamlRpcs(
  commands: SamlCommands,
): Pick<ServiceRpcs<typeof ApplicationService>, "createSamlApplication" | "updateSamlConfig"> {
  return {
    createSamlApplication: {
      check: (request) => checkMetadataUrl(request.metadataUrl),
      run: async (call, { projectId, name, metadataXml, metadataUrl }) => {
        const application = { projectId, name, metadataXml, metadataUrl };
        const { id, details, entityId } = await commands.createSaml(call, application);
        return { appId: id, details: toObjectDetails(details), entityId: entityId ?? "" };
      },
    },
    updateSamlConfig: {
      check: (request) => checkMetadataUrl(request.metadataUrl),
      run: async (call, request) =>
        toDetailsAnswer(await commands.updateSaml(call, toApplicationName(request), request)),
    },
  };
}

/**
 * Leaves an empty text to the rule of the proto, and a forbidden URL to the guarded fetch, which has a reason of its
 * own.
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

/** Makes the message of the config; `nowMs` decides whether the metadata is expired. */
export function toSamlMessage(saml: SamlConfig, nowMs: number) {
  const { metadata } = saml;
  return {
    entityId: metadata?.entityId ?? "",
    metadataXml: new Uint8Array(Buffer.from(metadata?.xml ?? "", "utf8")),
    metadataUrl: saml.metadataUrl,
    assertionConsumerServices: [...(metadata?.assertionConsumerServices ?? [])],
    ...(saml.metadataFetchDate === undefined
      ? {}
      : { metadataFetchDate: toTimestamp(saml.metadataFetchDate) }),
    metadataState: SamlMetadataState[saml.metadataState],
    metadataError: saml.metadataError,
    metadataExpired: isMetadataExpired(saml, nowMs),
  };
}
