import type { JsonObject } from "@bufbuild/protobuf";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { removeProject, removeRole } from "./cascades.ts";
import type { Draw } from "./draw.ts";
import { projectMessage, roleMessage } from "./messages.ts";
import { drawSettings } from "./settings.ts";
import { mayAccessProject } from "./permissions.ts";
import { type Effect, onHeader, type Operations, type Plan, present, refuseIf, toState } from "./plan.ts";
import { isSameName, type Project, type World } from "./world.ts";

const { method } = ProjectService;

/** The rpcs of ProjectService about projects and their roles. */
export const projectOperations: Operations = {
  addProject: (world, draw) =>
    addProject(world, draw.header(draw.live(world.organizations)?.id), drawWanted(draw)),
  getProject: (world, draw) =>
    inProject(world, draw, { name: "getProject", idField: "id", permission: "project.read" }, (project) => ({
      kind: "read",
      answer: { project: projectMessage(project) },
    })),
  listProjects(world, draw) {
    const filter = { name: draw.chance(0.6) ? "" : draw.name("Project"), state: draw.state("PROJECT") };
    return listProjects(world, draw.header(draw.live(world.organizations)?.id), filter);
  },
  updateProject(world, draw) {
    const id = draw.id(world.projects);
    const { name, wanted } = drawUpdate(draw, world.projects.find(id));
    const asked = {
      name: "updateProject",
      idField: "id",
      permission: "project.write",
      id,
      request: wanted,
    } as const;
    return inProject(world, draw, asked, (project) => {
      refuseIf(isTaken(world, project.resourceOwner, name, id), "ALREADY_EXISTS");
      const { name: _name, ...settings } = wanted;
      const isSame =
        project.name === name &&
        Object.entries(settings).every(([key, value]) => project.settings[key] === value);
      return {
        kind: "changed",
        entity: project,
        isSame,
        note: (date) => Object.assign(project, { name, settings, sequence: date }),
      };
    });
  },
  deactivateProject: (world, draw) =>
    inProject(
      world,
      draw,
      { name: "deactivateProject", idField: "id", permission: "project.write" },
      (project) => toState(project, "INACTIVE"),
    ),
  reactivateProject: (world, draw) =>
    inProject(
      world,
      draw,
      { name: "reactivateProject", idField: "id", permission: "project.write" },
      (project) => toState(project, "ACTIVE"),
    ),
  removeProject: (world, draw) =>
    inProject(
      world,
      draw,
      { name: "removeProject", idField: "id", permission: "project.write" },
      (project) => ({
        kind: "changed",
        entity: project,
        note: () => removeProject(world, project),
      }),
    ),
  addProjectRole(world, draw) {
    const { key, ...shown } = drawRole(draw);
    const asked = { name: "addProjectRole", ...ofRoles, request: { roleKey: key, ...shown } } as const;
    return inProject(world, draw, asked, (project) => addingRoles(project, [{ key, ...shown }]));
  },
  bulkAddProjectRoles(world, draw) {
    const roles = [drawRole(draw), drawRole(draw), drawRole(draw)].slice(0, 1 + draw.below(3));
    return bulkAddRoles(world, draw, { roles });
  },
  updateProjectRole(world, draw) {
    const { key, ...shown } = drawRole(draw);
    const asked = { name: "updateProjectRole", ...ofRoles, request: { roleKey: key, ...shown } } as const;
    return inProject(world, draw, asked, (project) => {
      const role = present(project.roles.get(key));
      return {
        kind: "changed",
        entity: role,
        isSame: role.displayName === shown.displayName && role.group === shown.group,
        note: (date) => Object.assign(role, { ...shown, sequence: date }),
      };
    });
  },
  removeProjectRole(world, draw) {
    const { key } = drawRole(draw);
    const asked = { name: "removeProjectRole", ...ofRoles, request: { roleKey: key } } as const;
    return inProject(world, draw, asked, (project) => ({
      kind: "changed",
      entity: present(project.roles.get(key)),
      note: (date) => removeRole(world, project, key, date),
    }));
  },
  listProjectRoles: (world, draw) => listRoles(world, draw),
};

interface Settings extends JsonObject {
  readonly name: string;
}

export function addProject(world: World, header: string | undefined, wanted: Settings): Plan {
  const { name, ...settings } = wanted;
  return {
    method: method.addProject,
    header,
    request: wanted,
    judge: (caller) => {
      const { organizationId } = onHeader(world, caller, { header, permission: "project.create" });
      refuseIf(isTaken(world, organizationId, name), "ALREADY_EXISTS");
      return {
        kind: "created",
        owner: organizationId,
        idField: "id",
        note: ({ id, date }) =>
          world.projects.add({
            id,
            label: world.label("project"),
            resourceOwner: organizationId,
            created: date,
            sequence: date,
            state: "ACTIVE",
            name,
            settings,
            roles: new Map(),
          }),
      };
    },
  };
}

