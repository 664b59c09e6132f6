import type { HeldPermissions, PermissionScope } from "../../api/permissions.ts";
import type { Membership } from "../../../../gen/console/gatehouse/v1/membership_pb.ts";

/** Where a membership applies. */
export type MembershipScope = Membership["scope"];

/** The kinds of scope, as the API names them. */
export type ScopeKind = Exclude<MembershipScope["case"], undefined>;

const projectPermissions = [
  "membership.read",
  "membership.write",
  "project.app.read",
  "project.app.write",
  "project.grant.read",
  "project.grant.write",
  "project.read",
  "project.write",
  "user.grant.read",
  "user.grant.write",
] as const;
const organizationPermissions = [
  ...projectPermissions,
  "event.read",
  "group.read",
  "group.write",
  "idp.read",
  "idp.write",
  "organization.read",
  "organization.write",
  "policy.read",
  "policy.write",
  "project.create",
  "session.read",
  "session.write",
  "user.credential.write",
  "user.read",
  "user.write",
] as const;
const instancePermissions = [
  ...organizationPermissions,
  "organization.create",
  "signing_key.read",
  "signing_key.write",
] as const;

/** Sessions, with the addresses of people, are not for viewers. */
const reads = (permissions: readonly string[]): readonly string[] =>
  permissions.filter((permission) => permission.endsWith(".read") && permission !== "session.read");

/**
 * The roles of memberships: where each may be given, what it allows, and the permission in it that tells it from lesser roles. Only a user with all of these permissions may give or
 * remove the role, so the console does not offer it to others; whether a call is allowed is up to the service.
 */
export const membershipRoles = {
  INSTANCE_OWNER: { scope: "instance", tells: "signing_key.write", permissions: instancePermissions },
  INSTANCE_VIEWER: { scope: "instance", tells: "signing_key.read", permissions: reads(instancePermissions) },
  ORGANIZATION_OWNER: {
    scope: "organizationId",
    tells: "policy.write",
    permissions: organizationPermissions,
  },
  ORGANIZATION_VIEWER: {
    scope: "organizationId",
    tells: "policy.read",
    permissions: reads(organizationPermissions),
  },
  ORGANIZATION_USER_MANAGER: {
    scope: "organizationId",
    tells: "user.credential.write",
    permissions: [
      "organization.read",
      "project.grant.read",
      "project.read",
      "session.read",
      "session.write",
      "group.read",
      "group.write",
      "user.credential.write",
      "user.grant.read",
      "user.grant.write",
      "user.read",
      "user.write",
    ],
  },
  ORGANIZATION_PROJECT_MANAGER: {
    scope: "organizationId",
    tells: "project.write",
    permissions: [
      "organization.read",
      "project.app.read",
      "project.app.write",
      "project.create",
      "project.grant.read",
      "project.grant.write",
      "project.read",
      "project.write",
    ],
  },
  PROJECT_OWNER: { scope: "projectId", tells: "project.write", permissions: projectPermissions },
  PROJECT_VIEWER: { scope: "projectId", tells: "project.read", permissions: reads(projectPermissions) },
  PROJECT_GRANT_OWNER: {
    scope: "projectGrantId",
    tells: "membership.write",
    permissions: [
      "membership.read",
      "membership.write",
      "project.grant.read",
      "user.grant.read",
      "user.grant.write",
    ],
  },
} as const satisfies Record<
  string,
  { readonly scope: ScopeKind; readonly tells: string; readonly permissions: readonly string[] }
>;

/** A role of memberships that this version of the console knows. */
export type MembershipRole = keyof typeof membershipRoles;

/** Returns the roles that a membership on that kind of scope can have, the widest first. */
export function rolesOf(kind: ScopeKind): readonly MembershipRole[] {
  return roleNames.filter((role) => membershipRoles[role].scope === kind);
}

const roleNames = Object.keys(membershipRoles).filter((name) => isMembershipRole(name));

/** Says whether this version of the console knows the role. */
function isMembershipRole(name: string): name is MembershipRole {
  return Object.hasOwn(membershipRoles, name);
}

/** Returns the permissions that tell the roles from lesser ones, by role; without roles that this version of the console does not know. */
export function tellingPermissions(
  roles: readonly string[],
): readonly { readonly role: MembershipRole; readonly permission: string }[] {
  return roles.filter(isMembershipRole).map((role) => ({ role, permission: membershipRoles[role].tells }));
}

/**
 * Returns the scope as permissions are asked for on it. `ownerId` is the organization of the scope: the owner of a project, or the
 * organization that holds a project grant.
 */
export function toPermissionScope(scope: MembershipScope, ownerId: string | undefined): PermissionScope {
  switch (scope.case) {
    case "organizationId":
      return { organization: scope.value };
    case "projectId":
      return { organization: ownerId, project: scope.value };
    case "projectGrantId":
      return { organization: ownerId, projectGrant: scope.value };
    default:
      return {};
  }
}

/** Says whether the user may write memberships there and holds all that the roles allow. Unknown roles are up to the service. */
export function mayWriteRoles(
  permissions: HeldPermissions,
  roles: readonly string[],
  scope: PermissionScope,
): boolean {
  const needed = roles.flatMap((role) => (isMembershipRole(role) ? membershipRoles[role].permissions : []));
  return ["membership.write", ...needed].every((permission) => permissions.can(permission, scope));
}

/** Returns the filters of ListMemberships for the memberships on that scope itself. */
export function toFilter(scope: MembershipScope): Readonly<{
  instance?: boolean;
  organizationId?: string;
  projectId?: string;
  projectGrantId?: string;
}> {
  return scope.case === undefined ? {} : { [scope.case]: scope.value };
}
