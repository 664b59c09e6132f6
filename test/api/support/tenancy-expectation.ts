/** What each cell of the matrix must answer, by decisions 12 to 15. Knows the rules of access of the rpcs, and nothing of `src`. */
import { OrganizationSource } from "../../../gen/gatehouse/v1/access_pb.ts";
import {
  type CallerFacts,
  holdsOn,
  holdsSomewhere,
  type Opening,
  openingOf,
  type OrganizationName,
  type PlaceName,
  places,
  type ScopeFacts,
} from "./tenancy-roles.ts";
import type { MatrixRpc, ObjectKind } from "./tenancy-rpcs.ts";

/** One call of the matrix. */
export interface Cell {
  readonly caller: CallerFacts;
  /** Where the outer object of the path lies, and so the organization that the header selects. */
  readonly parent: PlaceName;
  /** Where the inner object lies. Another place than `parent` for a path that is put together from two. */
  readonly leaf: PlaceName;
  /** Whether the header selects the organization of the object. */
  readonly isNamed: boolean;
}

/** `allowed`, `PERMISSION_DENIED <permission> <organization>` or `NOT_FOUND <type>`. */
export type Expectation = string;

/** Returns what the call must come to. */
export function expectationOf(rpc: MatrixRpc, cell: Cell): Expectation {
  const { caller } = cell;
  const { permission } = rpc.rule;
  const { organization } = places[cell.parent];
  switch (rpc.rule.organization) {
    case OrganizationSource.SELF:
      return "allowed";
    case OrganizationSource.HEADER:
      return onOrganization(rpc, cell, cell.isNamed ? organization : caller.home);
    case OrganizationSource.CALLER:
      return onOrganization(rpc, cell, caller.home);
    case OrganizationSource.ID:
      return onOrganization({ ...rpc, path: [] }, cell, organization);
    case OrganizationSource.INSTANCE:
      if (!holdsOn(caller, permission, { kind: "instance" })) return denied(permission, "instance");
      return places[cell.parent].isThere ? "allowed" : ofWhicheverOrganization(rpc);
    case OrganizationSource.HEADER_OR_HELD:
      if (cell.isNamed) return onOrganization(rpc, cell, organization);
      return holdsSomewhere(caller, permission) ? "allowed" : denied(permission, caller.home);
    case OrganizationSource.HELD:
      return holdsSomewhere(caller, permission) ? "allowed" : denied(permission, caller.home);
    case OrganizationSource.USER:
      return onUser(rpc, cell);
    case OrganizationSource.SESSION: {
      const found = onUser({ ...rpc, path: [] }, cell);
      return found === "NOT_FOUND user" ? "NOT_FOUND session" : found;
    }
    case OrganizationSource.SCOPE:
      return onScope(rpc, cell);
    case OrganizationSource.MEMBERSHIP:
      if (!holdsSomewhere(caller, permission)) return denied(permission, caller.home);
      return places[cell.leaf].isThere && holdsOn(caller, permission, scopeOf(rpc, cell.leaf))
        ? "allowed"
        : "NOT_FOUND membership";
    default:
      throw new Error(`write down what the source of the organization of ${rpc.name} means`);
  }
}

/** SetPasswordHash names a user, and UpdateExternalClientSettings a project, of whichever organization. */
function ofWhicheverOrganization({ path }: MatrixRpc): Expectation {
  const missing = path.find((kind) => kind === "user" || kind === "project");
  return missing === undefined ? "allowed" : `NOT_FOUND ${missing}`;
}

function onOrganization(rpc: MatrixRpc, cell: Cell, acting: OrganizationName): Expectation {
  const { permission } = rpc.rule;
  const opening = openingOf(cell.caller, permission, acting);
  if (opening === undefined && rpc.rule.ownObjects && acting === cell.caller.home) return "allowed";
  if (opening === undefined) return denied(permission, acting);
  if (acting === "removed" || acting === "never") return "NOT_FOUND organization";
  const giving = groupThatGains(rpc, cell);
  const mayGive = giving === undefined || mayWriteGroups(cell.caller, giving);
  const missing = findMissing(rpc, cell, { acting, opening });
  if (missing !== undefined && (mayGive || missing !== "project")) return `NOT_FOUND ${missing}`;
  return mayGive ? "allowed" : denied("group.write", giving);
}

/** Returns the organization of the group that gains roles by the call, which needs group.write there besides its own permission. */
function groupThatGains(
  { method: { name } }: MatrixRpc,
  { parent, leaf }: Cell,
): OrganizationName | undefined {
  if (name === "AddGroupGrant") return places[parent].organization;
  return name === "UpdateGroupGrant" || name === "ReactivateGroupGrant" ? places[leaf].giver : undefined;
}

function mayWriteGroups(caller: CallerFacts, organization: OrganizationName): boolean {
  return holdsOn(caller, "group.write", { kind: "organization", organization });
}

interface Reach {
  readonly acting: OrganizationName;
  readonly opening: Opening;
}

