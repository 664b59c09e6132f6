import { type Actor, holds, type Scope, wholeOf } from "./actors.ts";
import type { World } from "./world.ts";

/** Something that the actor, or somebody by the actor's calls, can do or know. */
export type Finding =
  /** A token in the hands of the actor gives the permission. */
  | { readonly kind: "reaches"; readonly permission: string; readonly scope: Scope; readonly by: string }
  /** A membership that the actor has made gives the permission to somebody. */
  | { readonly kind: "gives"; readonly permission: string; readonly scope: Scope; readonly to: string }
  /** Somebody has a role in a project by a call of the actor. */
  | { readonly kind: "grants"; readonly projectId: string; readonly roleKey: string; readonly to: string }
  /** An application of the actor learns a claim of a user, or gets `offline_access`, without a page. */
  | { readonly kind: "learns"; readonly what: string; readonly of: string; readonly at: ToldAt }
  /** The API of another project takes a token that the actor has for a user. */
  | {
      readonly kind: "passes for";
      readonly who: string;
      readonly projectId: string;
      readonly roles: string;
      /** Of a service user, that of its organization: it acts for itself, so nobody need be asked. */
      readonly organizationId?: string | undefined;
    }
  /** A stored secret reaches the actor. */
  | { readonly kind: "hears"; readonly secret: string };

/** The application, and how it is to the user. */
export interface ToldAt {
  readonly app: string;
  readonly isSameOrganization: boolean;
  /** The user has a role in the project, which their own organization gave. */
  readonly isConnected: boolean;
  /** The user was asked before, and a page has shown no more than who they are. */
  readonly isConfirmed: boolean;
}

/** What is stored at the moment and decides where a scope is. */
export interface Layout {
  /** The owners of projects. */
  readonly owners: ReadonlyMap<string, string>;
  /** The project, and the organization that it was granted to, of project grants. */
  readonly grants: ReadonlyMap<string, { readonly projectId: string; readonly organizationId: string }>;
}

/** Returns a text for each finding, which is the same before and after if nothing has changed. */
export function describe(finding: Finding): string {
  switch (finding.kind) {
    case "reaches":
      return `${finding.by} reaches ${finding.permission} on ${nameOf(finding.scope)}`;
    case "gives":
      return `gives ${finding.permission} on ${nameOf(finding.scope)} to ${finding.to}`;
    case "grants":
      return `gives the role ${finding.roleKey} of ${finding.projectId} to ${finding.to}`;
    case "learns":
      return `${finding.at.app} learns ${finding.what} of ${finding.of}`;
    case "passes for":
      return `passes for ${finding.who} at the API of ${finding.projectId} with the roles [${finding.roles}]`;
    case "hears":
      return `hears the secret ${finding.secret}`;
  }
}

function nameOf({ kind, id }: Scope): string {
  return kind === "instance" ? "the instance" : `${kind} ${id}`;
}

/**
 * Says whether the rights of the actor explain the finding, by decision 14 and rules S1 to S5 and nothing of `src`: nobody hands out
 * or holds a permission that they lack; an application learns of users of its own organization, and of those whom their own organization
 * has connected with it, and of others nothing without a page; no stored secret is told.
 */
export function isExplained(finding: Finding, { world, actor, layout }: Explaining): boolean {
  switch (finding.kind) {
    case "reaches":
    case "gives":
      return (
        holds(actor, finding.permission, finding.scope) ||
        (actor.runsProvider && finding.scope.organizationId === world.organizations.a)
      );
    case "grants":
      return mayGrant(actor, layout, finding);
    case "learns":
      return (
        finding.at.isSameOrganization ||
        finding.at.isConnected ||
        (finding.at.isConfirmed && identity.has(finding.what))
      );
    case "passes for":
      return (
        finding.organizationId !== undefined && mayPass(layout, finding.organizationId, finding.projectId)
      );
    case "hears":
      return actor.runsProvider; // both providers are theirs
  }
}

/** A service user may be shown to the projects of its organization, and to those that are granted to it. */
function mayPass({ owners, grants }: Layout, organizationId: string, projectId: string): boolean {
  const isGranted = [...grants.values()].some(
    (grant) => grant.projectId === projectId && grant.organizationId === organizationId,
  );
  return isGranted || owners.get(projectId) === organizationId;
}

/** What a page has shown that was for no more than who somebody is. */
const identity: ReadonlySet<string> = new Set(["sub", "UserID", "UserName"]);

/** What is needed to explain. */
export interface Explaining {
  readonly world: World;
  readonly actor: Actor;
  readonly layout: Layout;
}

/** Who gives users roles of a project holds that permission there, or where the project was granted to. */
function mayGrant(
  actor: Actor,
  { owners, grants }: Layout,
  { projectId }: Extract<Finding, { kind: "grants" }>,
): boolean {
  const owner = owners.get(projectId) ?? "";
  const project: Scope = { kind: "project", id: projectId, organizationId: owner };
  const permissions = ["user.grant.write", "project.grant.write"]; // a wider project grant gives what users were given of it
  if (permissions.some((permission) => holds(actor, permission, project))) return true;
  return [...grants].some(
    ([id, grant]) =>
      grant.projectId === projectId &&
      (holds(actor, "user.grant.write", { kind: "projectGrant", id, organizationId: grant.organizationId }) ||
        holds(actor, "user.grant.write", wholeOf(grant.organizationId))),
  );
}

/** Reads which scopes there are. */
export async function readLayout({ ground }: World): Promise<Layout> {
  const { raw } = ground.service.place;
  const projects = await raw.peek<{ id: string; resource_owner: string }>(
    "SELECT CAST(id AS TEXT) AS id, CAST(resource_owner AS TEXT) AS resource_owner FROM stored_projects",
  );
  const grants = await raw.peek<{ id: string; project_id: string; granted_organization_id: string }>(
    `SELECT CAST(id AS TEXT) AS id, CAST(project_id AS TEXT) AS project_id,
       CAST(granted_organization_id AS TEXT) AS granted_organization_id FROM stored_project_grants`,
  );
  return {
    owners: new Map(projects.map(({ id, resource_owner: owner }) => [id, owner])),
    grants: new Map(
      grants.map(({ id, project_id: projectId, granted_organization_id: organizationId }) => [
        id,
        { projectId, organizationId },
      ]),
    ),
  };
}

/** Returns the scope of a membership. */
export function toScope({ owners, grants }: Layout, kind: string, id: string): Scope {
  switch (kind) {
    case "instance":
      return { kind, id: "", organizationId: "" };
    case "organization":
      return wholeOf(id);
    case "project":
      return { kind, id, organizationId: owners.get(id) ?? "" };
    default:
      return { kind: "projectGrant", id, organizationId: grants.get(id)?.organizationId ?? "" };
  }
}
