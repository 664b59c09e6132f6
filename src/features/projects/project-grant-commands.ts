import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../base/details.ts";
import type { OrganizationId, ProjectGrantId } from "../../base/ids.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import type { NewEvent } from "../../events/event.ts";
import { type FeatureContext, processedSequence, target, write } from "../context.ts";
import { getActiveOrganization } from "../organizations/repository.ts";
import {
  addProjectGrant,
  grantedToOwner,
  type NamedProjectGrant,
  type ProjectGrant,
  projectGrantTaken,
  type ProjectGrantView,
  removeProjectGrant,
  requireGrantOf,
  requireReadable,
  setProjectGrantState,
  updateProjectGrant,
} from "./project-grant.ts";
import {
  countProjectGrants,
  findProjectGrant,
  findProjectGrantTo,
  listProjectGrants,
  type ProjectGrantFilter,
} from "./project-grant-repository.ts";
import { findProject, getProject } from "./repository.ts";
import { listRoleKeys } from "./role-repository.ts";

/** A project grant as a path names it. */
export interface ProjectGrantPath {
  readonly projectId: string;
  readonly grantId: string;
}

interface ProjectGrantList {
  readonly page: Page<NamedProjectGrant>;
  readonly sequence: number;
}

/**
 * Project grants belong to the organization that owns the project, which alone changes them. Each raises NOT_FOUND for a
 * project or project grant that is not there for the caller; a grant of another project is not.
 */
export interface ProjectGrantCommands {
  /** Raises NOT_FOUND (organization, role), FIELD_INVALID, ALREADY_EXISTS. */
  add(
    call: Call,
    grant: {
      readonly projectId: string;
      readonly grantedOrganizationId: string;
      readonly roleKeys: readonly string[];
    },
  ): Promise<{ readonly id: ProjectGrantId; readonly details: Details }>;
  /** Opens to the organization that the grant is made to as well. */
  get(call: Call, path: ProjectGrantPath): Promise<NamedProjectGrant>;
  /** Lists the grants of a project that the organization owns. */
  list(call: Call, projectId: string, page: PageRequest): Promise<ProjectGrantList>;
  /** Lists the grants that are made to the organization. */
  listGranted(call: Call, page: PageRequest): Promise<ProjectGrantList>;
  /** Replaces the roles. Raises NOT_FOUND (role). Harmless to repeat. */
  update(call: Call, path: ProjectGrantPath, roleKeys: readonly string[]): Promise<Details>;
  /** Harmless to repeat. */
  deactivate(call: Call, path: ProjectGrantPath): Promise<Details>;
  /** Harmless to repeat. */
  reactivate(call: Call, path: ProjectGrantPath): Promise<Details>;
  /** Removes the user grants and memberships that rest on it too. */
  remove(call: Call, path: ProjectGrantPath): Promise<Details>;
}

export function createProjectGrantCommands(context: FeatureContext): ProjectGrantCommands {
  return {
    add: (call, grant) => add(context, call, grant),
    get: (call, path) =>
      context.database.read(async (tx) =>
        requireReadable(call.access, path, await findView(tx, call.access.organizationId, path)),
      ),
    list: (call, projectId, page) =>
      context.database.read(async (tx) => {
        const { id } = await getProject(tx, call.access, projectId);
        const key = ["ListProjectGrants", call.access.organizationId, id];
        return await readList(context, tx, { key, filter: { projectId: id }, page });
      }),
    listGranted: (call, page) =>
      context.database.read((tx) => {
        const { organizationId: grantedOrganizationId, projectGrants } = call.access;
        const key = ["ListGrantedProjects", grantedOrganizationId];
        return readList(context, tx, { key, filter: { grantedOrganizationId, projectGrants }, page });
      }),
    update: (call, path, roleKeys) =>
      change(context, call, path, async (tx, grant) =>
        updateProjectGrant(grant, {
          projectRoles: await listRoleKeys(tx, grant.projectId, roleKeys),
          roleKeys,
        }),
      ),
    deactivate: (call, path) =>
      change(context, call, path, (_tx, grant) => setProjectGrantState(grant, "INACTIVE")),
    reactivate: (call, path) =>
      change(context, call, path, (_tx, grant) => setProjectGrantState(grant, "ACTIVE")),
    remove: (call, path) => change(context, call, path, (_tx, grant) => [removeProjectGrant(grant)]),
  };
}

function add(
  context: FeatureContext,
  call: Call,
  grant: Parameters<ProjectGrantCommands["add"]>[1],
): ReturnType<ProjectGrantCommands["add"]> {
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

/** Changes a grant of a project that the organization owns; no event leaves it as it is. */
function change(
  context: FeatureContext,
  call: Call,
  path: ProjectGrantPath,
  decide: (tx: ReadTransaction, grant: ProjectGrant) => readonly NewEvent[] | Promise<readonly NewEvent[]>,
): Promise<Details> {
  return write(context, call, async ({ tx, append }) => {
    const project = await getProject(tx, call.access, path.projectId);
    const found = await findProjectGrant(tx, path.grantId);
    const grant = target(call, requireGrantOf(project.id, path.grantId, found));
    const events = await decide(tx, grant);
    return events.length === 0 ? grant.details : changedDetails(grant.details, await append(events));
  });
}

/** Says how the organization has the project: as its owner, by a grant, or not at all. */
async function findView(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  { projectId, grantId }: ProjectGrantPath,
): Promise<ProjectGrantView | undefined> {
  const project = await findProject(tx, organizationId, projectId);
  if (project !== undefined) return { kind: "owned", grant: await findProjectGrant(tx, grantId) };
  const grant = await findProjectGrantTo(tx, projectId, organizationId);
  return grant === undefined ? undefined : { kind: "granted", grant };
}

async function readList(
  context: FeatureContext,
  tx: ReadTransaction,
  list: { readonly key: readonly string[]; readonly filter: ProjectGrantFilter; readonly page: PageRequest },
): Promise<ProjectGrantList> {
  return {
    sequence: await processedSequence(tx),
    page: await readPage(context.keyring, list.page, {
      key: list.key,
      read: (query) => listProjectGrants(tx, list.filter, query),
      count: (limit) => countProjectGrants(tx, list.filter, limit),
    }),
  };
}
