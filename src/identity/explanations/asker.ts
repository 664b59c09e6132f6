import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId, ProjectId } from "../../kernel/base/ids.ts";
import { type HeldRoles, holdsAt, type Permission, type Scope } from "../../kernel/base/permission.ts";
import { findOrganization } from "../organizations/repository.ts";
import type { User } from "../people/user/user.ts";
import { type Step, stateStep } from "./explanation.ts";

/** A caller that asks about a user, and what the caller may read. */
export interface Asker {
  readonly held: readonly HeldRoles[];
  /** Whether users ask about themselves. They may read what they ask about, what they have, directly or by groups, and the policy by which they sign in. */
  readonly isSelf: boolean;
}

/** Where the facts of a question stand. */
export interface Inquiry {
  readonly tx: ReadTransaction;
  readonly asker: Asker;
  readonly user: User;
  readonly homeId: OrganizationId;
}

/** Says whether the caller holds the permission in the whole organization. */
export function mayIn({ held }: Asker, permission: Permission, organizationId: OrganizationId): boolean {
  return holdsAt(held, permission, { kind: "organization", organizationId });
}

/** Makes the scope of a project. */
export function ofProject(projectId: ProjectId, organizationId: OrganizationId): Scope {
  return { kind: "project", projectId, organizationId };
}

/** Makes the steps that every question has: the user and the organization of the user, whose users an inactive one locks out. */
export async function readUserSteps({ tx, asker, user, homeId }: Inquiry): Promise<readonly Step[]> {
  const ofUser = { kind: "USER", id: user.id, isVisible: true, rightId: "" } as const;
  return [
    stateStep(ofUser, user.state),
    ...(await readOrganizationStep(tx, homeId, asker.isSelf || mayIn(asker, "organization.read", homeId))),
  ];
}

/** Makes the step of an organization that counts in any case. */
export async function readOrganizationStep(
  tx: ReadTransaction,
  id: OrganizationId,
  isVisible: boolean,
): Promise<readonly Step[]> {
  const organization = await findOrganization(tx, id);
  return [stateStep({ kind: "ORGANIZATION", id, isVisible, rightId: "" }, organization?.state ?? "INACTIVE")];
}
