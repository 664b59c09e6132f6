import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import type { CallableService } from "../../support/service.ts";
import { createExpendable } from "./expendable.ts";
import { createCaller, createServiceUser, createWorld, idOf, type World } from "../../support/world.ts";

/** Who calls, and the objects that the calls may be about. */
export interface Ground {
  /** The organization that the hostile callers live in, and may do most in. */
  readonly own: World;
  /** An organization that granted one of its projects to `own`. */
  readonly granting: World;
  /** An organization that nobody hostile holds anything on. */
  readonly untouched: World;
  readonly tokens: readonly string[];
  /** Values for fields of these names. */
  readonly values: Readonly<Record<string, readonly string[]>>;
  /** The same for calls that take something away; those of names that are not in it are as above. */
  readonly expendable: Readonly<Record<string, readonly string[]>>;
}

/** What requests are made of. */
export type Stock = Pick<Ground, "tokens" | "values" | "expendable">;

/** Makes three organizations; the callers of all roles live in the first. */
export async function createGround(service: CallableService): Promise<Ground> {
  const own = await createWorld(service);
  const granting = await createWorld(service);
  const untouched = await createWorld(service);
  const member = async (role: string) => await createServiceUser(service, own.organizationId, role);
  const managers = [await member("ORGANIZATION_USER_MANAGER"), await member("ORGANIZATION_PROJECT_MANAGER")];
  const grant = await createCaller(service, granting.organizationId)(ProjectService.method.addProjectGrant, {
    projectId: granting.projectId,
    grantedOrganizationId: own.organizationId,
    roleKeys: ["reader"],
  });
  const grantId = idOf(grant, "grantId");
  const projectOwner = await createServiceUser(service, own.organizationId);
  await service.call(MembershipService.method.addMembership, {
    userId: projectOwner.id,
    scope: { case: "projectId", value: own.projectId },
    roles: ["PROJECT_OWNER"],
  });
  // Nobody in the organization holds as much as this user, so that none of them can remove or stop all of it.
  const mighty = await createServiceUser(service, own.organizationId);
  await service.call(MembershipService.method.addMembership, {
    userId: mighty.id,
    scope: { case: "instance", value: true },
    roles: ["INSTANCE_VIEWER"],
  });
  const callers = [own.owner, own.viewer, own.stranger, ...managers, projectOwner];
  const foreign = [untouched.projectId, untouched.userId, "1", "0", "9223372036854775807"];
  return {
    own,
    granting,
    untouched,
    tokens: [own.owner.token, own.owner.token, ...callers.map(({ token }) => token)],
    values: {
      id: [own.projectId, own.organizationId, ...foreign],
      project_id: [own.projectId, granting.projectId, ...foreign],
      project_grant_id: ["", grantId, ...foreign],
      user_id: [own.userId, projectOwner.id, own.stranger.id, ...foreign],
      idp_id: [own.idpId, ...foreign],
      app_id: [own.appId, ...foreign],
      grant_id: [own.userGrantId, ...foreign],
      user_grant_id: [own.userGrantId, ...foreign],
      grant_ids: [own.userGrantId, own.userGrantId, ...foreign],
      membership_id: [own.membershipId, untouched.membershipId, ...foreign],
      token_id: [own.tokenId, untouched.tokenId, ...foreign],
      aggregate_id: [own.projectId, own.userId, own.organizationId, ...foreign],
      aggregate_type: ["project", "user", "organization", "membership", "nothing"],
      event_type: ["project.added", "user.added", "user.phone.set", "project.role.added", "nothing.added"],
      editor: [own.owner.id, "system", ...foreign],
      u2f_id: [own.u2fId, ...foreign],
      organization_id: [own.organizationId, untouched.organizationId, ...foreign],
      granted_organization_id: [granting.organizationId, own.organizationId, ...foreign],
      role_key: ["reader", "writer", "nobody"],
      role_keys: ["reader", "writer", "nobody"],
      roles: ["ORGANIZATION_VIEWER", "PROJECT_VIEWER", "INSTANCE_OWNER", "NOBODY"],
    },
    expendable: await createExpendable(service, own.organizationId, granting.organizationId),
  };
}

/** Returns what `service` answers about an organization: the same bytes as long as nobody touched it. */
export async function readOrganization(
  service: CallableService,
  { organizationId, projectId, appId }: World,
) {
  const inside = createCaller(service, organizationId);
  return JSON.stringify([
    withoutView(await inside(ProjectService.method.listProjects, {})),
    await inside(ProjectService.method.getProject, { id: projectId }),
    await inside(ApplicationService.method.getApplication, { projectId, appId }),
  ]);
}

/** What a list says of the moment at which it was made is no part of what it lists. */
function withoutView({ details: _details, ...list }: object & { details?: unknown }): object {
  return list;
}
