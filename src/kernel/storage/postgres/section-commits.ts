import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { requireInTime } from "../engine/deadlines.ts";
import { createSequences } from "../engine/sequences.ts";
import type { TableWatches } from "../engine/table-watches.ts";
import { unwatchedTables } from "../engine/unwatched-tables.ts";
import {
  type BatchEngine,
  type CommandOutcome,
  toOutcome,
  type Upcoming,
  type WaitingWrite,
} from "../engine/write-queue.ts";
import { PostgresCommand, type SectionSetup } from "./command.ts";
import { EarlyStarts } from "./early-starts.ts";
import { UndoScope } from "./undo-scope.ts";
import { createIdCounter, type IdCounter } from "./id-counter.ts";
import { IdleTransactionError, watchIdle } from "./idle-guard.ts";
import type { Position, PositionRow } from "./position.ts";
import type { PostgresConnection, Sendable } from "./postgres-connection.ts";
import {
  ConnectionLostError,
  isTimeOut,
  outcomeUnknown,
  PostgresError,
  toPostgresWriteProblem,
} from "./postgres-error.ts";
import { Section } from "./section.ts";
import type { SectionConnection, SectionRow } from "./section-connection.ts";
import type { Statements } from "./statements.ts";
import type { WriterRow } from "./writer-row.ts";

/** What sections are made of. */
export interface SectionCommitsSetup {
  readonly sections: SectionConnection;
  readonly writer: WriterRow;
  readonly statements: Statements;
  readonly watches: TableWatches;
  readonly position: Position;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a batch of this process is durable, before its commands are answered. */
  readonly onDurable: () => void;
  /** Whether the database is being closed: then nothing waits for a primary any more. */
  readonly isClosing: () => boolean;
}

/** The section under way. */
interface Current {
  readonly batch: number;
  readonly connection: PostgresConnection;
  readonly row: SectionRow;
  readonly section: Section;
  readonly commands: SectionSetup;
  readonly ids: IdCounter;
  readonly early: EarlyStarts;
  /** The position that is committed with the section; absent until it is sent. */
  stored: PositionRow | undefined;
  /** Whether a table was written that may be watched. */
  hasTouchedAccess: boolean;
  readonly stopWatching: () => void;
  /** Fails the command under way. */
  fail: (error: Error) => void;
}

/** How long one search for the primary may take; while commands wait, it is repeated. */
const connectTimeoutMs = 5000;
const retryPauseMs = 100;
/** Beyond this many unanswered statements COMMIT waits for their answers first: its time limit is not theirs. */
const maxUnanswered = 100;

const storePosition: Sendable = {
  name: "store_position",
  text: `UPDATE log_position SET last_sequence = $1, last_id = $2, access_version = $3, writer_epoch = $4
    WHERE is_only = 1`,
};

/**
 * After a section was lost by a statement, so many commands begin with a savepoint, and wait for the answers to their
 * statements before the next one begins: if the same command comes again, it fails alone.
 */
const carefulCommands = 1000;

/** Makes the transactions of the queue of writes. */
export class SectionCommits implements BatchEngine {
  readonly #setup: SectionCommitsSetup;
  #current: Current | undefined;
  #batches = 0;
  #careful = 0;
  #earlyTries = 16;

  constructor(setup: SectionCommitsSetup) {
    this.#setup = setup;
  }

