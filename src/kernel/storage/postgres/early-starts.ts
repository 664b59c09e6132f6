import type { SqlValue, WriteOptions } from "../../base/database.ts";
import type { Upcoming, WaitingWrite } from "../engine/write-queue.ts";
import type { PostgresCommand } from "./command.ts";
import { EarlyReads } from "./early-reads.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import type { Section } from "./section.ts";
import type { Statement } from "./statements.ts";
import { UndoScope } from "./undo-scope.ts";

/** A command that was started before its turn. */
export interface EarlyStart {
  readonly tx: PostgresCommand;
  readonly reads: EarlyReads;
  readonly result: Promise<unknown>;
  /** The state of the watches at the start: a command may act on them without a statement. */
  readonly revision: number;
}

/** What early starts of a section need. */
export interface EarlyStartsSetup {
  readonly section: Section;
  readonly connection: PostgresConnection;
  readonly upcoming: Upcoming;
  /** As in `TableWatches`. */
  readonly revision: () => number;
  readonly createCommand: (options: WriteOptions, scope: UndoScope, early: EarlyReads) => PostgresCommand;
  /** How often a command may be started, or ask again, before its turn. */
  readonly tries: number;
}

/** How many commands are started before their turn: they and their answers are kept in memory. */
const maxStarted = 32;
/** How many tries can be saved up. */
const maxTries = 256;

/**
 * Starts the next commands of a section while another one is under way, so that their first reads share a round trip.
 *
 * A command that was started early has no answer and has written nothing until its turn, so all that it can have acted on
 * are its input, the watches of tables, and the clock, which it has read at most as long before its turn as commands may join
 * a section. If a watch changes before its turn, the start is thrown away: nobody answers it, and the command is started again.
 * If rows change that a read may have seen, it is asked again. So every command acts on exactly what those before it have left.
 *
 * Early reads are sent only while the command under way has written nothing. So they lie in no savepoint, and see nothing
 * that is undone later without the whole section. One that fails loses the section; then commands are careful for a while,
 * and none is started early.
 *
 * Where commands change what the next ones need, all this is of no use, and costs as much as what they do at their turn. So
 * each start uses up a try, and two are gained by each turn that begins with one.
 */
export class EarlyStarts {
  /** How many tries are left. */
  tries: number;
  readonly #setup: EarlyStartsSetup;
  readonly #started = new Map<WaitingWrite, EarlyStart>();
  /** Whether a command is under way that has written nothing yet. */
  #isUnwritten = false;
  #isToBeAsked = false;

  constructor(setup: EarlyStartsSetup) {
    this.#setup = setup;
    this.tries = setup.tries;
  }

  /**
   * Call it when the turn of a command comes: starts those behind it. Returns how the command itself was started; undefined
   * if it must be started now.
   */
  take(waiting: WaitingWrite): EarlyStart | undefined {
    const start = this.#started.get(waiting);
    this.#started.delete(waiting);
    this.#isUnwritten = true;
    this.#startNext();
    return start !== undefined && this.#isCurrent(start) ? start : undefined;
  }

  /** Begins the turn of a command that was taken. `owner` is its number in the batch. Returns how it ends. */
  async beginTurn({ tx, reads, result }: EarlyStart, owner: number): Promise<unknown> {
    tx.beginTurn(owner);
    if (reads.begin(this.#setup.section, tx.scope)) this.tries = Math.min(maxTries, this.tries + 2);
    return await result;
  }

  /** Call it before each statement that writes. */
  onWrite(statement: Statement, values: readonly SqlValue[]): void {
    this.#isUnwritten = false;
    for (const { reads } of this.#started.values()) reads.onWrite(statement, values);
  }

  /** Call it when a turn ends. */
  endTurn(): void {
    this.#isUnwritten = false;
  }

  #startNext(): void {
    const { upcoming, connection } = this.#setup;
    for (const waiting of upcoming(maxStarted)) {
      const start = this.#started.get(waiting);
      const isDone = start !== undefined && this.#isCurrent(start);
      if (waiting.options.mayStartEarly !== true || isDone || !this.#mayTry()) continue;
      this.#started.set(waiting, this.#start(waiting));
    }
    if (this.#started.size === 0 || this.#isToBeAsked) return;
    this.#isToBeAsked = true;
    connection.beforeFlush(() => this.#ask());
  }

  #start({ fn, options }: WaitingWrite): EarlyStart {
    const { section, revision, createCommand } = this.#setup;
    const reads = new EarlyReads();
    const tx = createCommand(options, new UndoScope(section.root, undefined), reads);
    const run = async () => await fn(tx);
    const start = { tx, reads, revision: revision(), result: run() };
    start.result.catch(ignore);
    return start;
  }

  #isCurrent({ revision }: EarlyStart): boolean {
    return revision === this.#setup.revision();
  }

  /** Sends the reads of those that are still waiting. */
  #ask(): void {
    this.#isToBeAsked = false;
    const { section, upcoming } = this.#setup;
    if (!this.#isUnwritten || section.lost !== undefined) return;
    for (const waiting of upcoming(maxStarted)) {
      const start = this.#started.get(waiting);
      start?.reads.ask(section, start.tx.scope, () => this.#mayTry());
    }
  }

  #mayTry(): boolean {
    if (this.tries === 0) return false;
    this.tries -= 1;
    return true;
  }
}

function ignore(): void {
  // It is how the command ends, at its turn, unless the start is thrown away.
}
