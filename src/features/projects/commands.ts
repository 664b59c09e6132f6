import type { Call } from "../../base/call.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { ProjectId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import type { NewEvent } from "../../events/event.ts";
import { type FeatureContext, processedSequence, target, write } from "../context.ts";
import {
  addProject,
  type Project,
  type ProjectSettings,
  projectNameTaken,
  removeProject,
  setProjectState,
  updateProject,
} from "./project.ts";
import { createProjectGrantCommands, type ProjectGrantCommands } from "./project-grant-commands.ts";
import {
  countProjects,
  getProject,
  isProjectNameTaken,
  listProjects,
  type ProjectFilter,
} from "./repository.ts";
import { createRoleCommands, type RoleCommands } from "./role-commands.ts";

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
  /** Nobody has its roles by it until it is reactivated. Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, id: string): Promise<Details>;
  /** Raises NOT_FOUND. Harmless to repeat. */
  reactivate(call: Call, id: string): Promise<Details>;
  /** Removes everything that hangs on it too. Raises NOT_FOUND. */
  remove(call: Call, id: string): Promise<Details>;
  readonly roles: RoleCommands;
  readonly grants: ProjectGrantCommands;
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
        const project = target(call, await getProject(tx, call.access, id));
        const events = updateProject(project, settings);
        if (events.length === 0) return project.details;
        const { organizationId } = call.access;
        if (await isProjectNameTaken(tx, organizationId, settings.name, project.id))
          throw projectNameTaken(settings.name);
        return changedDetails(project.details, await append(events));
      }),
    deactivate: (call, id) => change(context, call, id, (project) => setProjectState(project, "INACTIVE")),
    reactivate: (call, id) => change(context, call, id, (project) => setProjectState(project, "ACTIVE")),
    remove: (call, id) => change(context, call, id, (project) => [removeProject(project)]),
    roles: createRoleCommands(context),
    grants: createProjectGrantCommands(context),
  };
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

/** No event leaves the project as it is. */
function change(
  context: FeatureContext,
  call: Call,
  id: string,
  decide: (project: Project) => readonly NewEvent[],
): Promise<Details> {
  return write(context, call, async ({ tx, append }) => {
    const project = target(call, await getProject(tx, call.access, id));
    const events = decide(project);
    return events.length === 0 ? project.details : changedDetails(project.details, await append(events));
  });
}
