import type { Secret } from "../../../kernel/base/secret.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { removeInteraction } from "../../../identity/logins/interactions/repository.ts";
import { findLiveSession } from "../../../identity/logins/sessions/repository.ts";
import { type LiveSession, terminateSession } from "../../../identity/logins/sessions/session.ts";
import type { OwnTokens } from "../../../identity/signing-keys/jwt.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { InteractionId, UserId } from "../../../kernel/base/ids.ts";
import type { BodyReader } from "../../../kernel/http/bodies/body.ts";
import type { BrowserDetour, BrowserLogouts } from "../../login/standalone/browser-logouts.ts";
import {
  hashCookie,
  newCookieValue,
  readCookie,
  toCookieHeader,
  toCookieRemoval,
} from "../../login/cookies/cookies.ts";
import { requireOwnForm } from "../../login/form-token.ts";
import { interactionMs, type LogoutOrigin } from "../../../identity/logins/interactions/interaction.ts";
import { redirectToIssuer } from "../../login/issuer-origin.ts";
import { type Layout, redirectTo } from "../../login/layout.ts";
import { readPageForm } from "../../login/page-form.ts";
import { isPartialPath } from "../../login/standalone/logout-outcome.ts";
import { PageRefusal, requireVisit } from "../../login/page-refusal.ts";
import { endedSessionCookie, readSessionCookie } from "../../login/cookies/session-cookies.ts";
import { findLogoutLocation } from "../logout/location.ts";
import {
  chooseClient,
  decideLogout,
  type LogoutRequest,
  type LogoutTarget,
  toLogoutHint,
} from "../logout/logout-request.ts";
import { renderLoggedOut, renderQuestion } from "../logout/pages.ts";
import { findPendingLogout, type PendingLogout, putPendingLogout } from "../logout/repository.ts";
import { toLocales } from "../login/authorization-request.ts";
import type { Parameters } from "../requests/form.ts";
import { endpointPaths } from "./paths.ts";

/** What logouts work with. */
export interface LogoutPorts {
  readonly context: FeatureContext;
  readonly ownTokens: OwnTokens;
  readonly bodies: BodyReader;
  readonly layout: Layout;
  readonly browserLogouts: BrowserLogouts;
}

/** A request of a browser that logs out. */
interface Visit {
  readonly exchange: Exchange;
  readonly issuer: string;
}

/**
 * Answers the request of an application to log the user out (OpenID Connect RP-Initiated Logout 1.0 §2). A POST comes without the
 * session, because its cookie is SameSite=Lax: it is stored, and checked when the browser comes back. Raises the page of an error
 * for an ID token of another client.
 */
export async function endSession(ports: LogoutPorts, visit: Visit, parameters: Parameters): Promise<Reply> {
  const elsewhere = redirectToIssuer(visit.exchange, visit.issuer);
  if (elsewhere !== undefined) return elsewhere;
  const request = await readLogoutRequest(ports, visit, parameters);
  if (visit.exchange.verb === "POST") return await keep(ports, visit, { request });
  const session = await ports.context.database.read((tx) => findSession(ports, tx, visit));
  if (decideLogout(request, session?.session) === "ask")
    return await keep(ports, visit, { request, userId: session?.user.id });
  return await end(ports, visit, { request, session });
}

/** Shows the page that asks, or does what no page is needed for. Raises the page of an error without the cookie of the request. */
export async function showLogout(ports: LogoutPorts, visit: Visit, id: string): Promise<Reply> {
  const { pending, cookie } = await requirePending(ports, visit, id);
  const session = await ports.context.database.read((tx) => findSession(ports, tx, visit));
  const { request } = pending;
  switch (decideLogout(request, session?.session)) {
    case "ask":
      return renderQuestion(ports.layout, visit.exchange, { ...request, path: pathOf(id), cookie });
    case "end":
      return await end(ports, visit, { request, session, pending });
    case "go-on": // what began since is another session
      return await end(ports, visit, { request, session: undefined, pending });
  }
}

/** Takes the answer of the user: yes. Raises the page of an error for a form that is not our own in this browser. */
export async function confirmLogout(ports: LogoutPorts, visit: Visit, id: string): Promise<Reply> {
  const form = await readPageForm(visit.exchange, ports.bodies);
  const { pending, cookie } = await requirePending(ports, visit, id);
  requireOwnForm(visit.exchange, form, cookie);
  const session = await ports.context.database.read((tx) => findSession(ports, tx, visit));
  const { request } = pending;
  const isOver = decideLogout(request, session?.session) === "go-on";
  return await end(ports, visit, { request, session: isOver ? undefined : session, pending });
}

async function readLogoutRequest(
  { context, ownTokens }: LogoutPorts,
  { issuer }: Visit,
  { values, repeated }: Parameters,
): Promise<LogoutRequest> {
  if (repeated.size > 0) throw new PageRefusal("bad-application-request");
  const token = values.get("id_token_hint");
  if (token !== undefined) await context.database.refresh(); // another process may have rotated its keys
  const claims = token && (await ownTokens.verify(token, { typ: "JWT", issuer, mayBeOfFormerKey: true }));
  const hint = claims ? toLogoutHint(claims) : undefined;
  const chosen = chooseClient(hint, values.get("client_id"));
  if (chosen === "conflict") throw new PageRefusal("bad-application-request");
  const uri = values.get("post_logout_redirect_uri");
  const target =
    chosen.id === undefined || uri === undefined
      ? undefined
      : { clientId: chosen.id, uri, state: values.get("state") };
  return {
    sessionId: hint?.sessionId,
    // What leads nowhere is not stored either.
    target: (await findLocation(context, target, issuer)) === undefined ? undefined : target,
    uiLocales: toLocales(values.get("ui_locales")),
  };
}

