import type { Leadership } from "../../../base/leadership.ts";
import { DatabaseBusyError } from "../../database-unusable.ts";
import { advisoryLocks } from "../connect/advisory-locks.ts";
import type { Connector, Session } from "../connect/connector.ts";
import { destroySession } from "../connect/open-session.ts";
import { ServerUnfitError } from "../connect/errors.ts";
import { pauseFor } from "../connect/pause.ts";

/** The advisory locks of a process. The server releases them when it loses the connection that took them. */
export interface SessionLocks {
  readonly leadership: Leadership;
  /** Gives the locks back. */
  close(): Promise<void>;
}

/** How a process shows that it is there. */
export interface SessionLocksOptions {
  readonly connector: Connector;
  /** Demands that no other process uses the database, and keeps others from starting. Such a process never leads. */
  readonly isAlone: boolean;
  readonly giveUpAfterMs: number;
  /** How often the connection is tried. Absent: every 5 s. Every third time a process that does not lead tries to. */
  readonly heartbeatMs?: number;
}

const defaultHeartbeatMs = 5000;
const answerLimitMs = 5000;
const beatsPerCandidacy = 3;

const { presence, leader } = advisoryLocks;

/**
 * Takes the lock of presence on a connection of its own, shared or alone, and then seeks to lead. When the connection is lost, the
 * lead is lost at once, and both are sought again until `close`. So it is when the process has seen a later primary than the one
 * that gave the locks: an old primary gives them only to processes that are still connected to it. Throws DatabaseBusyError when
 * another process is there that must not be, and what `connect` throws.
 */
export async function openSessionLocks(options: SessionLocksOptions): Promise<SessionLocks> {
  const closing = new AbortController();
  const lead = createLead(options.connector.fence.timeline);
  const held = holdUntilClosed(await takePresence(options, closing.signal), {
    ...options,
    heartbeatMs: options.heartbeatMs ?? defaultHeartbeatMs,
    closing: closing.signal,
    lead,
  });
  return {
    leadership: { term: lead.term },
    async close() {
      lead.end();
      closing.abort();
      await held;
    },
  };
}

interface Holding extends SessionLocksOptions {
  readonly heartbeatMs: number;
  readonly closing: AbortSignal;
  readonly lead: Lead;
}

/** Whether this process leads at the moment. */
interface Lead extends Leadership {
  /** Begins a term by the lock of a primary with this timeline. */
  begin(timeline: number): void;
  end(): void;
}

function createLead(newestTimeline: () => number): Lead {
  let current: { readonly term: AbortController; readonly timeline: number } | undefined;
  const end = () => {
    current?.term.abort();
    current = undefined;
  };
  return {
    term() {
      if (current !== undefined && current.timeline < newestTimeline()) end();
      return current?.term.signal;
    },
    begin(timeline) {
      current = { term: new AbortController(), timeline };
    },
    end,
  };
}

async function holdUntilClosed(first: Session, holding: Holding): Promise<void> {
  let session: Session | undefined = first;
  for (; session !== undefined; session = await retakePresence(holding)) {
    try {
      await holdUntilLost(session, holding);
    } catch {
      // The connection is lost, did not answer in time, or is one to an old primary.
    } finally {
      holding.lead.end();
      destroySession(session.client);
    }
  }
}

/** Returns when the connection is lost or the process closes; throws when it does not answer or leads to an old primary. */
async function holdUntilLost({ client, timeline }: Session, holding: Holding): Promise<void> {
  const { lead, isAlone, closing, connector } = holding;
  const lost = new AbortController();
  client.once("end", () => {
    lead.end();
    lost.abort();
  });
  const end = AbortSignal.any([lost.signal, closing]);
  for (let beat = 0; !end.aborted; beat++) {
    if (timeline < connector.fence.timeline()) throw new ServerUnfitError("it is an old primary");
    const isCandidate = !isAlone && lead.term() === undefined && beat % beatsPerCandidacy === 0;
    const isTaken = await ask(client, isCandidate ? `pg_try_advisory_lock(${leader})` : "true");
    if (isCandidate && isTaken && !end.aborted) lead.begin(timeline);
    await pauseFor(holding.heartbeatMs, end);
  }
  if (!lost.signal.aborted) await ask(client, "pg_advisory_unlock_all() IS NOT NULL");
}

async function takePresence(options: SessionLocksOptions, closing: AbortSignal): Promise<Session> {
  const { connector, giveUpAfterMs, isAlone } = options;
  const session = await connector.connect("locks", { giveUpAfterMs, signal: closing });
  try {
    await requirePresence(session, isAlone);
    return session;
  } catch (error) {
    destroySession(session.client);
    throw error;
  }
}

/** Tries until the servers are back and nobody has them alone; returns undefined when the process closes. */
async function retakePresence(holding: Holding): Promise<Session | undefined> {
  while (!holding.closing.aborted) {
    try {
      return await takePresence(holding, holding.closing);
    } catch {
      await pauseFor(holding.heartbeatMs, holding.closing); // there is nothing else to do than to try again
    }
  }
  return undefined;
}

async function requirePresence({ client }: Session, isAlone: boolean): Promise<void> {
  if (await ask(client, `pg_try_advisory_lock${isAlone ? "" : "_shared"}(${presence})`)) return;
  throw new DatabaseBusyError(
    isAlone
      ? "other processes of gatehouse are using the database; stop them first"
      : "a command that needs the database for itself is under way; wait until it is done",
  );
}

/** Asks for one truth value. Destroys a connection that does not answer in time, which fails the question. */
async function ask(client: Session["client"], expression: string): Promise<boolean> {
  const limit = setTimeout(() => destroySession(client), answerLimitMs);
  try {
    const found = await client.query<{ answer: string }>(`SELECT (${expression})::text AS answer`);
    return found.rows[0]?.answer === "true";
  } finally {
    clearTimeout(limit);
  }
}
