import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import { type Consent, listProjectsOf } from "../../../identity/logins/authorizations/gift.ts";
import { type ApplicationClient, type OidcClient, ownPlaceOf } from "../clients/client.ts";
import { listApplicationPlaces } from "../clients/repository.ts";
import type { LiveAccessToken } from "./presented-token.ts";
import { earliest } from "../../../kernel/base/clock.ts";
import { type ClientStand, externalStand, listReached, standOf, toProjectLimits } from "./reach.ts";
import type { ReachedApi } from "./reached-apis.ts";
import { listOwnApiScopes, listResources, readApiTokenReach } from "./token-apis.ts";
import { dropProjects, listForeignScopes, type RequestedScopes, toRequestedScopes } from "./scopes.ts";

/** What an access token reaches at this instant. */
export interface TokenReach {
  readonly scopes: RequestedScopes;
  /** None: the token is invalid. */
  readonly audiences: readonly string[];
  /** The APIs among the audiences; undefined: none was named for it. */
  readonly apis: readonly ReachedApi[] | undefined;
  /** Why its user was not asked; undefined: see `Authorization`. */
  readonly consent: Consent | undefined;
}

/** The client that is about to get another token for it, and the active application that asks about it. */
interface Asking {
  readonly exchanging?: OidcClient | undefined;
  readonly asking?: ApplicationClient | undefined;
}

type HeldToken = Pick<LiveAccessToken, "token" | "user" | "application" | "authorization">;

/**
 * Finds out what is left of the scopes and audiences of a token that holds: what could be reached when it was made may be out of reach
 * by now, of one of the clients that it went through. `exchanging`: the client that is about to get another one for it. `asking`: the
 * active application that asks about it, whose project need not be read again.
 */
export async function readTokenReach(
  tx: ReadTransaction,
  held: HeldToken,
  { exchanging, asking }: Asking = {},
): Promise<TokenReach> {
  const { token, user, application, authorization } = held;
  const consent = authorization?.consent;
  const asked = toRequestedScopes(token.scopes);
  const isOwn = token.exchanges.length === 0 && exchanging === undefined;
  const ownProject = ownPlaceOf(application)?.project.id;
  if (listResources(token).length > 0) return await readApiReach(tx, held, { exchanging, asking });
  // A program of the organization of the asking application reaches the project of that one.
  const isAskedAtHome =
    authorization === undefined && asking?.place?.organization.id === (user.organizationId as string);
  const known = isAskedAtHome ? asking.place.project.id : ownProject;
  if (isOwn && asked.projectIds.every((id) => id === known || id === ownProject))
    return {
      scopes: await keepOwnScopes(tx, held, asked),
      audiences: token.audiences,
      consent,
      apis: undefined,
    };
  const { stands, projectOf } = isOwn
    ? { stands: [standOf(application, user.organizationId)], projectOf: new Map<string, string>() }
    : await readChain(tx, held, exchanging);
  const isProject = (id: string) =>
    id !== apiAudience && id !== token.clientId && !projectOf.has(id) && id !== token.userId;
  const ids = [
    ...new Set([...asked.projectIds, ...projectOf.values(), ...token.audiences.filter(isProject)]),
  ];
  const { projects, lost } = await listReached(tx, ids, { homeId: user.organizationId, stands });
  const isConfirmed = isConfirmedIn(
    authorization,
    projectOf.get(authorization?.applicationId ?? "") ?? ownProject,
  );
  const gone = new Set([...lost, ...ids.filter((id) => !isConfirmed(id))]);
  const audiences = token.audiences.filter((id) => !gone.has(projectOf.get(id) ?? id));
  const left = await keepOwnScopes(tx, held, {
    ...dropProjects(asked, gone),
    ...toProjectLimits(projects.filter(({ id }) => !gone.has(id))),
  });
  return { scopes: left, audiences, consent, apis: undefined };
}

