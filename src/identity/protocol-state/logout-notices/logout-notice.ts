import { maxClockSkewMs } from "../../../kernel/base/clock.ts";
import type { ApplicationId, OrganizationId, SessionId, UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { SubjectKind } from "../../applications/oidc/oidc-application.ts";
import type { Application } from "../../applications/application.ts";
import type { SigningAlgorithm } from "../../signing-keys/signing-key.ts";

/** The notice that is due to an application: that a session has ended in which its user had logged in to the application. */
export interface LogoutNotice {
  readonly sessionId: SessionId;
  readonly applicationId: ApplicationId;
  /** They may have been removed meanwhile. */
  readonly userId: UserId;
  /** Undefined without one. */
  readonly importedId: string | undefined;
  /** How many tries to tell it have begun. */
  readonly tries: number;
  /** No try begins before; while one is under way, the instant at which its process is believed dead. */
  readonly nextMs: number;
}

/** An application that notices wait for. */
export interface WaitingApplication {
  readonly id: ApplicationId;
  readonly organizationId: OrganizationId;
  /** Empty: it hears nothing any more. */
  readonly uri: string;
}

/** How an application is told. */
export interface BackChannel {
  readonly uri: string;
  readonly algorithm: SigningAlgorithm;
  readonly subject: SubjectKind;
}

/**
 * Why a try has failed: the guarded fetch may not go there, nothing answered, or not with a right status, the process was held up
 * for too long, or it has ended.
 */
export type LogoutFailure = "forbidden" | "unreachable" | "refused" | "held_up" | "process_ended";

/** The longest time of a try from the connection on, whatever the application does. */
export const tryMs = 5000;

/** So much the clock of one process may be ahead of that of another one. */
const clockDifferenceMs = 2 * maxClockSkewMs;

/** From the claim to the connection: the commit, reading the application, the signature. */
const preparationMs = 25_000;

/**
 * So long a try counts as under way: longer than any takes on the clock of any process, so that only tries of dead processes are
 * made again.
 */
export const claimMs = preparationMs + tryMs + clockDifferenceMs;

/** Says whether a try that begins now ends before any other process may take over the claimed notice. */
export function isInTime({ nextMs }: Pick<LogoutNotice, "nextMs">, nowMs: number): boolean {
  return nowMs + tryMs + clockDifferenceMs <= nextMs;
}

/** The pauses after a try that has failed; there is one try more than pauses. */
const pausesMs: readonly number[] = [10_000, 60_000];

/** Says whether a notice is of no use any more: as many tries have begun as there may be. */
export function isSpent({ tries }: Pick<LogoutNotice, "tries">): boolean {
  return tries > pausesMs.length;
}

/** Decides when the next try begins after one that has failed. Undefined: it was the last one. */
export function nextTryMs({ tries }: Pick<LogoutNotice, "tries">, nowMs: number): number | undefined {
  const pauseMs = pausesMs[tries - 1];
  return pauseMs === undefined ? undefined : nowMs + pauseMs;
}

/**
 * Decides what a notice leaves in the log that was given up. Nobody can fill the log with it: there is one notice at most for a
 * session and an application, and the log has the login of that session to that application already.
 */
export function dropNotice(
  application: Application,
  { sessionId }: Pick<LogoutNotice, "sessionId">,
  cause: LogoutFailure,
): NewEvent {
  const { id, details } = application;
  const payload = { session_id: sessionId, cause };
  const type = "application.logout_token.dropped";
  return { type, aggregateId: id, resourceOwner: details.resourceOwner, payload };
}