async function findLocation(
  { database, clock }: FeatureContext,
  target: LogoutTarget | undefined,
  issuer: string,
): Promise<string | undefined> {
  const lookup = { nowMs: clock.nowMs(), issuer };
  return target && (await database.read((tx) => findLogoutLocation(tx, target, lookup)));
}

/** Stores the request under a cookie of its own, and lets the browser come back with those that it has. */
async function keep(
  { context }: LogoutPorts,
  { exchange, issuer }: Visit,
  { request, userId }: Pick<LogoutRequestToKeep, "request"> & { readonly userId?: UserId | undefined },
): Promise<Reply> {
  requireVisit(exchange);
  const origin = { userId, remoteAddress: exchange.remoteAddress };
  const kept = await context.database.write((tx) => putRequest(context, tx, { request, origin }));
  return redirectTo(`${issuer}${pathOf(kept.id)}`, [toCookieOf(issuer, kept.cookie)]);
}

interface LogoutRequestToKeep {
  readonly request: LogoutRequest;
  /** Undefined for users who come back after the end of a session: each had one. */
  readonly origin: LogoutOrigin | undefined;
}

async function putRequest(
  { clock, keyring, random }: FeatureContext,
  tx: WriteTransaction,
  { request, origin }: LogoutRequestToKeep,
): Promise<{ readonly id: InteractionId; readonly cookie: Secret }> {
  const cookie = newCookieValue(random);
  const id = tx.nextId<InteractionId>();
  await putPendingLogout(tx, keyring, {
    id,
    cookieHash: hashCookie(cookie),
    request,
    expirationMs: clock.nowMs() + interactionMs,
    origin,
  });
  return { id, cookie };
}

function toCookieOf(issuer: string, cookie: Secret): string {
  return toCookieHeader({ name: cookieName, issuer }, cookie, undefined);
}

async function requirePending(
  { context }: LogoutPorts,
  { exchange, issuer }: Visit,
  id: string,
): Promise<{ readonly pending: PendingLogout; readonly cookie: Secret }> {
  const cookie = readCookie(exchange, { name: cookieName, issuer });
  if (cookie === undefined) throw new PageRefusal("logout-over");
  const asked = { id, cookieHash: hashCookie(cookie), nowMs: context.clock.nowMs() };
  const pending = await context.database.read((tx) => findPendingLogout(tx, context.keyring, asked));
  if (pending === undefined) throw new PageRefusal("logout-over");
  return { pending, cookie };
}

async function findSession(
  { context }: LogoutPorts,
  tx: ReadTransaction,
  { exchange, issuer }: Visit,
): Promise<LiveSession | undefined> {
  const hash = readSessionCookie(exchange, issuer);
  return hash === undefined ? undefined : await findLiveSession(tx, hash, context.clock.nowMs());
}

/**
 * Ends the session, if there is one, and forgets the request; then the browser goes where the application wants it. Where it has to
 * visit other applications first, the request stays, and is what it comes back to.
 */
async function end(
  ports: LogoutPorts,
  visit: Visit,
  ending: {
    readonly request: LogoutRequest;
    readonly session: LiveSession | undefined;
    readonly pending?: PendingLogout;
  },
): Promise<Reply> {
  const { context, layout } = ports;
  const { exchange, issuer } = visit;
  const { request, session, pending } = ending;
  const hasCookie = request.isEnded !== true && readSessionCookie(exchange, issuer) !== undefined;
  const sessionCookies = hasCookie ? [endedSessionCookie(issuer)] : [];
  if (session !== undefined || pending !== undefined) {
    const detour = await context.database.write(async (tx) => {
      if (pending !== undefined) await removeInteraction(tx, pending.id);
      return session === undefined ? undefined : await endIn(tx, ports, visit, request);
    });
    if (detour !== undefined) return redirectTo(detour.location, [...sessionCookies, ...detour.cookies]);
  }
  const cookies = [
    ...sessionCookies,
    ...(pending === undefined ? [] : [toCookieRemoval({ name: cookieName, issuer })]),
  ];
  const location = await findLocation(context, request.target, issuer);
  if (location !== undefined) return redirectTo(location, cookies);
  return renderLoggedOut(layout, exchange, { ...request, isPartial: isPartialPath(exchange), cookies });
}

/** Where the browser goes before it comes back to the request. */
type Detour = Pick<BrowserDetour, "location"> & { readonly cookies: readonly string[] };

async function endIn(
  tx: WriteTransaction,
  ports: LogoutPorts,
  visit: Visit,
  request: LogoutRequest,
): Promise<Detour | undefined> {
  const { context, browserLogouts } = ports;
  const { exchange, issuer } = visit;
  const live = await findSession(ports, tx, visit); // it may have ended meanwhile
  if (live === undefined) return undefined;
  const { remoteAddress, requestId } = exchange;
  const origin = { editor: live.user.id, remoteAddress, requestId };
  await context.log.append(tx, origin, [terminateSession(live.session, "logout")]);
  const cookies: string[] = [];
  const detour = await browserLogouts.begin(tx, {
    session: live.session,
    issuer,
    async makePath() {
      const ended = { ...request, isEnded: true };
      const kept = await putRequest(context, tx, { request: ended, origin: undefined });
      cookies.push(toCookieOf(issuer, kept.cookie));
      return pathOf(kept.id);
    },
  });
  return detour && { location: detour.location, cookies: [...cookies, detour.cookie] };
}

const cookieName = "gh_logout";

function pathOf(id: string): string {
  return `${endpointPaths.endSession}/${id}`;
}
