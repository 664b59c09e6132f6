import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { AuthorizationId } from "../../../kernel/base/ids.ts";
import { isRedirectUriRegistered } from "../../../identity/applications/oidc/redirect-uri.ts";
import {
  type Authorization,
  grantAuthorization,
} from "../../../identity/logins/authorizations/authorization.ts";
import { type Gift, isCovered } from "../../../identity/logins/authorizations/gift.ts";
import { hasAuthorization, putAuthorization } from "../../../identity/logins/authorizations/repository.ts";
import { findConsentStanding } from "../../../identity/logins/authorizations/standing.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { isMultiFactor, type LiveSession } from "../../../identity/logins/sessions/session.ts";
import { accessRefusals, checkAccess } from "../../login/application-access.ts";
import type { LoginProtocol, LoginRefusal } from "../../login/login-protocol.ts";
import { type LoginRequest, requireApplicationId } from "../../login/login-request.ts";
import { refuseByHook } from "../../login/hooks/hook-refusal.ts";
import { PageRefusal } from "../../login/page-refusal.ts";
import { isExternal, type OidcClient, ownPlaceOf, toGate } from "../clients/client.ts";
import { type ClientLookup, findClient } from "../clients/repository.ts";
import { codeLifetimeMs, hashCode, newAuthorizationCode, sealHookAnswers, sealNonce } from "../codes/code.ts";
import { putAuthorizationCode } from "../codes/repository.ts";
import { type ApplicationAnswer, toRedirect } from "../requests/redirect.ts";
import { toBrowserAnswer } from "../requests/response-mode.ts";
import { listLoginApis } from "../tokens/login-apis.ts";
import { type AllowedApi, isNothingLeft } from "../tokens/reached-apis.ts";
import { listOidcMappedGift } from "../tokens/mapped-claims.ts";
import { toGift } from "../tokens/gift-of-scopes.ts";
import { limitScopes, type ReachableScopes, standOf } from "../tokens/reach.ts";
import { readScopesOfApplication } from "../tokens/scopes.ts";
import { askBeforeCode } from "./before-code.ts";
import { listOidcGift } from "./list-gift.ts";
import { fromLoginData, type LoginData } from "./login-data.ts";

/** The default answer that the browser is sent back with. */
const descriptions: Readonly<Record<LoginRefusal, string>> = {
  login_required: "the user has to log in",
  consent_required: "the user has to confirm the login to this application",
  interaction_required: "the user has to do something",
  access_denied: "the user, or a rule of the project, refused",
  account_selection_required: "the user has to choose an account",
  temporarily_unavailable: "too much is going on; try again later",
  server_error: "something went wrong here",
};

/** Creates the answers to logins that applications of OpenID Connect have asked for. */
export function createOidcLogins(context: Pick<FeatureContext, "random" | "clock">): LoginProtocol {
  return {
    async refuse(_tx, { request, refusal, issuer }) {
      const data = fromLoginData(request);
      return toBrowserAnswer(data, toRefusal(data, { refusal, issuer }));
    },
    isMeant: async (_tx, { request, userId }) => isSubject(fromLoginData(request), userId),
    async findWayBack(tx, request, issuer) {
      const lookup = { nowMs: context.clock.nowMs(), issuer };
      const client = await findClient(tx, requireApplicationId(request), lookup);
      if (client?.kind !== "oidc" || !client.isActive) return undefined;
      const data = fromLoginData(request);
      const [home] = client.settings.postLogoutRedirectUris;
      if (home !== undefined || !isRedirectUriRegistered(client.settings, data.redirectUri)) return home;
      if (data.responseMode === "form_post") return undefined; // a link cannot post, and nobody else waits there
      const description = "the login did not come to its end in this window; try again";
      const refused = { refusal: "temporarily_unavailable", description, issuer } as const;
      return toRedirect(data.redirectUri, toRefusal(data, refused));
    },
    listGift: listOidcGift,
    async finish(tx, { request, session, confirmed, hadPage, issuer, hooks }) {
      const data = fromLoginData(request);
      const client = await requireClient(tx, request, {
        redirectUri: data.redirectUri,
        nowMs: context.clock.nowMs(),
        issuer,
      });
      const unmet = findUnmet(data, session);
      const checked =
        unmet ?? (await checkLogin(tx, { request, session, client, scopes: data.scopes, confirmed }));
      if ("refusal" in checked) return toRefused(data, { ...checked, issuer });
      const code = newAuthorizationCode(context.random);
      const nowMs = context.clock.nowMs();
      const authorization = toAuthorization(tx, {
        client,
        session,
        ...checked,
        claims: data.claims,
        sealedNonce: data.nonce === undefined ? undefined : sealNonce(code, data.nonce, context.random),
        nowMs,
        expirationMs: nowMs + codeLifetimeMs,
      });
      const decision = await askBeforeCode(tx, hooks, { client, authorization, issuer });
      const refused = decision.refusal && refuseByHook(request, decision.refusal);
      if (refused !== undefined) return toRefused(data, { ...refused, issuer });
      const events = await keepAuthorization(tx, authorization, hadPage);
      await putAuthorizationCode(tx, {
        hash: hashCode(code.reveal()),
        authorizationId: authorization.id,
        redirectUri: data.redirectUri,
        codeChallenge: data.codeChallenge,
        jkt: data.jkt,
        sealedAnswers: sealHookAnswers(code, decision.used, context.random),
        expirationMs: authorization.expirationMs,
      });
      const answer = { code: code.reveal(), state: data.state, iss: issuer };
      return { answer: toBrowserAnswer(data, answer), events };
    },
  };
}

