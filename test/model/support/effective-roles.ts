import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { type Access, type Caller, holdsOnOrganization } from "./permissions.ts";
import { onHeader, type Operations, type Plan, userInReach } from "./plan.ts";
import type { UserGrant, World } from "./world.ts";

/** The rpc ListEffectiveRoles. */
export const effectiveRoleOperations: Operations = {
  listEffectiveRoles(world, draw) {
    const grant = draw.live(world.userGrants);
    const userId = draw.chance(0.6) && grant !== undefined ? grant.userId : draw.id(world.users);
    const filter = {
      projectId: draw.chance(0.2) ? draw.id(world.projects) : "",
      organizationId: draw.chance(0.2) ? draw.id(world.organizations) : "",
    };
    return listEffectiveRoles(world, draw.header(grant?.resourceOwner), { userId, ...filter });
  },
};

export function listEffectiveRoles(
  world: World,
  header: string | undefined,
  asked: { readonly userId: string; readonly projectId?: string; readonly organizationId?: string },
): Plan {
  const { userId, projectId = "", organizationId = "" } = asked;
  return {
    method: UserGrantService.method.listEffectiveRoles,
    header,
    request: { userId, projectId, organizationId },
    judge: (caller) => {
      const access = onHeader(world, caller, { header, permission: "user.grant.read" });
      const seen = world.userGrants.where(
        (grant) => grant.userId === userId && isSeen(world, caller, access, grant),
      );
      if (seen.length === 0) userInReach(world, caller, { userId, organizationId: access.organizationId });
      const effective = seen.filter(
        (grant) =>
          isInEffect(world, grant) &&
          (projectId === "" || grant.projectId === projectId) &&
          (organizationId === "" || grant.resourceOwner === organizationId),
      );
      const items = effective.map((grant) => ({
        projectId: grant.projectId,
        organizationId: grant.resourceOwner,
        roleKeys: [...grant.roleKeys],
        via: { userGrantId: grant.id, groupGrantId: "", groupId: "" },
      }));
      return { kind: "list", field: "effectiveRoles", items };
    },
  };
}

/** Everything that the grant rests on is active, and it gives something. */
function isInEffect(world: World, grant: UserGrant): boolean {
  const user = world.users.find(grant.userId);
  const project = world.projects.find(grant.projectId);
  const projectGrant = world.projectGrants.find(grant.projectGrantId);
  const organizations = [user?.resourceOwner, grant.resourceOwner, project?.resourceOwner].map((id) =>
    world.organizations.find(id ?? ""),
  );
  const chain = [
    ...organizations,
    user,
    grant,
    project,
    ...(grant.projectGrantId === "" ? [] : [projectGrant]),
  ];
  return chain.every((link) => link?.state === "ACTIVE") && grant.roleKeys.length > 0;
}

/** As the comment of the rpc says who sees which grants. */
function isSeen(world: World, caller: Caller, access: Access, grant: UserGrant): boolean {
  if (holdsOnOrganization(caller.held, "user.grant.read", grant.resourceOwner)) return true;
  if (access.isWhole) {
    const owner = world.projects.find(grant.projectId)?.resourceOwner;
    return grant.resourceOwner === access.organizationId || owner === access.organizationId;
  }
  return access.projects.has(grant.projectId) || access.projectGrants.has(grant.projectGrantId);
}