  async begin(isWanted: () => boolean, upcoming: Upcoming): Promise<void> {
    const { sections, position, isClosing } = this.#setup;
    for (;;) {
      try {
        const begun = await sections.begin(connectTimeoutMs);
        position.learn(begun.row, begun.connection.timeline);
        const how = { batch: ++this.#batches, upcoming, earlyTries: this.#earlyTries };
        this.#current = openSection(this.#setup, how, begun);
        return;
      } catch (error) {
        // Nothing has happened, so it can be tried as long as anybody waits.
        if (!isWanted() || isClosing()) throw error;
        await pause(retryPauseMs);
      }
    }
  }

  async run(waiting: WaitingWrite, index: number): Promise<CommandOutcome> {
    const isCareful = this.#careful > 0;
    if (isCareful) this.#careful -= 1;
    return await runCommand(this.#setup, required(this.#current), { waiting, index, isCareful });
  }

  async commit(): Promise<void> {
    const { sections, writer } = this.#setup;
    const { connection, section, batch } = required(this.#current);
    section.requireSound(section.root);
    if (!section.hasWritten && section.root.rows.count === 0) {
      connection.tell("ROLLBACK"); // nothing to keep
      return;
    }
    section.flushAll();
    storeFacts(required(this.#current), writer);
    if (connection.inFlight > maxUnanswered) await connection.settled();
    const end = await sections.commit(connection);
    if (end.kind === "committed") return;
    const error = section.failure() ?? end.error;
    // What the server refused before it came to COMMIT has not happened.
    if (end.kind === "rolled back" || section.failure() instanceof PostgresError)
      throw error ?? notCommitted();
    const happened = await writer.wasCommitted(batch);
    if (happened === undefined) throw outcomeUnknown(error);
    if (!happened) throw notCommitted();
  }

  undo(error: unknown): (index: number) => unknown {
    const { section, connection } = this.#current ?? {};
    if (connection?.lost === undefined) connection?.tell("ROLLBACK");
    this.#end();
    const problem = toPostgresWriteProblem(error);
    const lost = section?.lost;
    const isOfStatement = problem === error || isTimeOut(error);
    if (lost === undefined || lost.error !== error || !isOfStatement) return () => problem;
    this.#careful = carefulCommands;
    const ofOthers = toPostgresWriteProblem(notCommitted(lost.error));
    const culprit = lost.owners.size === 1 ? [...lost.owners][0] : undefined;
    return (index) => (index === culprit ? problem : ofOthers);
  }

  onDurable(): void {
    const stored = this.#current?.stored;
    if (stored !== undefined) this.#setup.position.onOwnCommit(stored);
    this.#end();
    this.#setup.onDurable();
  }

  afterBatch(): void {
    // Nothing is left to do.
  }

  #end(): void {
    this.#current?.stopWatching();
    // One at least, so that it is found out when it becomes of use.
    if (this.#current !== undefined) this.#earlyTries = Math.max(1, this.#current.early.tries);
    this.#current = undefined;
    this.#setup.watches.onTransactionEnd();
  }
}

function openSection(
  setup: SectionCommitsSetup,
  how: { readonly batch: number; readonly upcoming: Upcoming; readonly earlyTries: number },
  { connection, row }: { readonly connection: PostgresConnection; readonly row: SectionRow },
): Current {
  const ids = createIdCounter(BigInt(row.last_id), setup);
  const section = new Section(connection);
  const { watches } = setup;
  const current: Current = {
    batch: how.batch,
    connection,
    row,
    section,
    ids,
    early: new EarlyStarts({
      section,
      connection,
      upcoming: how.upcoming,
      tries: how.earlyTries,
      revision: () => watches.revision(),
      createCommand: (options, scope, early) =>
        new PostgresCommand(current.commands, options, scope, { early }),
    }),
    stored: undefined,
    hasTouchedAccess: false,
    stopWatching: watchIdle(connection, () => current.fail(new IdleTransactionError())),
    fail: () => {},
    commands: {
      commit: {},
      section,
      clock: setup.clock,
      statements: setup.statements,
      sequences: createSequences(row.last_sequence, setup.clock),
      ids,
      onWrite(statement, sql, values) {
        watches.onStatement(sql);
        current.early.onWrite(statement, values);
        const { target } = statement;
        if (!statement.isTold) return;
        if (target === undefined || !unwatchedTables.has(target)) current.hasTouchedAccess = true;
      },
    },
  };
  return current;
}

/** Runs a command so that it is undone if it fails. */
async function runCommand(
  setup: SectionCommitsSetup,
  current: Current,
  how: { readonly waiting: WaitingWrite; readonly index: number; readonly isCareful: boolean },
): Promise<CommandOutcome> {
  const { fn, options } = how.waiting;
  const { section, commands, early } = current;
  const start = how.isCareful ? undefined : early.take(how.waiting);
  const tx = start?.tx ?? new PostgresCommand(commands, options, new UndoScope(section.root, how.index));
  const { scope } = tx;
  const idle = Promise.withResolvers<never>();
  current.fail = idle.reject;
  try {
    requireInTime(options, setup.clock);
    if (how.isCareful) section.protect(scope);
    const result = start === undefined ? fn(tx) : early.beginTurn(start, how.index);
    const value = await Promise.race([result, idle.promise]);
    if (how.isCareful) await section.sendAll(scope);
    requireInTime(options, setup.clock);
    section.keep(scope);
    options.onAccepted?.();
    return toOutcome(value);
  } catch (error) {
    await section.undo(scope);
    section.requireSound(section.root);
    return { kind: "error", error: toPostgresWriteProblem(error) };
  } finally {
    current.fail = () => {};
    early.endTurn();
  }
}

/** Sends the new position, and the row by which the outcome can be found out. */
function storeFacts(current: Current, writer: WriterRow): void {
  const { connection, section, row, ids, batch } = current;
  const { last_sequence, access_version } = (current.stored = newRow(current));
  const onError = (error: Error) => {
    section.lost ??= { error, owners: new Set() };
  };
  connection.send(
    storePosition,
    [last_sequence, ids.last().toString(), access_version, row.timeline],
    (error) => error !== undefined && onError(error),
  );
  writer.note(connection, batch, onError);
}

function newRow({ commands, row, hasTouchedAccess }: Current): PositionRow {
  return {
    last_sequence: commands.sequences.last(),
    access_version: row.access_version + (hasTouchedAccess ? 1 : 0),
  };
}

function notCommitted(cause?: unknown): ConnectionLostError {
  return new ConnectionLostError("the transaction was rolled back", { cause });
}

function required(current: Current | undefined): Current {
  if (current === undefined) throw new Error("no section is under way");
  return current;
}
