import type { Instant } from "./clock.ts";
import type { OrganizationId, ProjectGrantId, ProjectId } from "./ids.ts";

const organizationPermissions = [
  "organization.read",
  "organization.write",
  "membership.read",
  "membership.write",
  "idp.read",
  "idp.write",
  "user.read",
  "user.write",
  "user.credential.write",
  "user.grant.read",
  "user.grant.write",
  "group.read",
  "group.write",
  "project.create",
  "project.read",
  "project.write",
  "project.grant.read",
  "project.grant.write",
  "project.app.read",
  "project.app.write",
  "event.read",
  "policy.read",
  "policy.write",
  "session.read",
  "session.write",
] as const;
/** Every permission, by its name in the API. */
export const permissions = [
  "organization.create",
  ...organizationPermissions,
  "signing_key.read",
  "signing_key.write",
] as const;

/** What a call needs to be allowed, such as `project.write`. */
export type Permission = (typeof permissions)[number];

/** The scope of a membership: a role means nothing outside its scope. */
export type Scope =
  | { readonly kind: "instance" }
  | { readonly kind: "organization"; readonly organizationId: OrganizationId }
  /** `organizationId` is the owner of the project. */
  | { readonly kind: "project"; readonly projectId: ProjectId; readonly organizationId: OrganizationId }
  /** `organizationId` is the organization that the project is granted to. */
  | {
      readonly kind: "project-grant";
      readonly projectGrantId: ProjectGrantId;
      readonly organizationId: OrganizationId;
    };

interface RoleDefinition {
  readonly scope: Scope["kind"];
  readonly permissions: readonly Permission[];
}

// The sessions of people, with their addresses, are not for viewers.
const reads = (all: readonly Permission[]) => all.filter((name) => /(?<!^session)\.read$/.test(name));

const projectPermissions: readonly Permission[] = [
  "project.read",
  "project.write",
  "project.grant.read",
  "project.grant.write",
  "project.app.read",
  "project.app.write",
  "user.grant.read",
  "user.grant.write",
  "membership.read",
  "membership.write",
];

/** The table of roles: the kind of scope on which each role exists, and the permissions that it gives there. */
export const roleDefinitions = {
  INSTANCE_OWNER: { scope: "instance", permissions },
  INSTANCE_VIEWER: { scope: "instance", permissions: reads(permissions) },
  ORGANIZATION_OWNER: { scope: "organization", permissions: organizationPermissions },
  ORGANIZATION_VIEWER: { scope: "organization", permissions: reads(organizationPermissions) },
  ORGANIZATION_USER_MANAGER: {
    scope: "organization",
    permissions: [
      "organization.read",
      "user.read",
      "user.write",
      "user.credential.write",
      "user.grant.read",
      "user.grant.write",
      "group.read",
      "group.write",
      "project.read",
      "project.grant.read",
      "session.read",
      "session.write",
    ],
  },
  ORGANIZATION_PROJECT_MANAGER: {
    scope: "organization",
    permissions: [
      "organization.read",
      "project.create",
      "project.read",
      "project.write",
      "project.grant.read",
      "project.grant.write",
      "project.app.read",
      "project.app.write",
    ],
  },
  PROJECT_OWNER: { scope: "project", permissions: projectPermissions },
  PROJECT_VIEWER: { scope: "project", permissions: reads(projectPermissions) },
  PROJECT_GRANT_OWNER: {
    scope: "project-grant",
    permissions: [
      "project.grant.read",
      "user.grant.read",
      "user.grant.write",
      "membership.read",
      "membership.write",
    ],
  },
} as const satisfies Record<string, RoleDefinition>;

/** What a membership gives: a named set of permissions on one kind of scope. */
export type Role = keyof typeof roleDefinitions;

/** Returns the role with this name, or undefined. */
export function findRole(name: string): Role | undefined {
  return Object.hasOwn(roleDefinitions, name) ? (name as Role) : undefined; // own key, so it is a role
}

/** Returns all permissions that the roles give. */
export function permissionsOf(roles: readonly Role[]): ReadonlySet<Permission> {
  return new Set(roles.flatMap((role) => roleDefinitions[role].permissions));
}

function allows(roles: readonly Role[], permission: Permission): boolean {
  return roles.some((role) => roleDefinitions[role].permissions.some((own) => own === permission));
}

/** The roles that a user holds on one scope, until their end if they have one. */
export interface HeldRoles {
  readonly scope: Scope;
  readonly roles: readonly Role[];
  readonly endDate?: Instant | undefined;
}

/** The objects that a call may reach: those of the organization it acts on or, with roles on single projects, only these. */
export interface Access {
  readonly organizationId: OrganizationId;
  readonly projects: "all" | ReadonlySet<string>;
  readonly projectGrants: "all" | ReadonlySet<string>;
  /**
   * The call named no organization, so it reaches every scope on which the caller holds the permission (see
   * `scopesWithPermission`).
   */
  readonly spansOrganizations?: true;
  /** The caller lacks the permission, so the call reaches only what is the caller's own. */
  readonly isOwnOnly?: true;
}

/** The scopes on which a permission is held. Scopes inside a wider one are left out, so no object is reached twice. */
export interface PermissionScopes {
  /** The permission is held for the whole instance; the lists are then empty. */
  readonly isInstance: boolean;
  readonly organizations: readonly OrganizationId[];
  readonly projects: readonly ProjectId[];
  readonly projectGrants: readonly ProjectGrantId[];
}

