import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { createdDetails, type Details } from "../../base/details.ts";
import type { OrganizationId, UserGrantId } from "../../base/ids.ts";
import { type FeatureContext, write } from "../context.ts";
import { findProjectGrantTo } from "../projects/project-grant-repository.ts";
import { findProject } from "../projects/repository.ts";
import { listRoleKeys } from "../projects/role-repository.ts";
import { getUserInReach } from "../users/commands.ts";
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
        const userId = await getUserInReach(tx, call, { userId: grant.userId, organizationId });
        const basis = requireBasis({
          access: call.access,
          basis: await findBasis(tx, organizationId, grant),
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

/**
 * Says how the organization has the project: as its owner, with those of the roles asked for that the project has; by a
 * grant; or not at all.
 */
async function findBasis(
  tx: ReadTransaction,
  organizationId: OrganizationId,
  { projectId, roleKeys }: NewUserGrant,
): Promise<ProjectBasis | undefined> {
  const project = await findProject(tx, organizationId, projectId);
  if (project !== undefined) {
    return { kind: "owned", project, roleKeys: await listRoleKeys(tx, project.id, roleKeys) };
  }
  const grant = await findProjectGrantTo(tx, projectId, organizationId);
  return grant === undefined ? undefined : { kind: "granted", grant };
}
