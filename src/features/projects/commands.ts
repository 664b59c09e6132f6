import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { ProjectGrantId, ProjectId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import { type Access, opensProject } from "../../base/permission.ts";
import { type FeatureContext, processedSequence, write } from "../context.ts";
import { getActiveOrganization } from "../organizations/commands.ts";
import {
  addProject,
  type Project,
  type ProjectSettings,
  projectNameTaken,
  projectNotFound,
  updateProject,
} from "./project.ts";
import { addProjectGrant, grantedToOwner, projectGrantTaken } from "./project-grant.ts";
import {
  countProjects,
  findProject,
  findProjectGrantTo,
  isProjectNameTaken,
  listProjects,
  listRoleKeys,
  type ProjectFilter,
} from "./repository.ts";
import { addRoles, type Role, roleTaken } from "./role.ts";

export interface ProjectCommands {
  /** Raises ALREADY_EXISTS for a name that the organization has given. */
  add(call: Call, settings: ProjectSettings): Promise<{ readonly id: ProjectId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<Project>;
  list(
    call: Call,
    filter: Pick<ProjectFilter, "name" | "state">,
    page: PageRequest,
  ): Promise<{ readonly page: Page<Project>; readonly sequence: number }>;
  /** Replaces all settings. Raises NOT_FOUND, ALREADY_EXISTS. Harmless to repeat. */
  update(call: Call, id: string, settings: ProjectSettings): Promise<Details>;
  /** Adds all roles or none. Raises NOT_FOUND, ALREADY_EXISTS. */
  addRoles(call: Call, projectId: string, roles: readonly Role[]): Promise<Details>;
  /** Raises NOT_FOUND (project, organization, role), FIELD_INVALID, ALREADY_EXISTS. */
  addGrant(
    call: Call,
    grant: {
      readonly projectId: string;
      readonly grantedOrganizationId: string;
      readonly roleKeys: readonly string[];
    },
  ): Promise<{ readonly id: ProjectGrantId; readonly details: Details }>;
}

export function createProjectCommands(context: FeatureContext): ProjectCommands {
  return {
    add: (call, settings) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        if (await isProjectNameTaken(tx, organizationId, settings.name))
          throw projectNameTaken(settings.name);
        const id = context.ids.next<ProjectId>();
        const date = await append([addProject(id, organizationId, settings)]);
        return { id, details: createdDetails(date, organizationId) };
      }),
    get: (call, id) => context.database.read((tx) => getProject(tx, call.access, id)),
    list: (call, filter, page) => list(context, { call, filter, page }),
    update: (call, id, settings) =>
      write(context, call, async ({ tx, append }) => {
        const project = await getProject(tx, call.access, id);
        const events = updateProject(project, settings);
        if (events.length === 0) return project.details;
        const { organizationId } = call.access;
        if (await isProjectNameTaken(tx, organizationId, settings.name, project.id))
          throw projectNameTaken(settings.name);
        return changedDetails(project.details, await append(events));
      }),
    addRoles: (call, projectId, roles) =>
      write(context, call, async ({ tx, append }) => {
        const project = await getProject(tx, call.access, projectId);
        const keys = roles.map(({ key }) => key);
        const taken = await listRoleKeys(tx, project.id, keys);
        const repeated = roles.find((role) => taken.has(role.key));
        if (repeated !== undefined) throw roleTaken(repeated.key);
        return createdDetails(await append(addRoles(project, roles)), project.details.resourceOwner);
      }),
    addGrant: (call, grant) => addGrant(context, call, grant),
  };
}

/** Returns the project if it belongs to the organization acted on and is open to the caller. Raises NOT_FOUND. */
export async function getProject(tx: ReadTransaction, access: Access, id: string): Promise<Project> {
  const project = await findProject(tx, access.organizationId, id);
  if (project === undefined || !opensProject(access, id)) throw projectNotFound(id);
  return project;
}

function list(
  context: FeatureContext,
  input: { call: Call; filter: Pick<ProjectFilter, "name" | "state">; page: PageRequest },
): ReturnType<ProjectCommands["list"]> {
  const { organizationId, projects } = input.call.access;
  const filter = { ...input.filter, organizationId, projects };
  return context.database.read(async (tx) => ({
    sequence: await processedSequence(tx),
    page: await readPage(context.keyring, input.page, {
      key: ["ListProjects", organizationId, input.filter.name, input.filter.state ?? ""],
      read: (query) => listProjects(tx, filter, query),
      count: (limit) => countProjects(tx, filter, limit),
    }),
  }));
}

function addGrant(
  context: FeatureContext,
  call: Call,
  grant: Parameters<ProjectCommands["addGrant"]>[1],
): ReturnType<ProjectCommands["addGrant"]> {
  return write(context, call, async ({ tx, append }) => {
    const project = await getProject(tx, call.access, grant.projectId);
    if (grant.grantedOrganizationId === project.details.resourceOwner) throw grantedToOwner();
    const granted = await getActiveOrganization(tx, grant.grantedOrganizationId);
    const id = context.ids.next<ProjectGrantId>();
    const event = addProjectGrant({
      id,
      project,
      projectRoles: await listRoleKeys(tx, project.id, grant.roleKeys),
      grantedOrganizationId: granted.id,
      roleKeys: grant.roleKeys,
    });
    const existing = await findProjectGrantTo(tx, project.id, granted.id);
    if (existing !== undefined) throw projectGrantTaken(granted.id);
    return { id, details: createdDetails(await append([event]), project.details.resourceOwner) };
  });
}
