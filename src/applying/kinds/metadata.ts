import { type Metadata, MetadataSchema } from "../../../gen/gatehouse/v1/metadata_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { type Client, listAll } from "../../client/client.ts";
import { collect } from "../reading/reader.ts";
import type { FilePlace, ObjectKind } from "./object-kind.ts";
import { toStored } from "./stored.ts";

type Owner = "User" | "Organization" | "Project" | "Application" | "Group";
type Service = Client<typeof MetadataService>;
type Ids = Readonly<Record<string, string>>;

const lists: Readonly<Record<Owner, (service: Service, ids: Ids) => AsyncIterable<Metadata>>> = {
  User: (service, { user_id: userId = "" }) => listAll(service.listUserMetadata, { userId }),
  Organization: (service, { id = "" }) => listAll(service.listOrganizationMetadata, { id }),
  Project: (service, { project_id: projectId = "" }) => listAll(service.listProjectMetadata, { projectId }),
  Application: (service, { project_id: projectId = "", app_id: appId = "" }) =>
    listAll(service.listApplicationMetadata, { projectId, appId }),
  Group: (service, { group_id: groupId = "" }) => listAll(service.listGroupMetadata, { groupId }),
};

/** Returns the metadata of objects: a mapping from keys to values. `path`: the fields of requests that name the object. */
export function metadataOf(owner: Owner, path: Readonly<Record<string, string>>): ObjectKind {
  const idsAt = ({ ids }: FilePlace): Ids =>
    Object.fromEntries(Object.entries(path).map(([field, key]) => [field, ids[key] ?? ""]));
  return {
    key: "metadata",
    noun: "metadata",
    form: "map",
    names: ["key"],
    inline: "value",
    updates: [`set${owner}Metadata`],
    remove: `remove${owner}Metadata`,
    path,
    order: 80,
    children: [],
    async read(reader, place) {
      const service = reader.in(place.organizationId, MetadataService);
      const all = await collect(lists[owner](service, idsAt(place)));
      return all.map((metadata) => toStored(MetadataSchema, metadata));
    },
  };
}