async function keepAuthorization(
  tx: WriteTransaction,
  authorization: Authorization,
  hadPage: boolean,
): Promise<readonly NewEvent[]> {
  const isRenewal = !hadPage && (await hasAuthorization(tx, authorization));
  await putAuthorization(tx, authorization);
  return [grantAuthorization(authorization, isRenewal)];
}

/** A login may take a quarter of an hour, in which the application may have been switched off, or lost its redirect URI. */
async function requireClient(
  tx: WriteTransaction,
  request: LoginRequest,
  { redirectUri, ...lookup }: ClientLookup & { readonly redirectUri: string },
): Promise<OidcClient> {
  const client = await findClient(tx, requireApplicationId(request), lookup);
  if (client?.kind !== "oidc") throw new PageRefusal("unknown-application");
  if (!client.isActive) throw new PageRefusal("inactive-application");
  if (!isRedirectUriRegistered(client.settings, redirectUri)) throw new PageRefusal("unregistered-redirect");
  return client;
}

interface Refused {
  readonly refusal: LoginRefusal;
  readonly description?: string;
}

/** A login that is about to give something. */
interface CheckedLogin {
  readonly request: LoginRequest;
  readonly session: LiveSession;
  readonly client: OidcClient;
  /** What was asked for. */
  readonly scopes: readonly string[];
  /** What the user has confirmed in this login. */
  readonly confirmed: Gift | undefined;
}

/**
 * Checks in the write that issues the code, or allows the device, whether the user may have it, and what it gives: nothing that the
 * client does not reach, and nothing that had to be confirmed and was not.
 */
export async function checkLogin(
  tx: WriteTransaction,
  login: CheckedLogin,
): Promise<Refused | Pick<Authorization, "scopes" | "resources" | "consent">> {
  const refused = await findRefusal(tx, login);
  if (refused !== undefined) return refused;
  const { client, session, scopes, request } = login;
  if (client.place === undefined) return { scopes, resources: [], consent: undefined };
  const { id: userId, organizationId: homeId } = session.user;
  // Claims that are asked for one by one count as their scopes here, but do not grant them (OpenID Connect Core §5.5).
  const shown = new Set([...scopes, ...request.scopes]);
  const requested = readScopesOfApplication([...shown].join(" "), client.settings);
  const stand = standOf(client, homeId);
  const reachable = await limitScopes(tx, requested, { homeId, stand });
  const { project, organization } = client.place;
  const apis = await listLoginApis(tx, request, { userId, homeId, stand });
  const granted = toGrantedScopes(scopes, { reachable, apis });
  const resources =
    request.resources === undefined || request.resources.length === 0 ? [] : apis.map(({ api }) => api.id);
  if (isRefused(request, { granted, apis }))
    return {
      refusal: "access_denied",
      description: "the user may have none of the scopes, or not use the API",
    };
  const mapped = await listOidcMappedGift(tx, client.mappings, {
    scopes: reachable.scopes,
    homeId,
    ownerId: organization.id,
  });
  const gift = toGift(reachable, ownPlaceOf(client)?.project, { apis, mapped });
  const parties = {
    userId,
    homeId,
    applicationId: client.id,
    projectId: project.id,
    ownerId: organization.id,
    isExternal: isExternal(client),
  };
  const standing = await findConsentStanding(tx, parties, gift);
  const given = { scopes: granted, resources };
  if (standing !== undefined) return { ...given, consent: standing.kind === "home" ? undefined : standing };
  if (!isCovered(gift, login.confirmed)) return { refusal: "consent_required" };
  return { ...given, consent: { kind: "confirmation", gift } };
}