/** Leaves out scopes of the APIs of the client's own project that the user may not have any more. */
async function keepOwnScopes(
  tx: ReadTransaction,
  { token, user, application, authorization }: HeldToken,
  scopes: RequestedScopes,
): Promise<RequestedScopes> {
  const asking = application?.settings.claimScopes ?? []; // these are the client's own
  const foreign = listForeignScopes(scopes.granted).filter((scope) => !asking.includes(scope));
  if (foreign.length === 0) return scopes;
  const { organizationId: homeId } = user;
  const confirmed = { ownProjectId: ownPlaceOf(application)?.project.id, consent: authorization?.consent };
  const reach = { homeId, stands: [standOf(application, homeId)] };
  const own = await listOwnApiScopes(tx, foreign, { userId: token.userId, reach, confirmed });
  const isLeft = (scope: string) => !foreign.includes(scope) || own.scopes.includes(scope);
  const endDate = earliest([scopes.endDate, own.endDate]);
  return { ...scopes, granted: scopes.granted.filter(isLeft), endDate };
}

/** Returns the active API that asks, if the token is for it alone, and its project is in reach of the client without a grant. */
function findAskingApi(
  { token, user, application, authorization }: HeldToken,
  asking: ApplicationClient | undefined,
): ReachedApi | undefined {
  if (asking?.kind !== "api") return undefined;
  const { id, name, settings, place } = asking;
  const { resource, resourceState, scopes, allowsExternalClients } = settings;
  const isForIt = token.audiences.length === 1 && token.audiences[0] === resource;
  const isAtHome = authorization === undefined && place.organization.id === (user.organizationId as string);
  const isReached = isAtHome || place.project.id === ownPlaceOf(application)?.project.id;
  if (!isForIt || !isReached || resourceState !== "VERIFIED") return undefined;
  const api = { id, name, resource, scopes, allowsExternalClients, ...place };
  return { ...api, roleLimit: undefined, endDate: undefined };
}

/** A token for APIs reaches those that each of its clients reaches. */
async function readApiReach(
  tx: ReadTransaction,
  held: HeldToken,
  { exchanging, asking }: Asking,
): Promise<TokenReach> {
  const { token, user, application, authorization } = held;
  const { userId } = token;
  const { organizationId: homeId } = user;
  const isOwn = token.exchanges.length === 0 && exchanging === undefined;
  const { stands, projectOf } = isOwn
    ? { stands: [standOf(application, homeId)], projectOf: new Map<string, string>() }
    : await readChain(tx, held, exchanging);
  const ownProjectId = isOwn
    ? ownPlaceOf(application)?.project.id
    : projectOf.get(authorization?.applicationId ?? "");
  const confirmed = authorization && { ownProjectId, consent: authorization.consent };
  const known = isOwn ? findAskingApi(held, asking) : undefined;
  const left = await readApiTokenReach(tx, token, { userId, reach: { homeId, stands }, confirmed, known });
  const scopes = { ...toRequestedScopes(left.scopes), endDate: left.endDate };
  return { ...left, scopes, consent: authorization?.consent };
}

/** Says of projects whether the user has let the application that they logged in to use them. Programs ask nobody. */
function isConfirmedIn(
  authorization: HeldToken["authorization"],
  ownProject: string | undefined,
): (projectId: string) => boolean {
  if (authorization === undefined) return () => true;
  const { consent } = authorization;
  const confirmed = consent?.kind === "confirmation" ? listProjectsOf(consent.gift) : [];
  return (id) => id === ownProject || confirmed.includes(id);
}

interface Chain {
  readonly stands: readonly ClientStand[];
  /** The projects of the applications. */
  readonly projectOf: ReadonlyMap<string, string>;
}

/** Reads where the clients stand that a token went through. */
async function readChain(
  tx: ReadTransaction,
  { token, user, authorization }: HeldToken,
  exchanging: OidcClient | undefined,
): Promise<Chain> {
  const ids = new Set(token.exchanges.map(({ clientId }) => clientId));
  if (authorization !== undefined) ids.add(authorization.applicationId);
  const places = await listApplicationPlaces(tx, [...ids]);
  const stands: ClientStand[] = places.map((place) => (place.isExternal ? externalStand : place));
  if (authorization === undefined) stands.push(standOf(undefined, user.organizationId));
  if (exchanging !== undefined) stands.push(standOf(exchanging, user.organizationId));
  return { stands, projectOf: new Map(places.map(({ id, projectId }) => [id, projectId])) };
}
