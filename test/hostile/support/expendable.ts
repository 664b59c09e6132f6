import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { CallableService } from "../../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  jwtConfig,
  membershipIdOf,
  samlMetadata,
  uniqueName,
} from "../../support/world.ts";

const count = 8;

/** Says whether the calls of this name may take away what other calls are about. */
export function isTakingAway(methodName: string): boolean {
  return /^(Remove|BulkRemove|Deactivate|Lock|UpdateMembership)/.test(methodName);
}

/**
 * Makes objects that may be removed and stopped: whoever removed what the callers need would make all calls after it
 * NOT_FOUND. Returns values for fields of these names, several of each.
 */
export async function createExpendable(
  service: CallableService,
  organizationId: string,
  grantedOrganizationId: string,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const inside = createCaller(service, organizationId);
  const values: Record<string, string[]> = {};
  const keep = (field: string, id: string) => void (values[field] ??= []).push(id);
  for (let index = 0; index < count; index++) {
    const userId = await createHumanUser(service, organizationId);
    const projectId = await createProject(service, organizationId, ["reader", "writer"]);
    const member = await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER");
    const token = await service.call(UserService.method.addPersonalAccessToken, { userId: member.id });
    const u2f = await service.call(UserService.method.registerU2f, { userId });
    const grant = await inside(UserGrantService.method.addUserGrant, {
      userId,
      projectId,
      roleKeys: ["reader"],
    });
    const projectGrant = await inside(ProjectService.method.addProjectGrant, {
      projectId,
      grantedOrganizationId,
      roleKeys: ["reader"],
    });
    const provider = await inside(IdentityProviderService.method.createIdentityProvider, {
      name: uniqueName("Expendable"),
      config: { case: "jwt", value: jwtConfig },
    });
    const app = await inside(ApplicationService.method.createSamlApplication, {
      projectId,
      name: uniqueName("Expendable"),
      metadataXml: samlMetadata(`https://sp.example.com/expendable/${index}`),
    });
    keep("id", projectId);
    keep("project_id", projectId);
    for (const id of [userId, member.id]) keep("user_id", id);
    keep("membership_id", await membershipIdOf(service, member.id));
    keep("token_id", idOf(token, "tokenId"));
    keep("u2f_id", idOf(u2f, "u2fId"));
    for (const field of ["grant_id", "grant_ids"]) keep(field, idOf(grant, "userGrantId"));
    keep("grant_id", idOf(projectGrant, "grantId"));
    keep("idp_id", idOf(provider, "idpId"));
    keep("app_id", idOf(app, "appId"));
  }
  return values;
}
