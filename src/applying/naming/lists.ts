import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import type { ProjectGrant } from "../../../gen/gatehouse/v1/project_grant_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { listAll } from "../../client/client.ts";
import type { ServiceReader } from "../reading/reader.ts";
import { collect } from "../reading/reader.ts";

/** An object and its name. */
export interface NamedObject {
  readonly id: string;
  readonly name: string;
}

/** Lists the objects of an organization that can be referred to. */
export function listNamed(
  reader: ServiceReader,
  target: "project" | "group" | "idp" | "hook",
  organizationId: string,
): Promise<readonly NamedObject[]> {
  switch (target) {
    case "project":
      return reader.once(`projects ${organizationId}`, () =>
        collect(listAll(reader.in(organizationId, ProjectService).listProjects, {})),
      );
    case "group":
      return reader.once(`named groups ${organizationId}`, async () => {
        const all = await collect(listAll(reader.in(organizationId, GroupService).listGroups, {}));
        return all.flatMap((group) => (group.$typeName === "gatehouse.v1.Group" ? [group] : []));
      });
    case "idp":
      return reader.once(`idps ${organizationId}`, () =>
        collect(listAll(reader.in(organizationId, IdentityProviderService).listIdentityProviders, {})),
      );
    case "hook":
      return reader.once(`hooks ${organizationId}`, () =>
        collect(listAll(reader.in(organizationId, HookService).listHooks, {})),
      );
  }
}

/** Lists the projects of others that the organization was granted. */
export function listGranted(reader: ServiceReader, organizationId: string): Promise<readonly ProjectGrant[]> {
  return reader.once(`granted ${organizationId}`, () =>
    collect(listAll(reader.in(organizationId, ProjectService).listGrantedProjects, {})),
  );
}
