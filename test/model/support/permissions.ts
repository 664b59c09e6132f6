/** Who may do what: decision 14 and the table of roles, written down again. */
import type { Membership, Scope, Token, User, World } from "./world.ts";

/** A call that is not answered, with the reason. */
export class Refusal extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

/** Who makes a call. */
export interface Caller {
  readonly userId: string;
  readonly organizationId: string;
  readonly token: Token;
  /** What the token carries. */
  readonly held: readonly Held[];
}

/** What somebody holds on a scope. */
export interface Held {
  readonly scope: Scope;
  /** The organization that the scope lies in; empty for the instance. */
  readonly organizationId: string;
  readonly permissions: ReadonlySet<string>;
}

/** What a call may touch in an organization. */
export interface Access {
  readonly organizationId: string;
  readonly isWhole: boolean;
  readonly projects: ReadonlySet<string>;
  readonly projectGrants: ReadonlySet<string>;
}

const instanceOwner = words(
  "organization.create organization.read organization.write membership.read membership.write idp.read idp.write user.read",
  "user.write user.credential.write user.grant.read user.grant.write project.create project.read project.write",
  "project.grant.read project.grant.write project.app.read project.app.write event.read policy.read policy.write",
  "session.read session.write group.read group.write signing_key.read signing_key.write",
);
const ofInstanceOnly = words("organization.create signing_key.read signing_key.write");
const organizationOwner = instanceOwner.filter((permission) => !ofInstanceOnly.includes(permission));
const projectOwner = words(
  "project.read project.write project.grant.read project.grant.write project.app.read project.app.write",
  "user.grant.read user.grant.write membership.read membership.write",
);
const readsOf = (all: readonly string[]) =>
  all.filter((permission) => permission.endsWith(".read") && permission !== "session.read");

/** The permissions of each role, by the kind of scope that it exists on. */
export const rolesOn: Readonly<Record<Scope["kind"], Readonly<Record<string, readonly string[]>>>> = {
  instance: { INSTANCE_OWNER: instanceOwner, INSTANCE_VIEWER: readsOf(instanceOwner) },
  organization: {
    ORGANIZATION_OWNER: organizationOwner,
    ORGANIZATION_VIEWER: readsOf(organizationOwner),
    ORGANIZATION_USER_MANAGER: words(
      "organization.read user.read user.write user.credential.write user.grant.read user.grant.write project.read",
      "project.grant.read session.read session.write group.read group.write",
    ),
    ORGANIZATION_PROJECT_MANAGER: words(
      "organization.read project.create project.read project.write project.grant.read project.grant.write",
      "project.app.read project.app.write",
    ),
  },
  project: { PROJECT_OWNER: projectOwner, PROJECT_VIEWER: readsOf(projectOwner) },
  projectGrant: {
    PROJECT_GRANT_OWNER: words(
      "project.grant.read user.grant.read user.grant.write membership.read membership.write",
    ),
  },
};

/** Returns who calls with the token. Raises TOKEN_INVALID. */
export function authenticate(world: World, token: Token): Caller {
  const user = world.users.find(token.userId);
  const organization = user && world.organizations.find(user.resourceOwner);
  const isGood =
    world.tokens.find(token.id) !== undefined &&
    (token.expirationMs === undefined || token.expirationMs > world.clock.nowMs()) &&
    user?.state === "ACTIVE" &&
    organization?.state === "ACTIVE";
  if (!isGood) throw new Refusal("TOKEN_INVALID");
  return {
    userId: user.id,
    organizationId: organization.id,
    token,
    held: carriedBy(world, token),
  };
}

/** Returns what the user holds. */
export function heldBy(world: World, userId: string): readonly Held[] {
  return world.memberships
    .where((membership) => membership.userId === userId)
    .flatMap(({ scope, roles }) => held(world, scope, roles) ?? []);
}

/** Returns what the token carries: what its user holds, less what is left out for it. */
export function carriedBy(world: World, { userId, leftOut }: Token): readonly Held[] {
  return world.memberships
    .where((membership) => membership.userId === userId)
    .flatMap(({ id, scope, roles }) => {
      const carried = roles.filter((role) => leftOut.get(id)?.has(role) !== true);
      return held(world, scope, carried) ?? [];
    });
}

