import type { Call } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { OrganizationId, ProjectGrantId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { change, type Decide, type FeatureContext, write } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import { type ListedPage, readList } from "../list.ts";
import type { RolesInTime, RolesInTimeChange } from "../rights-in-time/period.ts";
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
  findProjectGrant,
  findProjectGrantTo,
  grantedProjectList,
  type ProjectGrantFilter,
  projectGrantList,
} from "./project-grant-repository.ts";
import { findProject, getProject } from "./repository.ts";
import { listRoleKeys } from "./role-repository.ts";

/** A project grant as a path names it. */
export interface ProjectGrantPath {
  readonly projectId: string;
  readonly grantId: string;
}

/**
 * Project grants belong to the organization that owns the project; no other can change them. Each raises NOT_FOUND
 * for a project or project grant that does not exist for the caller, such as a grant of another project.
 */
export interface ProjectGrantCommands {
  /** Raises NOT_FOUND (organization, role), FIELD_INVALID, ALREADY_EXISTS. */
  add(
    call: Call,
    grant: RolesInTime & { readonly projectId: string; readonly grantedOrganizationId: string },
  ): Promise<{ readonly id: ProjectGrantId; readonly details: Details }>;
  /** The organization that the grant is made to may read it as well. */
  get(call: Call, path: ProjectGrantPath): Promise<NamedProjectGrant>;
  /** Lists the grants of a project that the organization owns. */
  list(
    call: Call,
    asked: ProjectGrantFilter & { readonly projectId: string },
    page: PageRequest,
  ): Promise<ListedPage<NamedProjectGrant>>;
  /** Lists the grants made to the organization. */
  listGranted(
    call: Call,
    filter: ProjectGrantFilter,
    page: PageRequest,
  ): Promise<ListedPage<NamedProjectGrant>>;
  /** Replaces the roles and changes the dates. Raises NOT_FOUND (role), FIELD_INVALID. Harmless to repeat. */
  update(call: Call, path: ProjectGrantPath, asked: RolesInTimeChange): Promise<Details>;
  /** Harmless to repeat. */
  deactivate(call: Call, path: ProjectGrantPath): Promise<Details>;
  /** Harmless to repeat. */
  reactivate(call: Call, path: ProjectGrantPath): Promise<Details>;
  /** Also removes the user grants and memberships that rest on it. */
  remove(call: Call, path: ProjectGrantPath): Promise<Removal>;
}

/** Creates the commands about project grants. */
export function createProjectGrantCommands(context: FeatureContext): ProjectGrantCommands {
  const changeGrant = (call: Call, path: ProjectGrantPath, decide: Decide<ProjectGrant>) =>
    change(context, call, { load: ({ tx }) => getGrantOfOwner(tx, call, path), decide });
  return {
    add: (call, grant) => add(context, call, grant),
    get: (call, path) =>
      context.database.read(async (tx) =>
        requireReadable(call.access, path, await findView(tx, call.access.organizationId, path)),
      ),
    list: (call, { projectId, ...filter }, page) =>
      context.database.read(async (tx) => {
        const { id } = await getProject(tx, call.access, projectId);
        return await readList(context, tx, {
          list: projectGrantList,
          call,
          asked: { of: id, filter },
          page,
        });
      }),
    listGranted: (call, filter, page) =>
      context.database.read((tx) => {
        const { organizationId, projectGrants } = call.access;
        const asked = { of: organizationId, filter, open: projectGrants };
        return readList(context, tx, { list: grantedProjectList, call, asked, page });
      }),
    update: (call, path, asked) =>
      changeGrant(call, path, async (grant, { tx }) =>
        updateProjectGrant(grant, {
          ...asked,
          projectRoles: await listRoleKeys(tx, grant.projectId, asked.roleKeys),
        }),
      ),
    deactivate: (call, path) => changeGrant(call, path, (grant) => setProjectGrantState(grant, "INACTIVE")),
    reactivate: (call, path) => changeGrant(call, path, (grant) => setProjectGrantState(grant, "ACTIVE")),
    remove: (call, path) =>
      remove(context, call, {
        load: ({ tx }) => getGrantOfOwner(tx, call, path),
        decide: (grant) => [removeProjectGrant(grant)],
      }),
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
    const id = tx.nextId<ProjectGrantId>();
    const event = addProjectGrant({
      id,
      project,
      projectRoles: await listRoleKeys(tx, project.id, grant.roleKeys),
      grantedOrganizationId: granted.id,
      roleKeys: grant.roleKeys,
      period: grant,
    });
    const existing = await findProjectGrantTo(tx, project.id, granted.id);
    if (existing !== undefined) throw projectGrantTaken(granted.id);
    return { id, details: createdDetails(await append([event]), project.details.resourceOwner) };
  });
}

/** Returns a grant of a project that the organization owns. Raises NOT_FOUND (project, project grant). */
async function getGrantOfOwner(
  tx: ReadTransaction,
  call: Call,
  path: ProjectGrantPath,
): Promise<NamedProjectGrant> {
  const project = await getProject(tx, call.access, path.projectId);
  return requireGrantOf(project.id, path.grantId, await findProjectGrant(tx, path.grantId));
}

/** Says how the organization has the project: as its owner, through a grant, or not at all. */
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
