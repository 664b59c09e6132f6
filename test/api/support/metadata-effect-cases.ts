import type { JsonObject } from "@bufbuild/protobuf";
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
