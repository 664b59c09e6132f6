import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { SessionId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { knownBrowserMs } from "../../../identity/logins/known-browsers/known-browser.ts";
import { putKnownBrowser } from "../../../identity/logins/known-browsers/repository.ts";
import { putSessionValue, touchSession } from "../../../identity/logins/sessions/repository.ts";
import {
  addSessionChecks,
  type LiveSession,
  type SessionCheck,
  startSession,
  terminateSession,
  toLogin,
} from "../../../identity/logins/sessions/session.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { Exchange } from "../../../kernel/http/exchanges/exchange.ts";
import { type ComingReply, toComingReply } from "../browser-answer.ts";
import { hashCookie, newCookieValue } from "../cookies/cookies.ts";
import { endedInteractionCookie } from "../cookies/interaction-cookies.ts";
import { readKnownBrowserCookie, toKnownBrowserCookie } from "../cookies/known-browser-cookies.ts";
import { awaitAnswer, endInteraction } from "../interaction.ts";
import { storeInteraction } from "./interaction-store.ts";
import { redirectTo } from "../layout.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";
import type { LoginPorts } from "../ports.ts";
import { newSessionCookie } from "../cookies/session-cookies.ts";

/** A login that is about to end, in a write. */
export interface EndingLogin {
  readonly ports: LoginPorts;
  readonly exchange: Exchange;
  /** What hooks are asked with. */
  readonly hooks: HookSession;
  readonly state: LoginState;
  /** Of the interaction. */
  readonly cookie: Secret;
  /** Whether the interaction has begun with this request: the browser does not have the cookie yet, and nothing is stored. */
  readonly isNew?: boolean;
  /** Runs before a new interaction is stored or refused; undefined: nothing does. */
  readonly unlessFinished?: ((tx: WriteTransaction) => Promise<void>) | undefined;
  /** What the steps of this request have decided. */
  readonly events: readonly NewEvent[];
}

/**
 * Ends a login of which nothing is missing: begins the session, or adds to the one that the user has in this browser, and lets
 * the protocol answer the application. All of it is one write. Where the browser has to come back for the answer, all that is
 * about the application waits until then.
 */
export async function finishLogin(tx: WriteTransaction, login: EndingLogin): Promise<ComingReply> {
  const { ports, exchange, state, cookie, isNew = false } = login;
  const { interaction, issuer } = state;
  const used = interaction.checks.length === 0 ? await keepSession(tx, state) : await renewSession(tx, login);
  const { request } = interaction;
  const { requestId } = exchange;
  const path = findPathOfAnswer(login);
  if (path !== undefined) {
    const waiting = awaitAnswer(interaction, used.session);
    await recordOf(tx, login, [...login.events, ...used.events]);
    await storeInteraction(ports.context, tx, { interaction: waiting, cookie });
    return redirectTo(`${issuer}${path}`, used.cookies);
  }
  const protocol = ports.protocols[request.protocol];
  const { confirmed } = interaction;
  const about = {
    request,
    session: used.session,
    confirmed,
    hadPage: !isNew,
    issuer,
    requestId,
    hooks: login.hooks,
  };
  const ended = await protocol.finish(tx, about);
  await recordOf(tx, login, [...login.events, ...used.events, ...ended.events]);
  if (!isNew)
    await storeInteraction(ports.context, tx, {
      interaction: endInteraction(interaction, "signed-in"),
      cookie,
    });
  const cookies = [endedInteractionCookie(issuer, interaction.id), ...used.cookies];
  return toComingReply(ended.answer, {
    layout: ports.layout,
    exchange,
    uiLocales: request.uiLocales,
    cookies,
  });
}

/** Finds the path at which the browser comes back for the answer, because this request may not have it; undefined: it may. */
export function findPathOfAnswer({
  ports,
  exchange,
  state: { interaction },
}: Pick<EndingLogin, "ports" | "exchange" | "state">): string | undefined {
  const { pathOfAnswer } = ports.protocols[interaction.request.protocol];
  return exchange.verb === "POST" ? pathOfAnswer?.(interaction.id) : undefined;
}

async function recordOf(
  tx: WriteTransaction,
  { ports, exchange, state }: EndingLogin,
  events: readonly NewEvent[],
): Promise<void> {
  const { requestId, remoteAddress } = exchange;
  const editor = requireLoginUser(state).user.id;
  if (events.length > 0) await ports.context.log.append(tx, { editor, remoteAddress, requestId }, events);
}

interface UsedSession {
  readonly session: LiveSession;
  readonly events: readonly NewEvent[];
  readonly cookies: readonly string[];
}

/** The session of the browser suffices: nothing was proved besides. */
async function keepSession(tx: WriteTransaction, state: LoginState): Promise<UsedSession> {
  const { session, nowMs } = state;
  const { policy } = requireLoginUser(state);
  if (session === undefined) throw new Error("the interaction rests on a session that is not there");
  const idleMs = policy.sessionIdleSeconds * 1000;
  await touchSession(tx, { sessionId: session.session.id, nowMs, idleMs });
  return { session, events: [], cookies: [] };
}

/** Something was proved, so the browser gets a new value, and any it had before is invalid. */
async function renewSession(tx: WriteTransaction, login: EndingLogin): Promise<UsedSession> {
  const { ports, exchange, state } = login;
  const { issuer, nowMs } = state;
  const { random } = ports.context;
  const { user, policy } = requireLoginUser(state);
  const begun = await beginOrAdd(tx, login);
  const { session } = begun;
  const value = newSessionCookie(random, { issuer, restMs: session.session.expirationMs - nowMs });
  const idleMs = policy.sessionIdleSeconds * 1000;
  await putSessionValue(tx, { sessionId: session.session.id, hash: value.hash, nowMs, idleMs });
  const known = newCookieValue(random);
  const browser = { hash: hashCookie(known), userId: user.id, expirationMs: nowMs + knownBrowserMs };
  await putKnownBrowser(tx, browser, readKnownBrowserCookie(exchange, issuer));
  return { ...begun, cookies: [value.header, toKnownBrowserCookie(issuer, known)] };
}

/** A browser has one session: the session of another user ends once the new one begins. */
async function beginOrAdd(
  tx: WriteTransaction,
  login: EndingLogin,
): Promise<Pick<UsedSession, "session" | "events">> {
  const { session: before, interaction } = login.state;
  const { user } = requireLoginUser(login.state);
  const { checks } = interaction;
  if (before?.user.id !== user.id) {
    const ended = before === undefined ? [] : [terminateSession(before.session, "replaced")];
    const begun = await beginSession(tx, login);
    return { session: begun.session, events: [...begun.events, ...ended] };
  }
  const all = new Map(before.session.checks.map((check) => [check.method, check]));
  for (const { method, dateMs, issuer } of checks) all.set(method, { method, dateMs, issuer });
  const session = { ...before.session, checks: [...all.values()] };
  return {
    session: { ...before, session, ...toLogin(session.checks) },
    events: addSessionChecks(before.session, checks),
  };
}

async function beginSession(tx: WriteTransaction, { exchange, state }: EndingLogin) {
  const { interaction, nowMs } = state;
  const { user, organization, policy, lockCount } = requireLoginUser(state);
  const id = tx.nextId<SessionId>();
  const expirationMs = nowMs + policy.sessionLifetimeSeconds * 1000;
  const userAgent = exchange.header("user-agent");
  const { remoteAddress } = exchange;
  const events = startSession({
    id,
    userId: user.id,
    organizationId: organization.id,
    applicationId: interaction.request.applicationId,
    checks: interaction.checks,
    userAgent,
    remoteAddress,
    expirationMs,
  });
  const checks: readonly SessionCheck[] = interaction.checks.map((check) => ({
    method: check.method,
    dateMs: check.dateMs,
    issuer: check.issuer,
  }));
  const date = nowMs * 1000;
  const details: Details = { sequence: date, creationDate: date, resourceOwner: organization.id };
  const session: LiveSession = {
    session: {
      id,
      details,
      state: "ACTIVE",
      userId: user.id,
      checks,
      userAgent: userAgent ?? "",
      remoteAddress: remoteAddress ?? "",
      expirationMs,
    },
    user: { id: user.id, organizationId: organization.id, lockCount },
    ...toLogin(checks),
  };
  return { session, events };
}
