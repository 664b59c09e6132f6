import type { ScopedPermissions } from "../gen/gatehouse/v1/membership_pb.ts";

/** What a permission is asked for: an object, by those of its ids that are known. Empty: the instance. */
export interface PermissionScope {
  readonly organization?: string | undefined;
  readonly project?: string | undefined;
  readonly projectGrant?: string | undefined;
}

/** The permissions of the user who is signed in. */
export interface HeldPermissions {
  /** Says whether the user may do it on this object. An organization's permissions hold for all that belongs to it. */
  can(permission: string, scope: PermissionScope): boolean;
  /** Says whether the user may do it on something in the organization: there, or on a single project or project grant. */
  canSomewhere(permission: string, organization?: string): boolean;
  /** The organizations on which the user holds a permission, in the order of the service. */
  readonly organizations: readonly string[];
  /** Whether the user holds no permission at all. */
  readonly isEmpty: boolean;
  /** Whether the user holds a permission on the whole instance. */
  readonly isOfInstance: boolean;
}

/** Reads the permissions from the answer of GetMyPermissions. */
export function toHeldPermissions(scopes: readonly ScopedPermissions[]): HeldPermissions {
  const holds = (permission: string, kind: ScopedPermissions["scope"]["case"], id?: string): boolean =>
    scopes.some(
      ({ scope, permissions }) =>
        scope.case === kind &&
        (scope.case === "instance" || id === undefined || scope.value === id) &&
        permissions.includes(permission),
    );
  const isHeldOn = (
    permission: string,
    kind: ScopedPermissions["scope"]["case"],
    id: string | undefined,
  ): boolean => id !== undefined && holds(permission, kind, id);
  return {
    can: (permission, { organization, project, projectGrant }) =>
      holds(permission, "instance") ||
      isHeldOn(permission, "organizationId", organization) ||
      isHeldOn(permission, "projectId", project) ||
      isHeldOn(permission, "projectGrantId", projectGrant),
    canSomewhere: (permission, organization) =>
      holds(permission, "instance") ||
      holds(permission, "organizationId", organization) ||
      holds(permission, "projectId") ||
      holds(permission, "projectGrantId"),
    organizations: scopes.flatMap(({ scope }) => (scope.case === "organizationId" ? [scope.value] : [])),
    isEmpty: scopes.length === 0,
    isOfInstance: scopes.some(({ scope }) => scope.case === "instance"),
  };
}
