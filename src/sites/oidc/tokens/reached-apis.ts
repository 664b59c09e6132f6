import {
  type ApiTarget,
  type AskedTargets,
  listApiTargets,
} from "../../../identity/applications/api/target-repository.ts";
import { type Consent, toConfirmedScope } from "../../../identity/logins/authorizations/gift.ts";
import { toLastEnds } from "../../../identity/rights-in-time/period-columns.ts";
import { listRolesInEffect } from "../../../identity/user-grants/effective-role-repository.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { earliest, endless, type Instant } from "../../../kernel/base/clock.ts";
import { listReached, type Reach, toProjectLimits } from "./reach.ts";

/** An API that every client of a token reaches at this instant. */
export interface ReachedApi extends ApiTarget {
  /** The only roles of its project that count: those of the project grant. Undefined: all. */
  readonly roleLimit: readonly string[] | undefined;
  /** When the project grant ends; undefined: it does not, or there is none. */
  readonly endDate: Instant | undefined;
}

/** An API, and those of its scopes that may be given. */
export interface AllowedApi {
  readonly api: ReachedApi;
  readonly names: ReadonlySet<string>;
  /** When the first of them loses the last role that it is given for; undefined: never. */
  readonly endDate: Instant | undefined;
}

/** What the user has let the client have; undefined: a program acts for itself, and nobody is asked. */
export interface Confirmed {
  /** The project of the client that the user has logged in to. */
  readonly ownProjectId: string | undefined;
  readonly consent: Consent | undefined;
}

/** Lists those of the APIs that the clients reach: by the rules for their projects; an external one those that take such clients. */
export async function listReachedApis(
  tx: ReadTransaction,
  asked: AskedTargets,
  reach: Reach,
): Promise<readonly ReachedApi[]> {
  const isOpen = reach.stands.some(({ isExternal }) => isExternal === true);
  const targets = await (reach.targets ?? listApiTargets)(tx, asked);
  const found = targets.filter(({ allowsExternalClients }) => !isOpen || allowsExternalClients);
  if (found.length === 0) return [];
  const stands = reach.stands.filter(({ isExternal }) => isExternal !== true);
  const projectIds = [...new Set(found.map(({ project }): string => project.id))];
  const { projects, lost } = await listReached(tx, projectIds, { ...reach, stands });
  const { roleLimits: limits } = toProjectLimits(projects);
  const ends = new Map<string, Instant | undefined>(projects.map(({ id, endDate }) => [id, endDate]));
  return found
    .filter(({ project }) => !lost.includes(project.id))
    .flatMap((api) => [
      { ...api, roleLimit: limits?.get(api.project.id), endDate: ends.get(api.project.id) },
    ]);
}

/** Leaves out the APIs that the user has not let the client use. */
export function keepConfirmedApis(
  apis: readonly ReachedApi[],
  confirmed: Confirmed | undefined,
): readonly ReachedApi[] {
  if (confirmed === undefined) return apis;
  const { ownProjectId, consent } = confirmed;
  const audiences = consent?.kind === "confirmation" ? consent.gift.audiences : [];
  return apis.filter(({ id, project }) => project.id === ownProjectId || audiences.includes(id));
}

/**
 * Finds which of the scopes may be given at each of the APIs: scopes that it defines, for roles that the user holds in effect, and that
 * the user has let the client have.
 */
export async function listAllowedScopes(
  tx: ReadTransaction,
  apis: readonly ReachedApi[],
  asked: {
    readonly userId: string;
    readonly names: readonly string[];
    readonly confirmed?: Confirmed | undefined;
  },
): Promise<readonly AllowedApi[]> {
  const { userId, names, confirmed } = asked;
  const wanted = apis.map((api) => ({ api, scopes: api.scopes.filter(({ name }) => names.includes(name)) }));
  const byRole = wanted.filter(({ scopes }) => scopes.some(({ roleKeys }) => roleKeys.length > 0));
  const roles = await listRolesInEffect(tx, userId, [...new Set(byRole.map(({ api }) => api.project.id))]);
  return wanted.map(({ api, scopes }) => {
    const held = toLastEnds(
      roles
        .filter(({ projectId }) => projectId === api.project.id)
        .flatMap(({ roleKeys, endDate = endless }) => roleKeys.map((id) => ({ id, end_date: endDate })))
        .filter(({ id }) => api.roleLimit?.includes(id) ?? true),
    );
    const isAllowed = (roleKeys: readonly string[]) =>
      roleKeys.length === 0 || roleKeys.some((key) => held.has(key));
    const lastOf = (roleKeys: readonly string[]) =>
      roleKeys
        .flatMap((key) => held.get(key) ?? [])
        .toSorted()
        .at(-1);
    const given = scopes.filter(
      ({ name, roleKeys }) => isAllowed(roleKeys) && isConfirmedScope(api, name, confirmed),
    );
    const endDate = earliest(given.map(({ roleKeys }) => lastOf(roleKeys)));
    return { api, names: new Set(given.map(({ name }) => name)), endDate };
  });
}

/** Lists the scopes that a token for all of these APIs holds: each one that defines the name must give it. In the order of `names`. */
export function listCommonScopes(
  allowed: readonly AllowedApi[],
  names: readonly string[],
): readonly string[] {
  return names.filter((name) => {
    const defining = allowed.filter(({ api }) => api.scopes.some((scope) => scope.name === name));
    return defining.length > 0 && defining.every((each) => each.names.has(name));
  });
}

/** Says whether there are scopes to have, and none of them is left. */
export function isNothingLeft(
  granted: readonly string[],
  apis: readonly Pick<ApiTarget, "scopes">[],
): boolean {
  return granted.length === 0 && apis.some(({ scopes }) => scopes.length > 0);
}

function isConfirmedScope(api: ReachedApi, name: string, confirmed: Confirmed | undefined): boolean {
  if (confirmed?.consent?.kind !== "confirmation") return true; // which APIs, `keepConfirmedApis` says
  return confirmed.consent.gift.apiScopes.includes(toConfirmedScope(api, name));
}