/** Returns the kind of the first object of the path that is not there for the caller. */
function findMissing(rpc: MatrixRpc, cell: Cell, reach: Reach): ObjectKind | undefined {
  const [outer, inner] = rpc.path;
  if (outer === undefined) return undefined;
  // A user grant is looked for by user and id at once.
  if (inner === "user_grant" || inner === "group_grant")
    return mayAccessUserGrant(cell, reach) ? undefined : inner;
  switch (outer) {
    case "user_grant":
      return mayAccessUserGrant(cell, reach) ? undefined : "user_grant";
    case "user":
      if (!isUserInReach(cell, reach)) return "user";
      // Only AddUserGrant names a project beside the user.
      return inner === undefined || opensBasis(cell.leaf, reach) ? undefined : "project";
    case "group":
      if (inner === undefined) return isOf(cell.parent, reach.acting) ? undefined : "group";
      // Only AddGroupGrant names a project beside the group.
      if (!isGroupInReach(cell)) return "group";
      return opensBasis(cell.leaf, reach) ? undefined : "project";
    case "project":
      if (rpc.method.name === "GetProjectGrant" && isGrantedTo(cell.parent, reach)) break;
      if (!mayAccessProject(cell.parent, reach)) return "project";
      break;
    case "identity_provider":
    case "login_policy_idp":
      return isOf(cell.parent, reach.acting) ? undefined : outer;
    case "target":
      if (!isOf(cell.parent, reach.acting)) return "target";
      break;
    case "hook":
      if (!isOf(cell.parent, reach.acting)) return "hook";
      break;
    default:
      throw new Error(`write down how ${rpc.name} finds its ${outer}`);
  }
  if (inner !== undefined && !isWhole(cell)) return inner;
  // The user whose claims are shown is found last, where the caller may read users.
  return rpc.method.name === "PreviewClaims" && !readsUsersOf(cell) ? "user" : undefined;
}

function readsUsersOf({ caller, parent }: Cell): boolean {
  return holdsOn(caller, "user.read", { kind: "organization", organization: places[parent].organization });
}

/** Says whether the inner object is one of the outer, and both are there. */
function isWhole({ parent, leaf }: Cell): boolean {
  return parent === leaf && places[leaf].isThere;
}

function isOf(place: PlaceName, organization: OrganizationName): boolean {
  return places[place].isThere && places[place].organization === organization;
}

function mayAccessProject(place: PlaceName, { acting, opening }: Reach): boolean {
  return isOf(place, acting) && (opening === "all" || isIn(opening, "project", place));
}

function isGrantedTo(place: PlaceName, { acting, opening }: Reach): boolean {
  const { isThere, grantedTo } = places[place];
  return isThere && grantedTo === acting && (opening === "all" || isIn(opening, "projectGrant", place));
}

function opensBasis(place: PlaceName, reach: Reach): boolean {
  return mayAccessProject(place, reach) || isGrantedTo(place, reach);
}

function mayAccessUserGrant(cell: Cell, { acting, opening }: Reach): boolean {
  const { leaf } = cell;
  if (!isWhole(cell) || places[leaf].giver !== acting) return false;
  return opening === "all" || isIn(opening, leaf === "granted" ? "projectGrant" : "project", leaf);
}

function isUserInReach({ caller, parent }: Cell, { acting }: Reach): boolean {
  const { isThere, organization } = places[parent];
  return (
    isThere &&
    (organization === acting || holdsOn(caller, "user.read", { kind: "organization", organization }))
  );
}

function isGroupInReach({ caller, parent }: Cell): boolean {
  const { isThere, organization } = places[parent];
  return isThere && holdsOn(caller, "group.read", { kind: "organization", organization });
}

function isIn(opening: Opening, kind: "project" | "projectGrant", place: PlaceName): boolean {
  return typeof opening === "object" && kind in opening && Object.values(opening).includes(place);
}

function onUser(rpc: MatrixRpc, cell: Cell): Expectation {
  const { caller, parent } = cell;
  const { permission } = rpc.rule;
  if (!holdsSomewhere(caller, permission)) return denied(permission, caller.home);
  const { isThere, organization } = places[parent];
  if (!isThere || openingOf(caller, permission, organization) === undefined) return "NOT_FOUND user";
  // What is asked about is a permission in the organization of the user.
  const isExplained = rpc.method.name === "ExplainAccess";
  if (isExplained && !holdsOn(caller, "membership.read", { kind: "organization", organization }))
    return denied("membership.read", organization);
  const [, part] = rpc.path;
  return part === undefined || isWhole(cell) ? "allowed" : `NOT_FOUND ${part}`;
}

function onScope(rpc: MatrixRpc, { caller, leaf }: Cell): Expectation {
  const { permission } = rpc.rule;
  const scope = scopeOf(rpc, leaf);
  const isHeld = holdsOn(caller, permission, scope);
  switch (scope.kind) {
    case "instance":
      return isHeld ? "allowed" : denied(permission, "instance");
    case "organization":
      if (!isHeld) return denied(permission, scope.organization);
      return places[leaf].isThere ? "allowed" : "NOT_FOUND organization";
    case "project":
    case "project_grant":
      if (!holdsSomewhere(caller, permission)) return denied(permission, caller.home);
      return isHeld && places[leaf].isThere ? "allowed" : `NOT_FOUND ${scope.kind}`;
  }
}

function scopeOf({ scope, name }: MatrixRpc, place: PlaceName): ScopeFacts {
  const { organization, grantedTo } = places[place];
  switch (scope) {
    case "instance":
      return { kind: scope };
    case "organization":
      return { kind: scope, organization };
    case "project":
      return { kind: scope, organization, place };
    case "project_grant":
      return { kind: scope, organization: grantedTo, place };
    case undefined:
      throw new Error(`${name} has no scope`);
  }
}

function denied(permission: string, organization: OrganizationName | "instance"): Expectation {
  return `PERMISSION_DENIED ${permission} ${organization}`;
}