/** The scopes of an API are granted if one of the APIs gives them; each token is checked again. */
function toGrantedScopes(
  scopes: readonly string[],
  { reachable, apis }: { readonly reachable: ReachableScopes; readonly apis: readonly AllowedApi[] },
): readonly string[] {
  const { granted } = reachable.scopes;
  return scopes.filter((scope) => granted.includes(scope) || apis.some(({ names }) => names.has(scope)));
}

/** Says whether nothing is left of what the request asks of APIs. */
function isRefused(
  { resources = [] }: LoginRequest,
  { granted, apis }: { readonly granted: readonly string[]; readonly apis: readonly AllowedApi[] },
): boolean {
  if (resources.length > 0 && apis.length === 0) return true;
  return isNothingLeft(
    granted,
    apis.map(({ api }) => api),
  );
}

async function findRefusal(
  tx: WriteTransaction,
  { request, session, client }: CheckedLogin,
): Promise<Refused | undefined> {
  const { id: userId, organizationId } = session.user;
  if (request.subject !== undefined && request.subject !== userId) return { refusal: "login_required" };
  if (request.organizationId !== undefined && request.organizationId !== organizationId)
    return { refusal: "access_denied", description: "the user is not in the organization that scope names" };
  const access = await checkAccess(tx, toGate(client.place), { userId, organizationId });
  if (access !== "ok") return { refusal: "access_denied", description: accessRefusals[access] };
  return undefined;
}

function isSubject({ subjects }: LoginData, userId: string): boolean {
  return subjects === undefined || subjects.includes(userId);
}

/** OpenID Connect Core §5.5.1, §5.5.1.1: a login that is not the one that claims require has failed. */
function findUnmet(data: LoginData, { user, methods }: LiveSession): Refused | undefined {
  if (!isSubject(data, user.id)) return { refusal: "login_required" };
  return data.requiresMfa === true && !isMultiFactor(methods)
    ? {
        refusal: "access_denied",
        description: "the user has not logged in with two factors, which claims requires",
      }
    : undefined;
}

/** Makes the authorization of a login. `expirationMs`: until when what it is granted for can be redeemed. */
export function toAuthorization(
  tx: WriteTransaction,
  from: {
    readonly client: OidcClient;
    readonly session: LiveSession;
    readonly nowMs: number;
  } & Pick<Authorization, "scopes" | "resources" | "consent" | "sealedNonce" | "expirationMs"> &
    Partial<Pick<Authorization, "claims">>,
): Authorization {
  const { client, scopes, resources, consent, claims, sealedNonce, nowMs, expirationMs } = from;
  const { session, user, authTimeMs, methods } = from.session;
  return {
    id: tx.nextId<AuthorizationId>(),
    userId: user.id,
    applicationId: client.id,
    organizationId: user.organizationId,
    sessionId: session.id,
    scopes,
    consent,
    claims,
    resources,
    sealedNonce,
    authTimeMs,
    methods,
    lockCount: user.lockCount,
    generation: 0,
    hasRefresh: scopes.includes("offline_access"),
    creationMs: nowMs,
    expirationMs,
    isEnded: false,
  };
}

function toRefused(data: LoginData, how: Refused & { readonly issuer: string }) {
  return { answer: toBrowserAnswer(data, toRefusal(data, how)), events: [] };
}

function toRefusal(
  { state }: LoginData,
  how: Refused & { readonly issuer: string; readonly description?: string | undefined },
): ApplicationAnswer {
  const { refusal, issuer, description = descriptions[refusal] } = how;
  return { error: refusal, error_description: description, state, iss: issuer };
}
