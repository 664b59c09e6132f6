import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type InstanceId, type OrganizationId, type ProjectId, toId } from "../../kernel/base/ids.ts";
import {
  holdsAt,
  holdsSomewhere,
  type Permission,
  type Scope,
  scopesWithPermission,
} from "../../kernel/base/permission.ts";
import { notFound, permissionDenied } from "../../kernel/base/problem.ts";
import { applicationNotFound } from "../applications/application/application.ts";
import { findApplication } from "../applications/repository.ts";
import type { ScopeName } from "../memberships/membership.ts";
import { findScope } from "../memberships/repository.ts";
import { getOrganization } from "../organizations/repository.ts";
import { projectNotFound } from "../projects/project.ts";
import { findProjectOwner } from "../projects/repository.ts";
import { listGrantsInQuestion } from "../user-grants/role-ways-repository.ts";
import { type Asker, mayIn, ofProject } from "./asker.ts";
import { isGrantedToAny, listMembershipsInQuestion } from "./repository.ts";

/** Whose access is asked about, and by whom. */
export interface AskedUser {
  readonly asker: Asker;
  readonly userId: string;
  readonly homeId: OrganizationId;
}

/** A project that may be asked about. */
export interface AskableProject {
  readonly projectId: ProjectId;
  readonly ownerId: OrganizationId;
}

/** Returns the project if the caller may ask about roles of it. Raises PERMISSION_DENIED, NOT_FOUND. */
export async function getProjectInReach(
  tx: ReadTransaction,
  asked: AskedUser,
  id: string,
): Promise<AskableProject> {
  requireSomewhere(asked, ["project.read", "project.grant.read"]);
  const ownerId = await findProjectOwner(tx, id);
  if (ownerId === undefined) throw projectNotFound(id);
  const found = { projectId: toId<ProjectId>(id), ownerId };
  if (!(await mayAskAbout(tx, asked, found))) throw projectNotFound(id);
  return found;
}

async function mayAskAbout(tx: ReadTransaction, asked: AskedUser, project: AskableProject): Promise<boolean> {
  const { held } = asked.asker;
  if (holdsAt(held, "project.read", ofProject(project.projectId, project.ownerId))) return true;
  if (asked.asker.isSelf && (await isOwn(tx, asked, project))) return true;
  return await isGrantedToAny(tx, project.projectId, scopesWithPermission(held, "project.grant.read"));
}

/** Returns the application and its project if the caller may ask about logins to it. Raises PERMISSION_DENIED, NOT_FOUND. */
export async function getApplicationInReach(
  tx: ReadTransaction,
  asked: AskedUser,
  id: string,
): Promise<AskableProject> {
  const { asker, homeId } = asked;
  requireSomewhere(asked, ["project.app.read"]);
  if (!asker.isSelf && !mayIn(asker, "policy.read", homeId)) throw permissionDenied("policy.read", homeId);
  const application = await findApplication(tx, id);
  if (application === undefined) throw applicationNotFound(id);
  const found = {
    projectId: application.projectId,
    ownerId: toId<OrganizationId>(application.details.resourceOwner),
  };
  const mayRead = holdsAt(asker.held, "project.app.read", ofProject(found.projectId, found.ownerId));
  if (!mayRead && !(asker.isSelf && (await isOwn(tx, asked, found)))) throw applicationNotFound(id);
  return found;
}

/** Returns the scope if the caller may ask about permissions on it. Raises PERMISSION_DENIED, NOT_FOUND. */
export async function getScopeInReach(
  tx: ReadTransaction,
  asked: AskedUser,
  { name, instanceId }: { readonly name: ScopeName; readonly instanceId: InstanceId },
): Promise<Scope> {
  requireSomewhere(asked, ["membership.read"]);
  const scope = await findScope(tx, name);
  if (scope === undefined || !(await mayAskAboutScope(tx, asked, scope))) {
    if (name.kind === "instance" || name.kind === "organization")
      throw permissionDenied("membership.read", name.kind === "instance" ? instanceId : name.id);
    throw notFound(name.kind === "project" ? "project" : "project_grant", name.id);
  }
  // Users may ask about themselves in any organization: where they have nothing, the answer does not say whether there is one.
  if (scope.kind === "organization" && !asked.asker.isSelf) await getOrganization(tx, scope.organizationId);
  return scope;
}

async function mayAskAboutScope(
  tx: ReadTransaction,
  { asker, userId }: AskedUser,
  scope: Scope,
): Promise<boolean> {
  if (holdsAt(asker.held, "membership.read", scope)) return true;
  if (!asker.isSelf) return false;
  if (scope.kind === "instance" || scope.kind === "organization") return true;
  return (await listMembershipsInQuestion(tx, userId, scope)).length > 0;
}

/** Says whether the project is one of the user's organization, or one of which the user has a grant. */
async function isOwn(
  tx: ReadTransaction,
  { userId, homeId }: AskedUser,
  { projectId, ownerId }: AskableProject,
): Promise<boolean> {
  return homeId === ownerId || (await listGrantsInQuestion(tx, userId, projectId)).length > 0;
}

/** Refuses callers that hold none of the permissions anywhere without a look-up. */
function requireSomewhere(
  { asker, homeId }: AskedUser,
  permissions: readonly [Permission, ...Permission[]],
): void {
  if (!asker.isSelf && !permissions.some((permission) => holdsSomewhere(asker.held, permission)))
    throw permissionDenied(permissions[0], homeId);
}