export function listProjects(
  world: World,
  header: string | undefined,
  filter = { name: "", state: "PROJECT_STATE_UNSPECIFIED" },
): Plan {
  return {
    method: method.listProjects,
    header,
    request: filter,
    judge: (caller) => {
      const access = onHeader(world, caller, { header, permission: "project.read" });
      const items = world.projects.where(
        (project) =>
          project.resourceOwner === access.organizationId &&
          mayAccessProject(access, project.id) &&
          (filter.name === "" || isSameName(project.name, filter.name)) &&
          (filter.state.endsWith("UNSPECIFIED") || filter.state === `PROJECT_STATE_${project.state}`),
      );
      return { kind: "list", field: "projects", items: items.map(projectMessage) };
    },
  };
}

export function bulkAddRoles(
  world: World,
  draw: Draw,
  asked: { readonly id?: string; readonly header?: string; readonly roles: readonly RoleFields[] },
): Plan {
  const { roles, ...place } = asked;
  const isValid = new Set(roles.map(({ key }) => key)).size === roles.length;
  const request = { roles: roles.map(({ key, ...shown }) => ({ roleKey: key, ...shown })) };
  return inProject(
    world,
    draw,
    { name: "bulkAddProjectRoles", ...ofRoles, ...place, isValid, request },
    (project) => addingRoles(project, roles),
  );
}

/** Those that were added together come by their keys. */
export function listRoles(world: World, draw: Draw, place: { id?: string; header?: string } = {}): Plan {
  const asked = { name: "listProjectRoles", ...ofRoles, permission: "project.read", ...place } as const;
  return inProject(world, draw, asked, (project) => {
    const roles = [...project.roles.values()].toSorted(
      (left, right) => left.created - right.created || (left.key < right.key ? -1 : 1),
    );
    return { kind: "list", field: "projectRoles", items: roles.map(roleMessage) };
  });
}

export function isTaken(world: World, organizationId: string, name: string, exceptId = ""): boolean {
  return world.projects
    .all()
    .some(
      (other) =>
        other.resourceOwner === organizationId && other.id !== exceptId && isSameName(other.name, name),
    );
}

/** A call on one project of the organization of the header, to which the caller's roles must open it. */
export function inProject(
  world: World,
  draw: Draw,
  asked: {
    readonly name: Exclude<keyof typeof method, "addProject" | "listProjects" | "listGrantedProjects">;
    readonly idField: "id" | "projectId";
    readonly permission: string;
    readonly isValid?: boolean;
    readonly request?: JsonObject;
    readonly id?: string;
    readonly header?: string;
  },
  decide: (project: Project) => Effect,
): Plan {
  const id = asked.id ?? draw.id(world.projects);
  const header = asked.header ?? draw.header(world.projects.find(id)?.resourceOwner);
  return {
    method: method[asked.name],
    header,
    request: { [asked.idField]: id, ...asked.request },
    judge: (caller) => {
      const { permission, isValid = true } = asked;
      const access = onHeader(world, caller, { header, permission, isValid });
      const project = present(world.projects.find(id));
      refuseIf(project.resourceOwner !== access.organizationId || !mayAccessProject(access, id), "NOT_FOUND");
      return decide(project);
    },
  };
}

interface RoleFields {
  readonly key: string;
  readonly displayName: string;
  readonly group: string;
}

const ofRoles = { idField: "projectId", permission: "project.write" } as const;

function addingRoles(project: Project, roles: readonly RoleFields[]): Effect {
  refuseIf(
    roles.some(({ key }) => project.roles.has(key)),
    "ALREADY_EXISTS",
  );
  const { resourceOwner } = project;
  return {
    kind: "created",
    owner: resourceOwner,
    note: ({ date }) => {
      for (const role of roles)
        project.roles.set(role.key, { ...role, resourceOwner, created: date, sequence: date });
    },
  };
}

function drawRole(draw: Draw): RoleFields {
  return {
    key: draw.pick(["reader", "writer", "auditor", "Reader", "a/b"]),
    displayName: draw.pick(["", "May read"]),
    group: draw.pick(["", "all"]),
  };
}

/** What a project is to become: now and then it keeps its name, or all. */
function drawUpdate(draw: Draw, old: Project | undefined): { name: string; wanted: Settings } {
  const drawn = drawWanted(draw);
  if (old === undefined || draw.chance(0.5)) return { name: drawn.name, wanted: drawn };
  const kept = draw.chance(0.5) ? (old.settings as JsonObject) : {};
  return { name: old.name, wanted: { ...drawn, ...kept, name: old.name } };
}

function drawWanted(draw: Draw): Settings {
  return { ...drawSettings(draw, method.addProject.input), name: draw.name("Project") };
}