/** Returns the scopes on which one of the held roles gives the permission. */
export function scopesWithPermission(held: readonly HeldRoles[], permission: Permission): PermissionScopes {
  const nowhere: PermissionScopes = { isInstance: false, organizations: [], projects: [], projectGrants: [] };
  const scopes = held.flatMap(({ scope, roles }) => (allows(roles, permission) ? [scope] : []));
  if (scopes.some(({ kind }) => kind === "instance")) return { ...nowhere, isInstance: true };
  const organizations = new Set<OrganizationId>();
  for (const scope of scopes) if (scope.kind === "organization") organizations.add(scope.organizationId);
  const projects = new Set<ProjectId>();
  const projectGrants = new Set<ProjectGrantId>();
  for (const scope of scopes) {
    if (scope.kind === "instance" || organizations.has(scope.organizationId)) continue;
    if (scope.kind === "project") projects.add(scope.projectId);
    if (scope.kind === "project-grant") projectGrants.add(scope.projectGrantId);
  }
  return {
    isInstance: false,
    organizations: [...organizations],
    projects: [...projects],
    projectGrants: [...projectGrants],
  };
}

/** Returns the access that the permission gives in the organization, or undefined when it is held nowhere in it. */
export function findAccess(
  held: readonly HeldRoles[],
  permission: Permission,
  organizationId: OrganizationId,
): Access | undefined {
  if (holdsOnOrganization(held, permission, organizationId)) {
    return { organizationId, projects: "all", projectGrants: "all" };
  }
  const projects = new Set<string>();
  const projectGrants = new Set<string>();
  for (const { scope, roles } of held) {
    if (scope.kind === "instance" || scope.organizationId !== organizationId) continue;
    if (!allows(roles, permission)) continue;
    if (scope.kind === "project") projects.add(scope.projectId);
    if (scope.kind === "project-grant") projectGrants.add(scope.projectGrantId);
  }
  if (projects.size === 0 && projectGrants.size === 0) return undefined;
  return { organizationId, projects, projectGrants };
}

/** Says whether the access includes the project, which must be one of the organization. */
export function mayAccessProject(access: Access, projectId: string): boolean {
  return access.projects === "all" || access.projects.has(projectId);
}

/** Says whether the access includes the project grant, which must be one made to the organization. */
export function mayAccessProjectGrant(access: Access, projectGrantId: string): boolean {
  return access.projectGrants === "all" || access.projectGrants.has(projectGrantId);
}

/** Says whether the permission is held for the whole instance. */
export function holdsOnInstance(held: readonly HeldRoles[], permission: Permission): boolean {
  return holdsAt(held, permission, { kind: "instance" });
}

/** Says whether the permission is held for the whole organization. */
export function holdsOnOrganization(
  held: readonly HeldRoles[],
  permission: Permission,
  organizationId: OrganizationId,
): boolean {
  return holdsAt(held, permission, { kind: "organization", organizationId });
}

/** Says whether the permission is held on any scope at all. */
export function holdsSomewhere(held: readonly HeldRoles[], permission: Permission): boolean {
  return held.some(({ roles }) => allows(roles, permission));
}

/** Says whether the permission is held on the scope, or on one that encloses it. */
export function holdsAt(held: readonly HeldRoles[], permission: Permission, scope: Scope): boolean {
  return held.some((own) => encloses(own.scope, scope) && allows(own.roles, permission));
}

/**
 * Returns the first permission among `wanted` that `held` lacks on the same scope, or undefined. Both may be long
 * (each user holds roles on up to 1,000 scopes), so each scope is compared only with the scopes that can enclose it.
 */
export function findMissing(
  held: readonly HeldRoles[],
  wanted: readonly HeldRoles[],
): { readonly permission: Permission; readonly scope: Scope } | undefined {
  const byScope = Map.groupBy(held, (own) => keyOf(own.scope));
  for (const { scope, roles } of wanted) {
    const near = enclosingScopes(scope).flatMap((outer) => byScope.get(keyOf(outer)) ?? []);
    for (const permission of permissionsOf(roles)) {
      if (!holdsAt(near, permission, scope)) return { permission, scope };
    }
  }
  return undefined;
}

/** Returns all scopes that can enclose the scope, including itself; `encloses` decides. */
export function enclosingScopes(scope: Scope): readonly Scope[] {
  if (scope.kind === "instance") return [scope];
  const { organizationId } = scope;
  const wider: readonly Scope[] = [{ kind: "instance" }, { kind: "organization", organizationId }];
  return scope.kind === "organization" ? wider : [...wider, scope];
}

function keyOf(scope: Scope): string {
  switch (scope.kind) {
    case "instance":
      return "instance";
    case "organization":
      return `organization ${scope.organizationId}`;
    case "project":
      return `project ${scope.projectId}`;
    case "project-grant":
      return `project-grant ${scope.projectGrantId}`;
  }
}

function encloses(outer: Scope, inner: Scope): boolean {
  switch (outer.kind) {
    case "instance":
      return true;
    case "organization":
      return inner.kind !== "instance" && inner.organizationId === outer.organizationId;
    case "project":
      return inner.kind === "project" && inner.projectId === outer.projectId;
    case "project-grant":
      return inner.kind === "project-grant" && inner.projectGrantId === outer.projectGrantId;
  }
}
