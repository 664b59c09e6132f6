import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import type { CallableService } from "../../support/service.ts";
import { createCaller } from "../../support/world.ts";

/** The objects of an organization that have metadata. */
export interface Described {
  readonly organizationId: string;
  readonly userId: string;
  readonly projectId: string;
  readonly appId: string;
  readonly groupId: string;
}

/** Sets a key on each kind of object. */
export async function setMetadataOfAll(
  service: CallableService,
  { organizationId, userId, projectId, appId, groupId }: Described,
  key: string,
): Promise<void> {
  const rpcs = MetadataService.method;
  const inside = createCaller(service, organizationId);
  const item = { key, value: new Uint8Array([1]) };
  await service.call(rpcs.setUserMetadata, { userId, ...item });
  await service.call(rpcs.setOrganizationMetadata, { id: organizationId, ...item });
  await inside(rpcs.setProjectMetadata, { projectId, ...item });
  await inside(rpcs.setApplicationMetadata, { projectId, appId, ...item });
  await inside(rpcs.setGroupMetadata, { groupId, ...item });
}
