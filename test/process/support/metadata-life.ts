import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { type Described, setMetadataOfAll } from "../../api/support/metadata-of-all.ts";
import { createCaller } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

/** Has two keys on each kind of object, of which one goes. */
export async function liveMetadata(service: ConnectedService, objects: Described): Promise<void> {
  const { organizationId: id, userId, projectId, appId, groupId } = objects;
  for (const key of ["stays", "goes"]) await setMetadataOfAll(service, objects, key);
  const rpcs = MetadataService.method;
  const inside = createCaller(service, id);
  const key = "goes";
  await service.call(rpcs.removeUserMetadata, { userId, key });
  await service.call(rpcs.removeOrganizationMetadata, { id, key });
  await inside(rpcs.removeProjectMetadata, { projectId, key });
  await inside(rpcs.removeApplicationMetadata, { projectId, appId, key });
  await inside(rpcs.removeGroupMetadata, { groupId, key });
}
