/** Who holds what where, written down a second time: from the decisions, and from nothing in `src`. */

export const roleNames = [
  "INSTANCE_OWNER",
  "INSTANCE_VIEWER",
  "ORGANIZATION_OWNER",
  "ORGANIZATION_VIEWER",
  "ORGANIZATION_USER_MANAGER",
  "ORGANIZATION_PROJECT_MANAGER",
  "PROJECT_OWNER",
  "PROJECT_VIEWER",
  "PROJECT_GRANT_OWNER",
] as const;

export type RoleName = (typeof roleNames)[number];

// The columns are the roles in the order above.
const table = `
  organization.create    x . . . . . . . .
  organization.read      x x x x x x . . .
  organization.write     x . x . . . . . .
  membership.read        x x x x . . x x x
  membership.write       x . x . . . x . x
  idp.read               x x x x . . . . .
  idp.write              x . x . . . . . .
  user.read              x x x x x . . . .
  user.write             x . x . x . . . .
  user.credential.write  x . x . x . . . .
  user.grant.read        x x x x x . x x x
  user.grant.write       x . x . x . x . x
  group.read             x x x x x . . . .
  group.write            x . x . x . . . .
  project.create         x . x . . x . . .
  project.read           x x x x x x x x .
  project.write          x . x . . x x . .
  project.grant.read     x x x x x x x x x
  project.grant.write    x . x . . x x . .
  project.app.read       x x x x . x x x .
  project.app.write      x . x . . x x . .
  event.read             x x x x . . . . .
  policy.read            x x x x . . . . .
  policy.write           x . x . . . . . .
  session.read           x . x . x . . . .
  session.write          x . x . x . . . .
  signing_key.read       x x . . . . . . .
  signing_key.write      x . . . . . . . .
`;

const rows = new Map(
  table
    .trim()
    .split("\n")
    .map((line) => {
      const [permission = "", ...marks] = line.trim().split(/\s+/);
      return [permission, new Set(roleNames.filter((_role, index) => marks[index] === "x"))] as const;
    }),
);

/** Every permission that the table knows. */
export const permissionNames: readonly string[] = [...rows.keys()];

/** The organizations of the matrix. Two of them are not there: one no more, one never. */
export type OrganizationName = "hq" | "ours" | "theirs" | "grantor" | "partner" | "removed" | "never";

/**
 * Where the objects of a call lie. `own` and `sibling` are in ours, each with a project of its own; `other` in theirs;
 * `granted` hangs on a project that grantor has granted to ours.
 */
export const placeNames = ["own", "sibling", "other", "granted", "removed", "never"] as const;
export type PlaceName = (typeof placeNames)[number];

interface PlaceFacts {
  /** Owns the project, the user and the identity provider. */
  readonly organization: OrganizationName;
  readonly isThere: boolean;
  /** Where the project grant goes to. */
  readonly grantedTo: OrganizationName;
  /** Gave the user grant, to a user of its own. */
  readonly giver: OrganizationName;
}

/** What is so about each place. */
export const places: Readonly<Record<PlaceName, PlaceFacts>> = {
  own: { organization: "ours", isThere: true, grantedTo: "partner", giver: "ours" },
  sibling: { organization: "ours", isThere: true, grantedTo: "partner", giver: "ours" },
  other: { organization: "theirs", isThere: true, grantedTo: "partner", giver: "theirs" },
  granted: { organization: "grantor", isThere: true, grantedTo: "ours", giver: "ours" },
  removed: { organization: "removed", isThere: false, grantedTo: "removed", giver: "removed" },
  never: { organization: "never", isThere: false, grantedTo: "never", giver: "never" },
};

/** Where a role holds, and what a membership is about. */
export type ScopeFacts =
  | { readonly kind: "instance" }
  | { readonly kind: "organization"; readonly organization: OrganizationName }
  | { readonly kind: "project"; readonly organization: OrganizationName; readonly place: PlaceName }
  /** The organization is the one that the project is granted to. */
  | { readonly kind: "project_grant"; readonly organization: OrganizationName; readonly place: PlaceName };

