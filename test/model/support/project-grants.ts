import type { JsonObject } from "@bufbuild/protobuf";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { changeProjectGrant, removeProjectGrant } from "./cascades.ts";
import type { Draw } from "./draw.ts";
import { projectGrantMessage } from "./messages.ts";
import { mayAccessProject, mayAccessProjectGrant } from "./permissions.ts";
import { type Effect, onHeader, type Operations, type Plan, present, refuseIf, toState } from "./plan.ts";
import { inProject } from "./projects.ts";
import type { Project, ProjectGrant, World } from "./world.ts";

const { method } = ProjectService;

/** The rpcs of ProjectService about project grants. */
export const projectGrantOperations: Operations = {
  addProjectGrant(world, draw) {
    const projectId = draw.id(world.projects);
    const grantedId = draw.id(world.organizations);
    return addProjectGrant(world, draw, { projectId, grantedId, roleKeys: draw.roleKeys(projectId) });
  },
  updateProjectGrant(world, draw) {
    const path = drawPath(world, draw);
    const roleKeys = draw.roleKeys(path.projectId, world.projectGrants.find(path.grantId)?.roleKeys);
    return onGrant(
      world,
      draw,
      { name: "updateProjectGrant", path, request: { roleKeys: [...roleKeys] } },
      (grant, project) => {
        const unique = [...new Set(roleKeys)];
        refuseIf(!hasAll(project, unique), "NOT_FOUND");
        return {
          kind: "changed",
          entity: grant,
          isSame: JSON.stringify(unique) === JSON.stringify(grant.roleKeys),
          note: (date) => {
            changeProjectGrant(world, grant, unique, date);
            grant.sequence = date;
          },
        };
      },
    );
  },
  getProjectGrant(world, draw) {
    const { projectId, grantId } = drawPath(world, draw);
    const grant = world.projectGrants.find(grantId);
    const header = draw.header(draw.chance(0.5) ? grant?.resourceOwner : grant?.grantedId);
    return {
      method: method.getProjectGrant,
      header,
      request: { projectId, grantId },
      judge: (caller) => {
        const access = onHeader(world, caller, { header, permission: "project.grant.read" });
        const found = present(grant);
        refuseIf(found.projectId !== projectId, "NOT_FOUND");
        const isOpen =
          (found.resourceOwner === access.organizationId && mayAccessProject(access, projectId)) ||
          (found.grantedId === access.organizationId && mayAccessProjectGrant(access, grantId));
        refuseIf(!isOpen, "NOT_FOUND");
        return { kind: "read", answer: { projectGrant: projectGrantMessage(world, found) } };
      },
    };
  },
  listProjectGrants: (world, draw) => listProjectGrants(world, draw),
  listGrantedProjects: (world, draw) =>
    listGrantedProjects(world, draw.header(draw.live(world.organizations)?.id)),
  deactivateProjectGrant: (world, draw) =>
    onGrant(world, draw, { name: "deactivateProjectGrant", path: drawPath(world, draw) }, (grant) =>
      toState(grant, "INACTIVE"),
    ),
  reactivateProjectGrant: (world, draw) =>
    onGrant(world, draw, { name: "reactivateProjectGrant", path: drawPath(world, draw) }, (grant) =>
      toState(grant, "ACTIVE"),
    ),
  removeProjectGrant: (world, draw) =>
    onGrant(world, draw, { name: "removeProjectGrant", path: drawPath(world, draw) }, (grant) => ({
      kind: "changed",
      entity: grant,
      note: () => removeProjectGrant(world, grant),
    })),
};

export function addProjectGrant(
  world: World,
  draw: Draw,
  wanted: {
    readonly projectId: string;
    readonly grantedId: string;
    readonly roleKeys: readonly string[];
    readonly header?: string;
  },
): Plan {
  const { projectId, grantedId, roleKeys, header } = wanted;
  const request = { grantedOrganizationId: grantedId, roleKeys: [...roleKeys] };
  const place = { id: projectId, ...(header === undefined ? {} : { header }) };
  return inProject(world, draw, { name: "addProjectGrant", ...ofGrants, ...place, request }, (project) => {
    refuseIf(grantedId === project.resourceOwner, "FIELD_INVALID");
    refuseIf(world.organizations.find(grantedId)?.state !== "ACTIVE", "NOT_FOUND");
    const unique = [...new Set(roleKeys)];
    refuseIf(!hasAll(project, unique), "NOT_FOUND");
    const isTaken = world.projectGrants
      .all()
      .some((other) => other.projectId === projectId && other.grantedId === grantedId);
    refuseIf(isTaken, "ALREADY_EXISTS");
    return {
      kind: "created",
      owner: project.resourceOwner,
      idField: "grantId",
      note: ({ id, date }) =>
        world.projectGrants.add({
          id,
          label: world.label("projectGrant"),
          resourceOwner: project.resourceOwner,
          created: date,
          sequence: date,
          state: "ACTIVE",
          projectId,
          grantedId,
          roleKeys: unique,
        }),
    };
  });
}

export function listProjectGrants(
  world: World,
  draw: Draw,
  place: { readonly id?: string; readonly header?: string } = {},
): Plan {
  const asked = {
    name: "listProjectGrants",
    ...ofGrants,
    permission: "project.grant.read",
    ...place,
  } as const;
  return inProject(world, draw, asked, ({ id }) => {
    const grants = world.projectGrants.where(({ projectId }) => projectId === id);
    return {
      kind: "list",
      field: "projectGrants",
      items: grants.map((grant) => projectGrantMessage(world, grant)),
    };
  });
}

export function listGrantedProjects(world: World, header: string | undefined): Plan {
  return {
    method: method.listGrantedProjects,
    header,
    request: {},
    judge: (caller) => {
      const access = onHeader(world, caller, { header, permission: "project.grant.read" });
      const grants = world.projectGrants.where(
        ({ id, grantedId }) => grantedId === access.organizationId && mayAccessProjectGrant(access, id),
      );
      return {
        kind: "list",
        field: "grantedProjects",
        items: grants.map((grant) => projectGrantMessage(world, grant)),
      };
    },
  };
}

const ofGrants = { idField: "projectId", permission: "project.grant.write" } as const;

interface Path {
  readonly projectId: string;
  readonly grantId: string;
}

function drawPath(world: World, draw: Draw): Path {
  const grantId = draw.id(world.projectGrants);
  const fitting = draw.chance(0.92) ? world.projectGrants.find(grantId)?.projectId : undefined;
  return { grantId, projectId: fitting ?? draw.id(world.projects) };
}

/** A change of a project grant, which only the owner of the project makes. */
function onGrant(
  world: World,
  draw: Draw,
  asked: {
    readonly name:
      | "updateProjectGrant"
      | "deactivateProjectGrant"
      | "reactivateProjectGrant"
      | "removeProjectGrant";
    readonly path: Path;
    readonly request?: JsonObject;
  },
  decide: (grant: ProjectGrant, project: Project) => Effect,
): Plan {
  const { projectId, grantId } = asked.path;
  const request = { grantId, ...asked.request };
  return inProject(world, draw, { name: asked.name, ...ofGrants, id: projectId, request }, (project) => {
    const grant = present(world.projectGrants.find(grantId));
    refuseIf(grant.projectId !== projectId, "NOT_FOUND");
    return decide(grant, project);
  });
}

function hasAll(project: Project, roleKeys: readonly string[]): boolean {
  return roleKeys.every((key) => project.roles.has(key));
}
