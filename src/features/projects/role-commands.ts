import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import { type FeatureContext, processedSequence, target, write } from "../context.ts";
import type { Project } from "./project.ts";
import { getProject } from "./repository.ts";
import {
  addRoles,
  type ProjectRole,
  removeRole,
  type Role,
  roleNotFound,
  roleTaken,
  updateRole,
} from "./role.ts";
import { countRoles, findRole, listRoleKeys, listRoles } from "./role-repository.ts";

/** Each raises NOT_FOUND for a project that is not there for the caller. */
export interface RoleCommands {
  /** Adds all roles or none. Raises ALREADY_EXISTS. */
  add(call: Call, projectId: string, roles: readonly Role[]): Promise<Details>;
  /** Replaces what is shown of the role. Raises NOT_FOUND. Harmless to repeat. */
  update(call: Call, projectId: string, role: Role): Promise<Details>;
  /** Takes the role out of every project grant and user grant too. Raises NOT_FOUND. */
  remove(call: Call, projectId: string, key: string): Promise<Details>;
  /** Oldest first; those that were added together, by their keys. */
  list(
    call: Call,
    projectId: string,
    page: PageRequest,
  ): Promise<{ readonly page: Page<ProjectRole>; readonly sequence: number }>;
}

export function createRoleCommands(context: FeatureContext): RoleCommands {
  return {
    add: (call, projectId, roles) =>
      write(context, call, async ({ tx, append }) => {
        const project = await getProject(tx, call.access, projectId);
        const keys = roles.map(({ key }) => key);
        const taken = await listRoleKeys(tx, project.id, keys);
        const repeated = roles.find((role) => taken.has(role.key));
        if (repeated !== undefined) throw roleTaken(repeated.key);
        return createdDetails(await append(addRoles(project, roles)), project.details.resourceOwner);
      }),
    update: (call, projectId, { key, ...shown }) =>
      write(context, call, async ({ tx, append }) => {
        const project = await getProject(tx, call.access, projectId);
        const role = target(call, await getRole(tx, project, key));
        const events = updateRole(project, role, shown);
        return events.length === 0 ? role.details : changedDetails(role.details, await append(events));
      }),
    remove: (call, projectId, key) =>
      write(context, call, async ({ tx, append }) => {
        const project = await getProject(tx, call.access, projectId);
        const role = target(call, await getRole(tx, project, key));
        return changedDetails(role.details, await append([removeRole(project, role)]));
      }),
    list: (call, projectId, page) =>
      context.database.read(async (tx) => {
        const { id } = await getProject(tx, call.access, projectId);
        return {
          sequence: await processedSequence(tx),
          page: await readPage(context.keyring, page, {
            key: ["ListProjectRoles", call.access.organizationId, id],
            read: (query) => listRoles(tx, id, query),
            count: (limit) => countRoles(tx, id, limit),
          }),
        };
      }),
  };
}

async function getRole(tx: ReadTransaction, project: Project, key: string): Promise<ProjectRole> {
  const role = await findRole(tx, project.id, key);
  if (role === undefined) throw roleNotFound(key);
  return role;
}