/** One who calls: a user of `home` with one role, or none. */
export interface CallerFacts {
  readonly name: string;
  readonly home: OrganizationName;
  /** What the token carries. */
  readonly held: { readonly role: RoleName; readonly scope: ScopeFacts } | undefined;
  /** A role on `home` that the user has, and the token does not carry. */
  readonly leftOut?: RoleName;
}

const ofOurs = (name: string, role: RoleName): CallerFacts => ({
  name,
  home: "ours",
  held: { role, scope: { kind: "organization", organization: "ours" } },
});
const ofInstance = (name: string, role: RoleName): CallerFacts => ({
  name,
  home: "hq",
  held: { role, scope: { kind: "instance" } },
});
const ofProject = (name: string, role: RoleName): CallerFacts => ({
  name,
  home: "ours",
  held: { role, scope: { kind: "project", organization: "ours", place: "own" } },
});

/** Everybody who calls in the matrix. */
export const callers: readonly CallerFacts[] = [
  ofInstance("instance owner", "INSTANCE_OWNER"),
  ofInstance("instance viewer", "INSTANCE_VIEWER"),
  ofOurs("organization owner", "ORGANIZATION_OWNER"),
  ofOurs("user manager", "ORGANIZATION_USER_MANAGER"),
  ofOurs("project manager", "ORGANIZATION_PROJECT_MANAGER"),
  ofOurs("organization viewer", "ORGANIZATION_VIEWER"),
  ofProject("project owner", "PROJECT_OWNER"),
  ofProject("project viewer", "PROJECT_VIEWER"),
  {
    name: "project grant owner",
    home: "ours",
    held: {
      role: "PROJECT_GRANT_OWNER",
      scope: { kind: "project_grant", organization: "ours", place: "granted" },
    },
  },
  { name: "user without a role", home: "ours", held: undefined },
  {
    name: "organization owner with a limited token",
    home: "ours",
    held: undefined,
    leftOut: "ORGANIZATION_OWNER",
  },
  {
    name: "owner of another organization",
    home: "theirs",
    held: { role: "ORGANIZATION_OWNER", scope: { kind: "organization", organization: "theirs" } },
  },
];

/** Says whether a role holds the permission. Throws for a permission that the table does not know. */
export function roleHolds(role: RoleName, permission: string): boolean {
  const row = rows.get(permission);
  if (row === undefined) throw new Error(`write down which roles hold the permission ${permission}`);
  return row.has(role);
}

/** Says whether the caller holds the permission anywhere. */
export function holdsSomewhere({ held }: CallerFacts, permission: string): boolean {
  return held !== undefined && roleHolds(held.role, permission);
}

/** Says whether the caller holds the permission on that scope, or on one around it. */
export function holdsOn(caller: CallerFacts, permission: string, scope: ScopeFacts): boolean {
  const { held } = caller;
  if (held === undefined || !roleHolds(held.role, permission)) return false;
  const outer = held.scope;
  if (outer.kind === "instance") return true;
  if (scope.kind === "instance") return false;
  if (outer.kind === "organization") return scope.organization === outer.organization;
  return scope.kind === outer.kind && scope.place === outer.place;
}

/** What of an organization is open: everything, one project, one project grant that it was given, or nothing. */
export type Opening =
  | "all"
  | { readonly project: PlaceName }
  | { readonly projectGrant: PlaceName }
  | undefined;

/** Returns what the permission opens of an organization. */
export function openingOf(caller: CallerFacts, permission: string, organization: OrganizationName): Opening {
  if (holdsOn(caller, permission, { kind: "organization", organization })) return "all";
  const { held } = caller;
  if (held === undefined || !roleHolds(held.role, permission)) return undefined;
  const { scope } = held;
  if (scope.kind === "instance" || scope.kind === "organization") return undefined;
  if (scope.organization !== organization) return undefined;
  return scope.kind === "project" ? { project: scope.place } : { projectGrant: scope.place };
}
