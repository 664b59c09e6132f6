import { applicationOperations } from "./applications.ts";
import { effectiveRoleOperations } from "./effective-roles.ts";
import { membershipOperations } from "./memberships.ts";
import { organizationOperations } from "./organizations.ts";
import type { Operations } from "./plan.ts";
import { projectGrantOperations } from "./project-grants.ts";
import { projectOperations } from "./projects.ts";
import { providerOperations } from "./providers.ts";
import { tokenOperations } from "./tokens.ts";
import { userGrantOperations } from "./user-grants.ts";
import { userOperations } from "./users.ts";

/** All operations, by the name of their rpc. */
export const operations: Operations = {
  ...organizationOperations,
  ...membershipOperations,
  ...userOperations,
  ...tokenOperations,
  ...providerOperations,
  ...projectOperations,
  ...projectGrantOperations,
  ...userGrantOperations,
  ...effectiveRoleOperations,
  ...applicationOperations,
};

/** How often an operation is drawn; 1 unless it is named. Removals are rare: what they leave cannot be changed. */
const weights: Readonly<Record<string, number>> = {
  removeOrganization: 0.4,
  removeUser: 0.6,
  removeProject: 0.5,
  addOrganization: 0.5,
  listEffectiveRoles: 3,
  addUserGrant: 3,
  updateUserGrant: 2,
  addMembership: 3,
  updateMembership: 2,
  addPersonalAccessToken: 2,
  removePersonalAccessToken: 1.5,
  updateProjectGrant: 2,
  removeProjectRole: 2,
  addProjectRole: 1.5,
  lockUser: 1.5,
  deactivateUser: 1.5,
};

/** The names of the operations, each with its weight for `fc.oneof`. */
export const weightedNames: readonly { readonly name: string; readonly weight: number }[] = Object.keys(
  operations,
).map((name) => ({ name, weight: Math.round(10 * (weights[name] ?? 1)) }));
