import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import { type Consent, listProjectsOf } from "../../../identity/logins/authorizations/gift.ts";
import type { ApplicationClient, OidcClient } from "../clients/client.ts";
import { listApplicationPlaces } from "../clients/repository.ts";
import type { LiveAccessToken } from "./presented-token.ts";
import { type ClientStand, listReached, standOf, toRoleLimits } from "./reach.ts";
import { dropProjects, type RequestedScopes, toRequestedScopes } from "./scopes.ts";

/** What an access token reaches at this instant. */
export interface TokenReach {
  readonly scopes: RequestedScopes;
  /** None: the token is invalid. */
  readonly audiences: readonly string[];
  /** Why its user was not asked; undefined: see `Authorization`. */
  readonly consent: Consent | undefined;
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
  {
    exchanging,
    asking,
  }: { readonly exchanging?: OidcClient | undefined; readonly asking?: ApplicationClient | undefined } = {},
): Promise<TokenReach> {
  const { token, user, application, authorization } = held;
  const consent = authorization?.consent;
  const asked = toRequestedScopes(token.scopes);
  const isOwn = token.exchanges.length === 0 && exchanging === undefined;
  const ownProject = application?.place?.project.id;
  // A program of the organization of the asking application reaches the project of that one.
  const isAskedAtHome =
    authorization === undefined && asking?.place?.organization.id === (user.organizationId as string);
  const known = isAskedAtHome ? asking.place.project.id : ownProject;
  if (isOwn && asked.projectIds.every((id) => id === known || id === ownProject))
    return { scopes: asked, audiences: token.audiences, consent };
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
  const scopes = { ...dropProjects(asked, gone), roleLimits: toRoleLimits(projects) };
  return { scopes, audiences, consent };
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
  const stands: ClientStand[] = [...places];
  if (authorization === undefined) stands.push(standOf(undefined, user.organizationId));
  if (exchanging !== undefined) stands.push(standOf(exchanging, user.organizationId));
  return { stands, projectOf: new Map(places.map(({ id, projectId }) => [id, projectId])) };
}
