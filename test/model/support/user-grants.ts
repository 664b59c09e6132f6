import type { JsonObject } from "@bufbuild/protobuf";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import type { Draw } from "./draw.ts";
import { userGrantMessage } from "./messages.ts";
import { type Access, type Caller, mayAccessProject, mayAccessProjectGrant } from "./permissions.ts";
import {
  type Effect,
  onHeader,
  type Operations,
  type Plan,
  present,
  refuseIf,
  toState,
  userInReach,
} from "./plan.ts";
import type { UserGrant, World } from "./world.ts";

const { method } = UserGrantService;

/** The rpcs of UserGrantService, but for ListEffectiveRoles. */
export const userGrantOperations: Operations = {
  addUserGrant(world, draw) {
    const projectId = draw.id(world.projects);
    const owner = world.projects.find(projectId)?.resourceOwner;
    const grants = world.projectGrants.where((grant) => grant.projectId === projectId);
    const grant = grants.length > 0 && draw.chance(0.6) ? draw.pick(grants) : undefined;
    const isSloppy = draw.chance(0.1);
    const projectGrantId = isSloppy ? draw.id(world.projectGrants) : (grant?.id ?? "");
    const header = draw.header(grant?.grantedId ?? owner);
    const roleKeys = draw.roleKeys(projectId);
    const allowed =
      draw.chance(0.8) && grant !== undefined
        ? roleKeys.filter((key) => grant.roleKeys.includes(key))
        : roleKeys;
    const userId = draw.id(world.users);
    return addUserGrant(world, header, { userId, projectId, projectGrantId, roleKeys: allowed });
  },
  getUserGrant: (world, draw) =>
    onGrant(world, draw, { name: "getUserGrant", permission: "user.grant.read" }, (grant) => ({
      kind: "read",
      answer: { userGrant: userGrantMessage(grant) },
    })),
  listUserGrants(world, draw) {
    const filter = {
      userId: draw.chance(0.3) ? draw.id(world.users) : "",
      projectId: draw.chance(0.3) ? draw.id(world.projects) : "",
      roleKey: draw.chance(0.3) ? draw.pick(["reader", "writer", "auditor"]) : "",
    };
    return listUserGrants(world, draw.header(draw.live(world.organizations)?.id), filter);
  },
  updateUserGrant(world, draw) {
    const grant = draw.live(world.userGrants);
    const roleKeys = draw.roleKeys(grant?.projectId ?? "", grant?.roleKeys);
    const request = { roleKeys: [...roleKeys] };
    const id = draw.chance(0.9) ? grant?.id : undefined;
    return onGrant(world, draw, { ...ofWrites, name: "updateUserGrant", request, id }, (found) => {
      const unique = [...new Set(roleKeys)];
      refuseIf(!unique.every((key) => allowedFor(world, found).includes(key)), "NOT_FOUND");
      return {
        kind: "changed",
        entity: found,
        isSame: JSON.stringify(unique) === JSON.stringify(found.roleKeys),
        note: (date) => Object.assign(found, { roleKeys: unique, sequence: date }),
      };
    });
  },
  deactivateUserGrant: (world, draw) =>
    onGrant(world, draw, { ...ofWrites, name: "deactivateUserGrant" }, (grant) => toState(grant, "INACTIVE")),
  reactivateUserGrant: (world, draw) =>
    onGrant(world, draw, { ...ofWrites, name: "reactivateUserGrant" }, (grant) => toState(grant, "ACTIVE")),
  removeUserGrant: (world, draw) =>
    onGrant(world, draw, { ...ofWrites, name: "removeUserGrant" }, (grant) => ({
      kind: "changed",
      entity: grant,
      note: () => world.userGrants.remove(({ id }) => id === grant.id),
    })),
  bulkRemoveUserGrants(world, draw) {
    const first = draw.live(world.userGrants);
    const together = world.userGrants.where(({ resourceOwner }) => resourceOwner === first?.resourceOwner);
    const ids = draw.some(together.map(({ id }) => id)).slice(0, 3);
    const grantIds = ids.length === 0 || draw.chance(0.1) ? [...ids, draw.id(world.userGrants)] : ids;
    return bulkRemove(world, draw.header(first?.resourceOwner), grantIds);
  },
};

export function addUserGrant(
  world: World,
  header: string | undefined,
  wanted: Pick<UserGrant, "userId" | "projectId" | "projectGrantId" | "roleKeys">,
): Plan {
  const { userId, projectId, projectGrantId, roleKeys } = wanted;
  return {
    method: method.addUserGrant,
    header,
    request: { userId, projectId, projectGrantId, roleKeys: [...roleKeys] },
    judge: (caller) => {
      const access = onHeader(world, caller, { header, permission: "user.grant.write" });
      const { organizationId } = access;
      userInReach(world, caller, { userId, organizationId });
      const allowed = rolesToGive(world, access, { projectId, projectGrantId });
      const unique = [...new Set(roleKeys)];
      refuseIf(!unique.every((key) => allowed.includes(key)), "NOT_FOUND");
      const isTaken = world.userGrants
        .all()
        .some(
          (other) =>
            other.resourceOwner === organizationId &&
            other.userId === userId &&
            other.projectId === projectId &&
            other.projectGrantId === projectGrantId,
        );
      refuseIf(isTaken, "ALREADY_EXISTS");
      return {
        kind: "created",
        owner: organizationId,
        idField: "userGrantId",
        note: ({ id, date }) =>
          world.userGrants.add({
            id,
            label: world.label("userGrant"),
            resourceOwner: organizationId,
            created: date,
            sequence: date,
            state: "ACTIVE",
            userId,
            projectId,
            projectGrantId,
            roleKeys: unique,
          }),
      };
    },
  };
}

