import {
  type ClaimMapping as ClaimMappingMessage,
  ClaimSource,
  ClaimTarget,
  ClaimType,
  ProfileField,
} from "../../../gen/gatehouse/v1/claim_mapping_pb.ts";
import { ClaimMappingService } from "../../../gen/gatehouse/v1/claim_mapping_service_pb.ts";
import type { FieldViolation } from "../../kernel/base/problem.ts";
import { toApplicationName } from "../applications/application/rpc.ts";
import { toDetailsAnswer, toObjectDetails, toTimestamp, valueName } from "../messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import { checkMappings, type ClaimMapping } from "./claim-mapping.ts";
import type { ClaimMappingCommands, ReadMappings } from "./commands.ts";

/** Maps the messages of ClaimMappingService to commands. */
export function createClaimMappingService(commands: ClaimMappingCommands): ServiceImplementation {
  return implementService(ClaimMappingService, {
    setProjectClaimMappings: {
      check: checkMessages,
      run: async (call, { projectId, mappings }) =>
        toDetailsAnswer(await commands.setOfProject(call, projectId, mappings.map(toMapping))),
    },
    getProjectClaimMappings: {
      run: async (call, { projectId }) => toMappingsAnswer(await commands.getOfProject(call, projectId)),
    },
    setApplicationClaimMappings: {
      check: checkMessages,
      run: async (call, request) =>
        toDetailsAnswer(
          await commands.setOfApplication(call, toApplicationName(request), request.mappings.map(toMapping)),
        ),
    },
    getApplicationClaimMappings: {
      run: async (call, request) =>
        toMappingsAnswer(await commands.getOfApplication(call, toApplicationName(request))),
    },
    previewClaims: {
      run: async (call, { userId, scopes, ...request }) => {
        const previews = await commands.preview(call, { ...toApplicationName(request), userId, scopes });
        return {
          previews: previews.map(({ target, claims, leftOut }) => ({
            target: ClaimTarget[target],
            claims: JSON.stringify(claims),
            leftOut: leftOut.map(({ name }) => name),
          })),
        };
      },
    },
    setUserMetadataSharing: {
      check: ({ shared }) => checkKeys(shared.map(({ key }) => key)),
      run: async (call, { id, shared }) =>
        toDetailsAnswer(
          await commands.share(
            call,
            id,
            shared.map(({ key, sharedWith }) => ({ key, sharedWith })),
          ),
        ),
    },
    getUserMetadataSharing: {
      run: async (call, { id }) => {
        const { details, shared } = await commands.getShared(call, id);
        const keys = shared.map(({ key, sharedWith }) => ({ key, sharedWith: [...sharedWith] }));
        return { sharing: { details: toObjectDetails(details), shared: keys } };
      },
    },
  });
}

/** The rules of the proto are checked beside this one, so a message may still be anything. */
function checkMessages({
  mappings,
}: {
  readonly mappings: readonly ClaimMappingMessage[];
}): readonly FieldViolation[] {
  return checkMappings(mappings.map(toMapping)).filter(
    ({ field }) => !field.endsWith(".name") || mappings.every(({ name }) => name !== ""),
  );
}

function checkKeys(keys: readonly string[]): readonly FieldViolation[] {
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [{ field: `shared[${index}].key`, description: "must not be named twice" }],
  );
}

function toMapping(message: ClaimMappingMessage): ClaimMapping {
  const source = valueName(ClaimSource, message.source) ?? "CONSTANT"; // the proto refuses all others
  const isList = source === "GROUPS" || source === "ROLES";
  return {
    name: message.name,
    source,
    key: message.key,
    profileField: valueName(ProfileField, message.profileField),
    constant: message.constant,
    type: valueName(ClaimType, message.type) ?? (isList ? "LIST" : "STRING"),
    targets: message.targets.flatMap((target) => valueName(ClaimTarget, target) ?? []),
    scope: message.scope,
  };
}

function toMappingsAnswer({ details, mappings }: ReadMappings) {
  return { claimMappings: { details: toObjectDetails(details), mappings: mappings.map(toStoredMessage) } };
}

function toStoredMessage({ mapping, isPaused }: ReadMappings["mappings"][number]) {
  const { authorId, leftOutMicros } = mapping;
  return {
    mapping: {
      name: mapping.name,
      source: ClaimSource[mapping.source],
      key: mapping.key,
      profileField: ProfileField[mapping.profileField ?? "UNSPECIFIED"],
      constant: mapping.constant,
      type: ClaimType[mapping.type],
      targets: mapping.targets.map((target) => ClaimTarget[target]),
      scope: mapping.scope,
    },
    authorId,
    isPaused,
    ...(leftOutMicros === undefined ? {} : { leftOutDate: toTimestamp(leftOutMicros) }),
  };
}