/** Returns the memberships of which the token does not carry all roles, oldest first. */
export function leftOutOf(world: World, { leftOut }: Token): readonly Membership[] {
  return world.memberships.where(({ id }) => (leftOut.get(id)?.size ?? 0) > 0);
}

/** Says whether the caller lacks what stopping the user takes: owners are stopped by their like only. */
export function lacksToStop(world: World, caller: Caller, user: User): boolean {
  return world.memberships.all().some(({ userId, scope, roles }) => {
    if (userId !== user.id) return false;
    const role = scope.kind === "instance" ? "INSTANCE_OWNER" : "ORGANIZATION_OWNER";
    const isOwn =
      scope.kind === "instance" || (scope.kind === "organization" && scope.id === user.resourceOwner);
    const owned = held(world, scope, [role]);
    return isOwn && roles.includes(role) && owned !== undefined && lacks(caller.held, [owned]);
  });
}

/** Returns what the roles give on the scope; undefined when it is not there. */
export function held(world: World, scope: Scope, roles: readonly string[]): Held | undefined {
  const organizationId = organizationOf(world, scope);
  if (organizationId === undefined) return undefined;
  const permissions = new Set(roles.flatMap((role) => rolesOn[scope.kind][role] ?? []));
  return { scope, organizationId, permissions };
}

/** Returns the organization that a scope lies in, empty for the instance, undefined when the scope is not there. */
export function organizationOf(world: World, scope: Scope): string | undefined {
  switch (scope.kind) {
    case "instance":
      return "";
    case "organization":
      return scope.id;
    case "project":
      return world.projects.find(scope.id)?.resourceOwner;
    case "projectGrant":
      return world.projectGrants.find(scope.id)?.grantedId;
  }
}

/** Says whether the permission is held on the scope or around it. */
export function holdsOn(
  all: readonly Held[],
  permission: string,
  scope: Scope,
  organizationId: string,
): boolean {
  return all.some((own) => {
    if (!own.permissions.has(permission)) return false;
    if (own.scope.kind === "instance") return true;
    if (scope.kind === "instance") return false;
    if (own.scope.kind === "organization") return own.scope.id === organizationId;
    return own.scope.kind === scope.kind && own.scope.id === scope.id;
  });
}

export function holdsOnOrganization(all: readonly Held[], permission: string, id: string): boolean {
  return holdsOn(all, permission, { kind: "organization", id }, id);
}

export function holdsSomewhere(all: readonly Held[], permission: string): boolean {
  return all.some(({ permissions }) => permissions.has(permission));
}

/** Says whether a permission among those of `wanted` is not among those of `own` on the same scope. */
export function lacks(own: readonly Held[], wanted: readonly Held[]): boolean {
  return wanted.some(({ scope, organizationId, permissions }) =>
    [...permissions].some((permission) => !holdsOn(own, permission, scope, organizationId)),
  );
}

/** Returns what the permission opens in the organization. Raises PERMISSION_DENIED. */
export function requireAccess(caller: Caller, permission: string, organizationId: string): Access {
  const within = caller.held.filter(
    (own) => own.permissions.has(permission) && own.organizationId === organizationId,
  );
  const idsOf = (kind: Scope["kind"]) =>
    new Set(
      within.flatMap(({ scope }) => (scope.kind === kind && scope.kind !== "instance" ? [scope.id] : [])),
    );
  const access = {
    organizationId,
    isWhole: holdsOnOrganization(caller.held, permission, organizationId),
    projects: idsOf("project"),
    projectGrants: idsOf("projectGrant"),
  };
  if (!access.isWhole && access.projects.size === 0 && access.projectGrants.size === 0)
    throw new Refusal("PERMISSION_DENIED");
  return access;
}

export function mayAccessProject(access: Access, id: string): boolean {
  return access.isWhole || access.projects.has(id);
}

export function mayAccessProjectGrant(access: Access, id: string): boolean {
  return access.isWhole || access.projectGrants.has(id);
}

function words(...lines: readonly string[]): readonly string[] {
  return lines.join(" ").split(" ");
}
