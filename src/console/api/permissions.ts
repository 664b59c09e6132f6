import type { ScopedPermissions } from "../../../gen/console/gatehouse/v1/membership_pb.ts";

/** The scope that a permission is asked for: an object, by those of its ids that are known. Empty: the instance. */
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
  /** The organizations in which the user holds a permission, on them or on something in them, each once. */
  readonly reachableOrganizations: readonly string[];
  /** Whether the user holds no permission at all. */
  readonly isEmpty: boolean;
  /** Whether the user holds a permission on the whole instance. */
  readonly isOfInstance: boolean;
}

/** Reads the permissions from the answer of GetMyPermissions. */
export function toHeldPermissions(scopes: readonly ScopedPermissions[]): HeldPermissions {
  const isHeldOn = (
    permission: string,
    kind: ScopedPermissions["scope"]["case"],
    id: string | undefined,
  ): boolean =>
    scopes.some(
      ({ scope, permissions }) =>
        scope.case === kind &&
        (scope.case === "instance" || scope.value === id) &&
        permissions.includes(permission),
    );
  return {
    can: (permission, { organization, project, projectGrant }) =>
      isHeldOn(permission, "instance", undefined) ||
      isHeldOn(permission, "organizationId", organization) ||
      isHeldOn(permission, "projectId", project) ||
      isHeldOn(permission, "projectGrantId", projectGrant),
    canSomewhere: (permission, organization) =>
      scopes.some(
        ({ scope, permissions, resourceOwner }) =>
          (scope.case === "instance" || organization === undefined || resourceOwner === organization) &&
          permissions.includes(permission),
      ),
    organizations: scopes.flatMap(({ scope }) => (scope.case === "organizationId" ? [scope.value] : [])),
    reachableOrganizations: [
      ...new Set(
        scopes.flatMap(({ scope, resourceOwner }) => (scope.case === "instance" ? [] : [resourceOwner])),
      ),
    ],
    isEmpty: scopes.length === 0,
    isOfInstance: scopes.some(({ scope }) => scope.case === "instance"),
  };
}
