import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { ClaimMappingService } from "../../../gen/gatehouse/v1/claim_mapping_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import type { EffectCase, Ground, Read } from "./field-effect.ts";
import { newGroupIn } from "./group-effect-cases.ts";

const { method } = MetadataService;
const value = Buffer.from("the value").toString("base64");

/** How requests name an object, by proto path, and the call that lists its metadata. */
interface Named {
  readonly named: Readonly<Record<string, string>>;
  readonly list: Read;
}

const objects: Readonly<Record<string, (ground: Ground) => Promise<Named> | Named>> = {
  User: ({ world: { userId } }) => ({
    named: { user_id: userId },
    list: [method.listUserMetadata, { userId }],
  }),
  Organization: ({ world: { organizationId: id } }) => ({
    named: { id },
    list: [method.listOrganizationMetadata, { id }],
  }),
  Project: ({ world: { projectId } }) => ({
    named: { project_id: projectId },
    list: [method.listProjectMetadata, { projectId }],
  }),
  Application: ({ world: { projectId, appId } }) => ({
    named: { project_id: projectId, app_id: appId },
    list: [method.listApplicationMetadata, { projectId, appId }],
  }),
  async Group(ground) {
    const groupId = await newGroupIn(ground);
    return { named: { group_id: groupId }, list: [method.listGroupMetadata, { groupId }] };
  },
};

const mappings: JsonValue = [
  {
    name: "size",
    source: "CLAIM_SOURCE_USER_METADATA",
    key: "size",
    profileField: "PROFILE_FIELD_UNSPECIFIED",
    constant: "",
    type: "CLAIM_TYPE_NUMBER",
    targets: ["CLAIM_TARGET_ID_TOKEN", "CLAIM_TARGET_SAML"],
    scope: "hr",
  },
  {
    name: "login",
    source: "CLAIM_SOURCE_PROFILE_FIELD",
    key: "",
    profileField: "PROFILE_FIELD_USERNAME",
    constant: "",
    type: "CLAIM_TYPE_STRING",
    targets: ["CLAIM_TARGET_USERINFO"],
    scope: "",
  },
];

/** Each mapping is shown with what has become of it. */
const asStored: EffectCase["seenAs"] = {
  mappings: ({ value: sent, read }) =>
    isDeepStrictEqual(
      sent,
      listMappings(read).map(({ mapping }) => mapping),
    ),
};

/** The read is shown without what surrounds its object. */
function listMappings(read: JsonObject): readonly JsonObject[] {
  const { claimMappings = read } = read;
  return (claimMappings as { readonly mappings?: readonly JsonObject[] }).mappings ?? [];
}

const claims = ClaimMappingService.method;

/** The rpcs that set claims of one's own, and what an organization shares for them. */
export const claimEffectCases: Readonly<Record<string, EffectCase>> = {
  SetProjectClaimMappings: {
    prepare: ({ world: { projectId } }) =>
      Promise.resolve({
        given: { project_id: projectId, mappings },
        read: () => [claims.getProjectClaimMappings, { projectId }],
      }),
    seenAs: asStored,
  },
  SetApplicationClaimMappings: {
    prepare: ({ world: { projectId, appId } }) =>
      Promise.resolve({
        given: { project_id: projectId, app_id: appId, mappings },
        read: () => [claims.getApplicationClaimMappings, { projectId, appId }],
      }),
    seenAs: asStored,
  },
  SetUserMetadataSharing: {
    prepare: ({ world: { organizationId: id }, partnerId }) =>
      Promise.resolve({
        given: { id, shared: [{ key: "size", sharedWith: [partnerId] }] },
        read: () => [claims.getUserMetadataSharing, { id }],
      }),
  },
};

/** The rpcs that set metadata, of each kind of object. */
export const metadataEffectCases: Readonly<Record<string, EffectCase>> = Object.fromEntries(
  Object.entries(objects).flatMap(([kind, find]) => {
    const caseWith = (values: JsonObject): EffectCase => ({
      async prepare(ground) {
        const { named, list } = await find(ground);
        return { given: { ...named, ...values }, read: () => list };
      },
    });
    return [
      [`Set${kind}Metadata`, caseWith({ value })],
      [`BulkSet${kind}Metadata`, caseWith({ "items.value": value })],
    ];
  }),
);
