import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { createdDetails, type Details } from "../../base/details.ts";
import { type OrganizationId, toId, type UserGrantId, type UserId } from "../../base/ids.ts";
import { holdsOnOrganization } from "../../base/permission.ts";
import { type FeatureContext, write } from "../context.ts";
import { findProject, findProjectGrantTo, listRoleKeys } from "../projects/repository.ts";
import { findUserById } from "../users/repository.ts";
import { userNotFound } from "../users/user.ts";
import { findUserGrant, hasUserGrant } from "./repository.ts";
import {
  addUserGrant,
  opensUserGrant,
  type ProjectBasis,
  requireBasis,
  type UserGrant,
  userGrantNotFound,
  userGrantTaken,
} from "./user-grant.ts";

/** What a caller asks for. */
export interface NewUserGrant {
  readonly userId: string;
  readonly projectId: string;
  /** Empty when the organization owns the project. */
  readonly projectGrantId: string;
  readonly roleKeys: readonly string[];
}

export interface UserGrantCommands {
  /**
   * Raises NOT_FOUND (user, project, project grant, role), PROJECT_GRANT_REQUIRED, PROJECT_GRANT_NOT_ALLOWED,
   * ALREADY_EXISTS.
   */
  add(call: Call, grant: NewUserGrant): Promise<{ readonly id: UserGrantId; readonly details: Details }>;
  /** Raises NOT_FOUND, also for a grant of another user. */
  get(call: Call, grant: { readonly userId: string; readonly grantId: string }): Promise<UserGrant>;
}

export function createUserGrantCommands(context: FeatureContext): UserGrantCommands {
  return {
    add: (call, grant) =>
      write(context, call, async ({ tx, append }) => {
        const { organizationId } = call.access;
        const userId = await getUserInReach(tx, call, grant.userId);
        const basis = requireBasis({
          access: call.access,
          basis: await findBasis(tx, organizationId, grant.projectId),
          projectId: grant.projectId,
          projectGrantId: grant.projectGrantId,
        });
        const id = context.ids.next<UserGrantId>();
        const added = addUserGrant({ id, organizationId, userId, basis, roleKeys: grant.roleKeys });
        if (await hasUserGrant(tx, { ...grant, organizationId })) throw userGrantTaken(grant.userId);
        return { id, details: createdDetails(await append([added]), organizationId) };
      }),
    get: (call, asked) =>
      context.database.read(async (tx) => {
        const grant = await findUserGrant(tx, call.access.organizationId, asked);
        if (grant === undefined || !opensUserGrant(call.access, grant))
          throw userGrantNotFound(asked.grantId);
        return grant;
      }),
  };
}

/** The user must be in the organization acted on, or in one where the caller may read users. */
async function getUserInReach(tx: ReadTransaction, call: Call, id: string): Promise<UserId> {
  const user = await findUserById(tx, id);
  if (user === undefined) throw userNotFound(id);
  const home = toId<OrganizationId>(user.details.resourceOwner);
  const isInReach =
    home === call.access.organizationId || holdsOnOrganization(call.caller.held, "user.read", home);
  if (!isInReach) throw userNotFound(id);
  return user.id;
}

/** Says how the organization has the project: as its owner, by a grant, or not at all. */
async function findBasis(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  projectId: string,
): Promise<ProjectBasis | undefined> {
  const project = await findProject(tx, organizationId, projectId);
  if (project !== undefined) {
    return { kind: "owned", project, roleKeys: await listRoleKeys(tx, project.id) };
  }
  const grant = await findProjectGrantTo(tx, projectId, organizationId);
  return grant === undefined ? undefined : { kind: "granted", grant };
}
