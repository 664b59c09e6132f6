import type { InteractionId, SessionId, UserId } from "../../kernel/base/ids.ts";
import type { Gift } from "../../identity/logins/authorizations/gift.ts";
import { interactionMs } from "../../identity/logins/interactions/interaction.ts";
import type { LiveSession, NewCheck, SessionMethod } from "../../identity/logins/sessions/session.ts";
import type { LoginRefusal } from "./login-protocol.ts";
import type { LoginRequest } from "./login-request.ts";

/** Something that a user has proved in an interaction. */
export interface LoginCheck extends NewCheck {
  readonly dateMs: number;
}

/** A login that has begun in a browser: what an application asked for, and what was proved so far. */
export interface Interaction {
  readonly id: InteractionId;
  readonly request: LoginRequest;
  /** The user whose first factor was proved; undefined: nobody's was. */
  readonly user: InteractionUser | undefined;
  /** What was proved in the interaction itself, in this order. */
  readonly checks: readonly LoginCheck[];
  /** The session of the browser whose checks count too; undefined: none counts. */
  readonly sessionId: SessionId | undefined;
  /** Whether the user has chosen an account, where the application asked for that. */
  readonly isAccountChosen: boolean;
  /** What the user has agreed to give the application, on a page of this interaction; undefined: there was none. */
  readonly confirmed?: Gift | undefined;
  /**
   * How the login has ended; undefined: it goes on. An ended interaction stays until its expiration, so that a form that was sent
   * twice finds it.
   */
  readonly ended: LoginEnd | undefined;
  /**
   * Why there is no login, which the application learns once the browser comes back for its answer; undefined: nothing is decided.
   */
  readonly refusal?: LoginRefusal | undefined;
  /** What steps remember from one request to the next, by their names. It can be written as JSON. */
  readonly notes: Readonly<Record<string, unknown>>;
  readonly expirationMs: number;
}

/** How a login ends: the user is logged in, or the application got the error. */
export type LoginEnd = "signed-in" | "refused";

/** The user of an interaction. */
export interface InteractionUser {
  readonly id: UserId;
  /** How often the user had been locked: the interaction is invalid after one more. */
  readonly lockCount: number;
}

/** Begins an interaction. */
export function beginInteraction(id: InteractionId, request: LoginRequest, nowMs: number): Interaction {
  return {
    id,
    request,
    user: undefined,
    checks: [],
    sessionId: undefined,
    isAccountChosen: false,
    confirmed: undefined,
    ended: undefined,
    notes: {},
    expirationMs: nowMs + interactionMs,
  };
}

/** Records what a user has proved. The first one decides whose interaction it is. */
export function addCheck(interaction: Interaction, user: InteractionUser, check: LoginCheck): Interaction {
  return { ...interaction, user: interaction.user ?? user, checks: [...interaction.checks, check] };
}

/** Lets what was proved in a session count for an interaction. */
export function restOn(
  interaction: Interaction,
  { session, user }: Pick<LiveSession, "session" | "user">,
): Interaction {
  return { ...interaction, sessionId: session.id, user: { id: user.id, lockCount: user.lockCount } };
}

/**
 * Lets an interaction of which nothing is missing wait for the browser, which comes back for the answer. What was proved in it is
 * recorded in the session by then.
 */
export function awaitAnswer(
  interaction: Interaction,
  live: Pick<LiveSession, "session" | "user">,
): Interaction {
  return { ...restOn(interaction, live), checks: [] };
}

/** Notes that the browser was sent to the identity provider that the application has named. */
export const straightNote = "straight";

/**
 * Forgets the user and what was proved, so that the login starts over. It is not forgotten where the browser was sent at once:
 * it would be sent there again and again, and a provider that asks nothing sends it back each time.
 */
export function startOver(interaction: Interaction): Interaction {
  const { [straightNote]: straight } = interaction.notes;
  return {
    ...interaction,
    user: undefined,
    checks: [],
    sessionId: undefined,
    confirmed: undefined,
    notes: straight === undefined ? {} : { [straightNote]: straight },
  };
}

/**
 * Ends an interaction whose login has come to its end: it gives nothing any more. It keeps its user, and is removed with the user.
 */
export function endInteraction(interaction: Interaction, ended: LoginEnd): Interaction {
  return { ...interaction, checks: [], notes: {}, ended };
}

/** Lists the methods that were proved in the interaction and in the session that it rests on, each once. */
export function listMethods(
  interaction: Interaction,
  ofSession: readonly SessionMethod[],
): readonly SessionMethod[] {
  const own = interaction.checks.map(({ method }) => method);
  return [...new Set(interaction.sessionId === undefined ? own : [...ofSession, ...own])];
}
