import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { ApiTarget, AskedTargets } from "../../../identity/applications/api/target-repository.ts";
import { earliest } from "../../../kernel/base/clock.ts";
import type { Consent } from "../../../identity/logins/authorizations/gift.ts";
import { listProjectsInReach, type ProjectInReach } from "../../../identity/projects/audience-repository.ts";
import { isExternal, type OidcClient } from "../clients/client.ts";
import { dropProjects, type RequestedScopes } from "./scopes.ts";

/** Where a client stands that gets tokens. */
export interface ClientStand {
  /** The organization that owns its project; of a service user, its own. Undefined for the console. */
  readonly organizationId: string | undefined;
  /** Undefined for a service user and the console: they have none. */
  readonly projectId: string | undefined;
  /** Whether nobody has created the client: it reaches the APIs that take such clients, and nothing else. Default: false. */
  readonly isExternal?: boolean;
}

/** Says where a client stands. Undefined: a service user, which is of that organization. */
export function standOf(
  client: Pick<OidcClient, "place" | "settings"> | undefined,
  organizationId: string,
): ClientStand {
  if (client === undefined) return { organizationId, projectId: undefined };
  if (isExternal(client)) return externalStand;
  return { organizationId: client.place?.organization.id, projectId: client.place?.project.id };
}

/** Where every external client stands. */
export const externalStand: ClientStand = {
  organizationId: undefined,
  projectId: undefined,
  isExternal: true,
};

/** Lists those of the projects that an organization has at this instant; see `listProjectsInReach`. */
export type ListReach = (
  tx: ReadTransaction,
  organizationId: string,
  projectIds: readonly string[],
) => Promise<readonly ProjectInReach[]>;

/** Lists APIs; see `listApiTargets`. */
export type ListTargets = (tx: ReadTransaction, asked: AskedTargets) => Promise<readonly ApiTarget[]>;

/** Whose token it is, and where the clients stand that it went through. */
export interface Reach {
  /** The organization of the user. */
  readonly homeId: string;
  readonly stands: readonly ClientStand[];
  /** Lists the projects of an organization; `listProjectsInReach` unless set. */
  readonly list?: ListReach | undefined;
  /** Lists APIs; `listApiTargets` unless set. */
  readonly targets?: ListTargets | undefined;
}

/** What is left of scopes. */
export interface ReachableScopes {
  readonly scopes: RequestedScopes;
  /** The projects among their audiences besides that of the client. */
  readonly projects: readonly ProjectInReach[];
}

/**
 * Leaves out the projects that a client does not reach at this instant, with the scopes that name them. It reaches its own, those
 * of its organization, and those that are granted to its organization, where the user is of that organization too; of these the
 * tokens have only the roles of the grant.
 */
export async function limitScopes(
  tx: ReadTransaction,
  scopes: RequestedScopes,
  { homeId, stand }: Pick<Reach, "homeId"> & { readonly stand: ClientStand },
): Promise<ReachableScopes> {
  if (scopes.projectIds.every((id) => id === stand.projectId)) return { scopes, projects: [] };
  const { projects, lost } = await listReached(tx, scopes.projectIds, { homeId, stands: [stand] });
  return { scopes: { ...dropProjects(scopes, new Set(lost)), ...toProjectLimits(projects) }, projects };
}

/** Leaves out the projects that the user has not let the application use on a page, too. */
export async function limitConsentedScopes(
  tx: ReadTransaction,
  scopes: RequestedScopes,
  {
    homeId,
    stand,
    consent,
  }: { readonly homeId: string; readonly stand: ClientStand; readonly consent: Consent | undefined },
): Promise<RequestedScopes> {
  const limited = await limitScopes(tx, scopes, { homeId, stand });
  const confirmed = consent?.kind === "confirmation" ? consent.gift.audiences : [];
  const [kept, lost] = [true, false].map((isKept) =>
    limited.projects.filter(({ id }) => confirmed.includes(id) === isKept),
  );
  const left = dropProjects(limited.scopes, new Set(lost?.map(({ id }) => id)));
  return { ...left, ...toProjectLimits(kept ?? []) };
}

/** Divides projects by whether each of the clients reaches them. */
export async function listReached(
  tx: ReadTransaction,
  asked: readonly string[],
  { homeId, stands, list = listProjectsInReach }: Reach,
): Promise<{
  /** Those that are not the project of every client. */
  readonly projects: readonly ProjectInReach[];
  readonly lost: readonly string[];
}> {
  let left = asked;
  const found = new Map<string, ProjectInReach>();
  for (const { organizationId, projectId } of stands) {
    const others = left.filter((id) => id !== projectId);
    const inReach = organizationId === undefined ? [] : await list(tx, organizationId, others);
    const reached = inReach.filter(({ roleKeys }) => roleKeys === undefined || homeId === organizationId);
    for (const project of reached) found.set(project.id, narrow(project, found.get(project.id)));
    left = left.filter((id) => id === projectId || reached.some((project) => project.id === id));
  }
  return {
    projects: [...found.values()].filter(({ id }) => left.includes(id)),
    lost: asked.filter((id) => !left.includes(id)),
  };
}

/** Returns the only roles that tokens may have, by the projects that are granted, and when the first of these grants ends. */
export function toProjectLimits(
  projects: readonly ProjectInReach[],
): Pick<RequestedScopes, "roleLimits" | "endDate"> {
  const roleLimits = new Map<string, readonly string[]>();
  for (const { id, roleKeys } of projects) if (roleKeys !== undefined) roleLimits.set(id, roleKeys);
  return { roleLimits, endDate: earliest(projects.map(({ endDate }) => endDate)) };
}

/** A role is in a token only if every client that has the project by a grant has the role. */
function narrow(project: ProjectInReach, before: ProjectInReach | undefined): ProjectInReach {
  if (before?.roleKeys === undefined) return project;
  const keys = before.roleKeys;
  return {
    ...project,
    roleKeys: project.roleKeys?.filter((key) => keys.includes(key)) ?? keys,
    endDate: earliest([before.endDate, project.endDate]),
  };
}
