import type pg from "pg";
import type { Clock } from "../../../base/clock.ts";
import type { Random } from "../../../base/random.ts";
import type { PostgresAddress } from "./address.ts";
import { DatabaseAddressError } from "../../database-unusable.ts";
import { NoPrimaryError, ServerRefusedError, ServerUnfitError } from "./errors.ts";
import { createFence, type Fence } from "./fence.ts";
import { type PostgresHost, toHostText } from "./hosts.ts";
import { destroySession, openSession, type SessionOptions } from "./open-session.ts";
import { pauseFor } from "./pause.ts";
import { createPoolerCheck } from "./pooler-check.ts";
import { type ClockSkew, requireFitServer, type ServerDemands } from "./server-checks.ts";
import type { Purpose } from "./session-settings.ts";

/** A connection to the primary, with the settings of a session. Statements may be sent before others are answered. */
export interface Session {
  readonly client: pg.Client;
  /** The server, for logs. */
  readonly host: PostgresHost;
  readonly timeline: number;
}

/** How long to look for the primary. */
export interface ConnectOptions {
  readonly giveUpAfterMs: number;
  /** Ends the search early. */
  readonly signal?: AbortSignal | undefined;
}

/** Makes connections to the primary. */
export interface Connector {
  /**
   * Tries the servers in turn, beginning with the last one that was the primary, or behind the last one that was not, until
   * one is. Throws
   * NoPrimaryError when the time is over or the signal aborts, and after one round when every server refuses this process
   * for good: ServerRefusedError. Throws DatabaseAddressError for a file that cannot be used.
   */
  connect(purpose: Purpose, options: ConnectOptions): Promise<Session>;
  readonly fence: Fence;
}

/** What a connector is made of. */
export interface ConnectorOptions extends ServerDemands {
  readonly address: PostgresAddress;
  /** The clock of the machine, which is compared with that of the server. */
  readonly clock: Clock;
  readonly random: Random;
  /** How values are read, for all connections. */
  readonly types?: pg.CustomTypesConfig | undefined;
  /** Called when the clock of a server begins to differ by more than a second; positive when it is ahead. */
  readonly onClockSkew: (skewMs: number) => void;
}

const shortestPauseMs = 100;
const longestPauseMs = 2000;

/** Creates a connector; nothing is connected yet. */
export function createConnector(options: ConnectorOptions): Connector {
  const fence = createFence(options);
  const tryAll = createRounds(options, fence);
  return {
    fence,
    async connect(purpose, { giveUpAfterMs, signal }) {
      const limit = AbortSignal.timeout(giveUpAfterMs);
      const end = signal === undefined ? limit : AbortSignal.any([limit, signal]);
      let reasons: readonly Reason[] = [];
      for (let round = 0; !end.aborted; round++) {
        const attempt = await tryAll(purpose, end);
        if ("session" in attempt) {
          if (signal?.aborted !== true) return attempt.session;
          destroySession(attempt.session.client);
          break;
        }
        // A round that was cut short knows less than the one before.
        if (reasons.length === 0 || !end.aborted) reasons = attempt.reasons;
        if (attempt.isHopeless) throw new ServerRefusedError(textOf(reasons), { cause: reasons[0]?.error });
        await pauseFor(pauseAfter(round, options.random), end);
      }
      throw new NoPrimaryError(`no primary could be reached: ${textOf(reasons)}`, {
        cause: reasons[0]?.error,
      });
    },
  };
}

/**
 * Returns a function that tries every server once, beginning with the last one that was the primary. When one that does not
 * answer takes up all the time, the next search goes on behind it.
 */
function createRounds(
  options: ConnectorOptions,
  fence: Fence,
): (purpose: Purpose, end: AbortSignal) => Promise<Attempt> {
  const { hosts } = options.address;
  const tryHost = createHostTrial(options, fence);
  let first = 0;
  return async (purpose, end) => {
    const reasons: Reason[] = [];
    for (const server of [...hosts.slice(first), ...hosts.slice(0, first)]) {
      if (end.aborted) break;
      try {
        const session = await tryHost(server, { purpose, end });
        first = hosts.indexOf(server);
        return { session };
      } catch (error) {
        if (error instanceof DatabaseAddressError) throw error;
        first = (hosts.indexOf(server) + 1) % hosts.length;
        reasons.push({ server, error });
      }
    }
    const isHopeless = reasons.length === hosts.length && reasons.every(({ error }) => isRefusal(error));
    return { reasons, isHopeless };
  };
}

/** Returns a function that connects to one server and leaves it unless it is fit to be used. */
function createHostTrial(
  options: ConnectorOptions,
  fence: Fence,
): (server: PostgresHost, how: Pick<SessionOptions, "purpose" | "end">) => Promise<Session> {
  const requireClock = createClockCheck(options.onClockSkew);
  const requireOwnBackend = createPoolerCheck();
  return async (server, how) => {
    const { client, facts, skew } = await openSession({ ...options, ...how, types: options.types, server });
    try {
      requireFitServer(facts, options);
      requireClock(skew);
      fence.admit(facts.cluster);
      requireOwnBackend(client, server, facts.backendPid);
    } catch (error) {
      destroySession(client);
      throw error;
    }
    return { client, host: server, timeline: facts.cluster.timeline };
  };
}

/** Why a server could not be used. */
interface Reason {
  readonly server: PostgresHost;
  readonly error: unknown;
}

/** `isHopeless` when every server refuses this process for good. */
type Attempt =
  | { readonly session: Session }
  | { readonly reasons: readonly Reason[]; readonly isHopeless: boolean };

/** Notes a clock that differs once, and refuses one that differs much until the first connection is made. */
function createClockCheck(onClockSkew: (skewMs: number) => void): (skew: ClockSkew) => void {
  let isStarted = false;
  let wasNoted = false;
  return (skew) => {
    if (skew.isExcessive && !isStarted) {
      const seconds = Math.round(skew.skewMs / 1000);
      throw new ServerRefusedError(
        `its clock differs by ${seconds} s from that of this machine; set both clocks by NTP`,
      );
    }
    if (skew.isNoteworthy && !wasNoted) onClockSkew(skew.skewMs);
    wasNoted = skew.isNoteworthy;
    isStarted = true;
  };
}

/** Says whether only a person can change what the server answered. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ServerRefusedError) return true;
  if (error instanceof ServerUnfitError) return false;
  // Authentication, no such database, no permission to connect; certificates, as Node and OpenSSL name their errors.
  return /^(?:28...|3D000|42501|.*CERT.*|UNABLE_TO_VERIFY_LEAF_SIGNATURE|HOSTNAME_MISMATCH)$/.test(
    codeOf(error),
  );
}

function textOf(reasons: readonly Reason[]): string {
  if (reasons.length === 0) return "the time was over before the servers answered";
  return reasons.map(({ server, error }) => `${toHostText(server)}: ${messageOf(error)}`).join("; ");
}

function messageOf(error: unknown): string {
  // A name with several addresses fails with all their errors, and has no message of its own.
  return textAt(error, "message") || codeOf(error) || "unknown error";
}

function codeOf(error: unknown): string {
  return textAt(error, "code");
}

function textAt(error: unknown, name: "code" | "message"): string {
  const value = typeof error === "object" && error !== null ? (error as Record<string, unknown>)[name] : "";
  return typeof value === "string" ? value : "";
}

/** Doubles from round to round; drawn, so that processes that lost their connections together do not come back together. */
function pauseAfter(round: number, random: Random): number {
  const longest = Math.min(shortestPauseMs * 2 ** Math.min(round, 10), longestPauseMs);
  return shortestPauseMs / 2 + random.below(longest);
}
