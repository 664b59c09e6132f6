import {
  holdsAt,
  type Permission,
  type Role,
  roleDefinitions,
  type Scope,
} from "../../kernel/base/permission.ts";
import { findWaysIntoGroups } from "../groups/way-repository.ts";
import { scopeIdOf } from "../held-roles/repository.ts";
import { type Inquiry, readUserSteps } from "./asker.ts";
import { type Change, type AccessFacts, type Step, timeStep, type Way } from "./explanation.ts";
import { listMembershipsInQuestion, type MembershipInQuestion } from "./repository.ts";
import { toGroupStep } from "./role-question.ts";

/** A permission, and where it is needed. */
export interface PermissionInQuestion {
  readonly permission: Permission;
  readonly scope: Scope;
}

/** Reads what decides whether the user holds the permission. */
export async function readPermissionFacts(
  inquiry: Inquiry,
  { permission, scope }: PermissionInQuestion,
): Promise<AccessFacts> {
  const { tx, asker, user } = inquiry;
  const memberships = await listMembershipsInQuestion(tx, user.id, scope);
  const groupIds = new Set(memberships.map(({ groupId }) => groupId).filter((id) => id !== ""));
  const waysInto = await findWaysIntoGroups(tx, user.id, [...groupIds]);
  const ways = memberships.flatMap((membership): readonly Way[] => {
    const steps = toMembershipSteps(inquiry, membership, { permission, scope });
    if (membership.groupId === "") return [{ steps }];
    const into = waysInto.get(membership.groupId) ?? [];
    return into.map((way) => ({ steps: [...steps, toGroupStep(inquiry, way, membership.id)] }));
  });
  const isThere = memberships.some(({ groupId, held }) => groupId === "" && isSameScope(held.scope, scope));
  const role = findSmallestRole(permission, scope);
  const mayRead = holdsAt(asker.held, "membership.read", scope);
  const opening: readonly Change[] =
    role === undefined || isThere || !mayRead ? [] : [{ kind: "ADD", object: "MEMBERSHIP", scope, role }];
  return { steps: await readUserSteps(inquiry), needs: [{ ways, openings: opening }] };
}

function toMembershipSteps(
  { tx, asker }: Inquiry,
  { id, groupId, held, period }: MembershipInQuestion,
  { permission, scope }: PermissionInQuestion,
): readonly Step[] {
  const isVisible = asker.isSelf || holdsAt(asker.held, "membership.read", held.scope);
  const of = { kind: "MEMBERSHIP", id, isVisible, rightId: id } as const;
  const isGiven = holdsAt([held], permission, scope);
  const role = groupId === "" ? findSmallestRole(permission, held.scope) : undefined;
  const remedy: Change | undefined =
    role === undefined ? undefined : { kind: "ADD_ROLE", object: "MEMBERSHIP", id, role };
  return [
    timeStep(of, { period, now: tx.now() }),
    { ...of, isMet: isGiven, reason: isGiven ? "GIVEN" : "NOT_GIVEN", remedy },
  ];
}

/** Finds the role that gives the permission on the scope and the fewest others; undefined if there is none for such a scope. */
function findSmallestRole(permission: Permission, scope: Scope): Role | undefined {
  const roles = (Object.keys(roleDefinitions) as readonly Role[]).filter(
    (
      role, // it has no other keys
    ) => roleDefinitions[role].scope === scope.kind && holdsAt([{ scope, roles: [role] }], permission, scope),
  );
  const sizeOf = (role: Role) => roleDefinitions[role].permissions.length;
  return roles.toSorted((left, right) => sizeOf(left) - sizeOf(right))[0];
}

function isSameScope(left: Scope, right: Scope): boolean {
  return left.kind === right.kind && scopeIdOf(left) === scopeIdOf(right);
}
