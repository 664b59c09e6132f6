import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { change, type FeatureContext, write } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import { type ListedPage, readList } from "../list.ts";
import { getProject } from "./repository.ts";
import { addRoles, type ProjectRole, removeRole, type RoleSettings, roleTaken, updateRole } from "./role.ts";
import { getRole, listRoleKeys, roleList } from "./role-repository.ts";

/** Each raises NOT_FOUND for a project that does not exist for the caller. */
export interface RoleCommands {
  /** Adds all roles or none. Raises ALREADY_EXISTS. */
  add(call: Call, projectId: string, roles: readonly RoleSettings[]): Promise<Details>;
  /** Replaces the display name and group. Raises NOT_FOUND. Harmless to repeat. */
  update(call: Call, projectId: string, role: RoleSettings): Promise<Details>;
  /** Also takes the role out of every project grant and user grant. Raises NOT_FOUND. */
  remove(call: Call, projectId: string, key: string): Promise<Removal>;
  /** Oldest first; roles that were added together are ordered by their keys. */
  list(call: Call, projectId: string, page: PageRequest): Promise<ListedPage<ProjectRole>>;
}

/** Creates the commands about the roles of projects. */
export function createRoleCommands(context: FeatureContext): RoleCommands {
  const load = async (
    tx: ReadTransaction,
    call: Call,
    asked: { readonly projectId: string; readonly key: string },
  ) => {
    const project = await getProject(tx, call.access, asked.projectId);
    return { ...(await getRole(tx, project.id, asked.key)), project };
  };
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
      change(context, call, {
        load: ({ tx }) => load(tx, call, { projectId, key }),
        decide: ({ project, ...role }) => updateRole(project, role, shown),
      }),
    remove: (call, projectId, key) =>
      remove(context, call, {
        load: ({ tx }) => load(tx, call, { projectId, key }),
        decide: ({ project, ...role }) => [removeRole(project, role)],
      }),
    list: (call, projectId, page) =>
      context.database.read(async (tx) => {
        const { id } = await getProject(tx, call.access, projectId);
        return await readList(context, tx, { list: roleList, call, asked: { of: id, filter: {} }, page });
      }),
  };
}
