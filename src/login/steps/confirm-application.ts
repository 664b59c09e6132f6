import type { ReadTransaction } from "../../base/database.ts";
import { isConfirmed } from "../../features/authorizations/repository.ts";
import type { Project } from "../../features/projects/project.ts";
import { findProjectGrantTo } from "../../features/projects/project-grant-repository.ts";
import { listRolesInEffect } from "../../features/user-grants/effective-role-repository.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";
import type { LoginStep } from "../step.ts";

/**
 * Asks users who log in to an application of another organization for the first time, unless a grant connects them with it. A
 * project that checks for roles or grants lets nobody in without one, so there is nothing to ask.
 */
export const confirmApplicationStep: LoginStep = {
  page: "confirm",
  refusal: "consent_required",
  async isNeeded(tx, state) {
    const { interaction, application } = state;
    if (application === undefined) return false;
    const { user, organization } = requireLoginUser(state);
    const { project } = application;
    if (organization.id === application.organization.id || interaction.isConfirmed) return false;
    if (project.projectRoleCheck || project.hasProjectCheck) return false;
    if (await isConnected(tx, state, project)) return false;
    return !(await isConfirmed(tx, user.id, application.application.id));
  },
};

async function isConnected(tx: ReadTransaction, state: LoginState, project: Project): Promise<boolean> {
  const { user, organization } = requireLoginUser(state);
  const grant = await findProjectGrantTo(tx, project.id, organization.id);
  if (grant?.state === "ACTIVE") return true;
  return (await listRolesInEffect(tx, user.id, [project.id])).length > 0;
}
