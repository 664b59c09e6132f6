import { ClaimSource, ClaimTarget } from "../../../gen/gatehouse/v1/claim_mapping_pb.ts";
import { ClaimMappingService } from "../../../gen/gatehouse/v1/claim_mapping_service_pb.ts";
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

/** Has claims of a project and of an application that tell metadata, and shares them. */
export async function liveClaims(
  service: ConnectedService,
  { organizationId: id, projectId, appId }: Pick<Described, "organizationId" | "projectId" | "appId">,
): Promise<void> {
  const rpcs = ClaimMappingService.method;
  const inside = createCaller(service, id);
  const mappings = [
    {
      name: "stays",
      source: ClaimSource.USER_METADATA,
      key: "stays",
      targets: [ClaimTarget.ID_TOKEN, ClaimTarget.SAML],
    },
  ];
  await inside(rpcs.setProjectClaimMappings, { projectId, mappings });
  await inside(rpcs.setApplicationClaimMappings, { projectId, appId, mappings });
  await service.call(rpcs.setUserMetadataSharing, { id, shared: [{ key: "stays", sharedWith: [id] }] });
}
