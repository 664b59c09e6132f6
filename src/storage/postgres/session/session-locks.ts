import type { Client } from "pg";
import type { Leadership } from "../../../base/leadership.ts";
import { DatabaseBusyError } from "../../database-unusable.ts";
import { advisoryLocks } from "../connect/advisory-locks.ts";
import type { Connector } from "../connect/connector.ts";
import { destroySession } from "../connect/open-session.ts";
import { pauseFor } from "../connect/pause.ts";

/** The advisory locks of a process. The server releases them when it loses the connection that took them. */
export interface SessionLocks {
  readonly leadership: Leadership;
  /** Gives the locks back. */
  close(): Promise<void>;
}

/** How a process shows that it is there. */
export interface SessionLocksOptions {
  readonly connector: Pick<Connector, "connect">;
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
 * Takes the lock of presence on a connection of its own, shared or alone, and then seeks to lead. When the connection is
 * lost, the lead is lost at once, and both are sought again until `close`. Throws DatabaseBusyError when another process
 * is there that must not be, and what `connect` throws.
 */
export async function openSessionLocks(options: SessionLocksOptions): Promise<SessionLocks> {
  const closing = new AbortController();
  const lead = createLead();
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
  begin(): void;
  end(): void;
}

function createLead(): Lead {
  let current: AbortController | undefined;
  return {
    term: () => current?.signal,
    begin() {
      current = new AbortController();
    },
    end() {
      current?.abort();
      current = undefined;
    },
  };
}

async function holdUntilClosed(first: Client, holding: Holding): Promise<void> {
  for (let client: Client | undefined = first; client !== undefined; client = await retakePresence(holding)) {
    try {
      await holdUntilLost(client, holding);
    } catch {
      // The connection is lost, or did not answer in time.
    } finally {
      holding.lead.end();
      destroySession(client);
    }
  }
}

/** Returns when the connection is lost or the process closes; throws when the connection does not answer. */
async function holdUntilLost(client: Client, holding: Holding): Promise<void> {
  const { lead, isAlone, closing } = holding;
  const lost = new AbortController();
  client.once("end", () => {
    lead.end();
    lost.abort();
  });
  const end = AbortSignal.any([lost.signal, closing]);
  for (let beat = 0; !end.aborted; beat++) {
    const isCandidate = !isAlone && lead.term() === undefined && beat % beatsPerCandidacy === 0;
    const isTaken = await ask(client, isCandidate ? `pg_try_advisory_lock(${leader})` : "true");
    if (isCandidate && isTaken && !end.aborted) lead.begin();
    await pauseFor(holding.heartbeatMs, end);
  }
  if (!lost.signal.aborted) await ask(client, "pg_advisory_unlock_all() IS NOT NULL");
}

async function takePresence(options: SessionLocksOptions, closing: AbortSignal): Promise<Client> {
  const { connector, giveUpAfterMs, isAlone } = options;
  const { client } = await connector.connect("locks", { giveUpAfterMs, signal: closing });
  try {
    await requirePresence(client, isAlone);
    return client;
  } catch (error) {
    destroySession(client);
    throw error;
  }
}

/** Tries until the servers are back and nobody has them alone; returns undefined when the process closes. */
async function retakePresence(holding: Holding): Promise<Client | undefined> {
  while (!holding.closing.aborted) {
    try {
      return await takePresence(holding, holding.closing);
    } catch {
      await pauseFor(holding.heartbeatMs, holding.closing); // there is nothing else to do than to try again
    }
  }
  return undefined;
}

async function requirePresence(client: Client, isAlone: boolean): Promise<void> {
  if (await ask(client, `pg_try_advisory_lock${isAlone ? "" : "_shared"}(${presence})`)) return;
  throw new DatabaseBusyError(
    isAlone
      ? "other processes of gatehouse are using the database; stop them first"
      : "a command that needs the database for itself is under way; wait until it is done",
  );
}

/** Asks for one truth value. Destroys a connection that does not answer in time, which fails the question. */
async function ask(client: Client, expression: string): Promise<boolean> {
  const limit = setTimeout(() => destroySession(client), answerLimitMs);
  try {
    const found = await client.query<{ answer: string }>(`SELECT (${expression})::text AS answer`);
    return found.rows[0]?.answer === "true";
  } finally {
    clearTimeout(limit);
  }
}