export function listUserGrants(
  world: World,
  header: string | undefined,
  filter = { userId: "", projectId: "", roleKey: "" },
): Plan {
  const { userId, projectId, roleKey } = filter;
  return {
    method: method.listUserGrants,
    header,
    request: filter,
    judge: (caller) => {
      const access = onHeader(world, caller, { header, permission: "user.grant.read" });
      const grants = world.userGrants.where(
        (grant) =>
          grant.resourceOwner === access.organizationId &&
          opens(access, grant) &&
          (userId === "" || grant.userId === userId) &&
          (projectId === "" || grant.projectId === projectId) &&
          (roleKey === "" || grant.roleKeys.includes(roleKey)),
      );
      return { kind: "list", field: "userGrants", items: grants.map(userGrantMessage) };
    },
  };
}

const ofWrites = { permission: "user.grant.write" } as const;

function bulkRemove(world: World, header: string | undefined, grantIds: readonly string[]): Plan {
  return {
    method: method.bulkRemoveUserGrants,
    header,
    request: { grantIds: [...grantIds] },
    judge: (caller) => {
      const isValid = new Set(grantIds).size === grantIds.length;
      const access = onHeader(world, caller, { header, ...ofWrites, isValid });
      for (const id of grantIds) requireOpen(world, access, id);
      return {
        kind: "created",
        owner: access.organizationId,
        rest: { removed: [] },
        note: () => world.userGrants.remove(({ id }) => grantIds.includes(id)),
      };
    },
  };
}

/** A call on one user grant of the organization of the header. */
function onGrant(
  world: World,
  draw: Draw,
  asked: {
    readonly name: Exclude<
      keyof typeof method,
      "addUserGrant" | "listUserGrants" | "bulkRemoveUserGrants" | "listEffectiveRoles"
    >;
    readonly permission: string;
    readonly request?: JsonObject;
    readonly id?: string | undefined;
  },
  decide: (grant: UserGrant) => Effect,
): Plan {
  const grantId = asked.id ?? draw.id(world.userGrants);
  const known = world.userGrants.find(grantId);
  const userId = draw.chance(0.92) && known !== undefined ? known.userId : draw.id(world.users);
  const header = draw.header(known?.resourceOwner);
  return {
    method: method[asked.name],
    header,
    request: { userId, grantId, ...asked.request },
    judge: (caller: Caller) => {
      const access = onHeader(world, caller, { header, permission: asked.permission });
      const grant = requireOpen(world, access, grantId);
      refuseIf(grant.userId !== userId, "NOT_FOUND");
      return decide(grant);
    },
  };
}

function requireOpen(world: World, access: Access, id: string): UserGrant {
  const grant = present(world.userGrants.find(id));
  refuseIf(grant.resourceOwner !== access.organizationId || !opens(access, grant), "NOT_FOUND");
  return grant;
}

function opens(access: Access, grant: UserGrant): boolean {
  return grant.projectGrantId === ""
    ? mayAccessProject(access, grant.projectId)
    : mayAccessProjectGrant(access, grant.projectGrantId);
}

/** Decision 29: as the owner the roles of the project, else those of the project grant, which must be named. */
function rolesToGive(
  world: World,
  access: Access,
  asked: Pick<UserGrant, "projectId" | "projectGrantId">,
): readonly string[] {
  const project = present(world.projects.find(asked.projectId));
  if (project.resourceOwner === access.organizationId) {
    refuseIf(!mayAccessProject(access, project.id), "NOT_FOUND");
    refuseIf(asked.projectGrantId !== "", "PROJECT_GRANT_NOT_ALLOWED");
    return [...project.roles.keys()];
  }
  const grant = present(
    world.projectGrants
      .all()
      .find((other) => other.projectId === project.id && other.grantedId === access.organizationId),
  );
  refuseIf(!mayAccessProjectGrant(access, grant.id), "NOT_FOUND");
  refuseIf(asked.projectGrantId === "", "PROJECT_GRANT_REQUIRED");
  refuseIf(asked.projectGrantId !== grant.id, "NOT_FOUND");
  return grant.roleKeys;
}

function allowedFor(world: World, grant: UserGrant): readonly string[] {
  return grant.projectGrantId === ""
    ? [...(world.projects.find(grant.projectId)?.roles.keys() ?? [])]
    : (world.projectGrants.find(grant.projectGrantId)?.roleKeys ?? []);
}
