import type { Call } from "../../kernel/base/call.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { ProjectId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { requireForApiAccessIn } from "../api-access/api-access.ts";
import { change, type Decide, type FeatureContext, write } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import type { ListedPage } from "../list.ts";
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
import { getProject, isProjectNameTaken, type ProjectFilter, projectList } from "./repository.ts";
import { createRoleCommands, type RoleCommands } from "./role-commands.ts";
import { readFound } from "../search/read-found.ts";
import type { SearchFilter } from "../search/searched.ts";
import { searchedProjects } from "./search-repository.ts";

/** The commands on projects. */
export interface ProjectCommands {
  /** Raises ALREADY_EXISTS for a name that is taken in the organization. */
  add(call: Call, settings: ProjectSettings): Promise<{ readonly id: ProjectId; readonly details: Details }>;
  /** Raises NOT_FOUND. */
  get(call: Call, id: string): Promise<Project>;
  /** Raises PAGE_TOKEN_INVALID. */
  list(call: Call, filter: ProjectFilter & SearchFilter, page: PageRequest): Promise<ListedPage<Project>>;
  /** Replaces all settings. Raises NOT_FOUND, PERMISSION_DENIED (api_access), ALREADY_EXISTS. Harmless to repeat. */
  update(call: Call, id: string, settings: ProjectSettings): Promise<Details>;
  /** Nobody holds its roles until it is reactivated. Raises NOT_FOUND. Harmless to repeat. */
  deactivate(call: Call, id: string): Promise<Details>;
  /** Raises NOT_FOUND, PERMISSION_DENIED (api_access). Harmless to repeat. */
  reactivate(call: Call, id: string): Promise<Details>;
  /** Also removes everything that depends on it. Raises NOT_FOUND. */
  remove(call: Call, id: string): Promise<Removal>;
  readonly roles: RoleCommands;
  readonly grants: ProjectGrantCommands;
}

/** Creates the commands about projects, their roles and their grants. */
export function createProjectCommands(context: FeatureContext): ProjectCommands {
  const changeProject = (call: Call, id: string, decide: Decide<Project>) =>
    change(context, call, { load: ({ tx }) => getProject(tx, call.access, id), decide });
  return {
    add: (call, settings) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        const id = tx.nextId<ProjectId>();
        const added = addProject(id, organizationId, settings);
        if (await isProjectNameTaken(tx, organizationId, settings.name))
          throw projectNameTaken(settings.name);
        const date = await append([added]);
        return { id, details: createdDetails(date, organizationId) };
      }),
    get: (call, id) => context.database.read((tx) => getProject(tx, call.access, id)),
    list: (call, filter, page) =>
      context.database.read((tx) => {
        const { organizationId, projects } = call.access;
        const { search, ...others } = filter;
        const asked = { of: organizationId, filter: others, open: projects };
        return readFound(context, tx, {
          list: projectList,
          call,
          asked,
          among: (ids) => ({ ...asked, open: new Set(ids) }),
          open: projects,
          text: search,
          searched: searchedProjects,
          ownerId: organizationId,
          nameOf: ({ name }) => name,
          page,
        });
      }),
    update: (call, id, settings) =>
      changeProject(call, id, async (project, command) => {
        const events = updateProject(project, settings);
        if (events.length === 0) return events;
        await requireForApiAccessIn(command, { projectId: project.id });
        if (await isProjectNameTaken(command.tx, call.access.organizationId, settings.name, project))
          throw projectNameTaken(settings.name);
        return events;
      }),
    deactivate: (call, id) => changeProject(call, id, (project) => setProjectState(project, "INACTIVE")),
    reactivate: (call, id) =>
      changeProject(call, id, async (project, command) => {
        const events = setProjectState(project, "ACTIVE");
        if (events.length > 0) await requireForApiAccessIn(command, { projectId: project.id });
        return events;
      }),
    remove: (begun, id) =>
      remove(context, begun, {
        load: ({ tx, call }) => getProject(tx, call.access, id),
        decide: (project) => [removeProject(project)],
      }),
    roles: createRoleCommands(context),
    grants: createProjectGrantCommands(context),
  };
}
