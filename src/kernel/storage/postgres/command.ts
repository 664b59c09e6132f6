import { type Clock, createNow } from "../../base/clock.ts";
import type { SqlValue, WriteOptions, WriteTransaction } from "../../base/database.ts";
import type { AnyId, IdGenerator } from "../../base/ids.ts";
import { requireInTime } from "../engine/deadlines.ts";
import type { Sequences } from "../engine/sequences.ts";
import type { EarlyReads } from "./early-reads.ts";
import type { StatementAnswer } from "./postgres-connection.ts";
import { UndoScope } from "./undo-scope.ts";
import type { Section } from "./section.ts";
import type { Statement, Statements } from "./statements.ts";

/** What every command of a section needs. */
export interface SectionSetup {
  /** Stands for the commit of the section. */
  readonly commit: object;
  readonly section: Section;
  readonly clock: Clock;
  readonly statements: Statements;
  readonly sequences: Sequences;
  readonly ids: IdGenerator;
  /** Called before each statement that writes. */
  readonly onWrite: (statement: Statement, sql: string, values: readonly SqlValue[]) => void;
}

/** The transaction of one command, or of a part of it. */
export class PostgresCommand implements WriteTransaction {
  readonly scope: UndoScope;
  /** Of a part that of the whole. Of a command that was started early from before its turn, if it was asked for then. */
  readonly now: WriteTransaction["now"];
  readonly #setup: SectionSetup;
  readonly #options: WriteOptions;
  /** What is wanted before its turn; undefined from then on. */
  #early: EarlyReads | undefined;

  constructor(
    setup: SectionSetup,
    options: WriteOptions,
    scope: UndoScope,
    { early, now }: { readonly early?: EarlyReads | undefined; readonly now?: WriteTransaction["now"] } = {},
  ) {
    this.scope = scope;
    this.now = now ?? createNow(setup.clock);
    this.#early = early;
    this.#setup = setup;
    this.#options = options;
  }

  /** Begins the turn of a command that was started before. */
  beginTurn(owner: number): void {
    this.scope.owner = owner;
    this.#early = undefined;
  }

  get commit(): object {
    return this.#setup.commit;
  }

  isUndone(): boolean {
    return this.scope.chain.some(({ isUndone }) => isUndone);
  }

  async get<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row | undefined> {
    return (await this.all<Row>(sql, parameters))[0];
  }

  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<readonly Row[]> {
    const statement = this.#require().statements.of(sql);
    const held = this.#early?.hold(statement, parameters);
    const answer = await (held ?? this.#ask(statement, sql, parameters));
    // The row type is the caller's claim about the statement; nothing here can check it.
    return answer.rows as readonly Row[];
  }

  async #ask(statement: Statement, sql: string, parameters: readonly SqlValue[]): Promise<StatementAnswer> {
    if (this.#early !== undefined) await this.#early.untilTurn();
    const { section, onWrite } = this.#require();
    if (!statement.isRead) onWrite(statement, sql, parameters);
    return await section.read(this.scope, statement, parameters);
  }

  async run(sql: string, parameters: readonly SqlValue[] = []): Promise<void> {
    if (this.#early !== undefined) await this.#early.untilTurn();
    const { section, statements, onWrite } = this.#require();
    const statement = statements.of(sql);
    onWrite(statement, sql, parameters);
    section.write(this.scope, statement, parameters);
  }

  async change(sql: string, parameters: readonly SqlValue[] = []): Promise<number> {
    if (this.#early !== undefined) await this.#early.untilTurn();
    const { section, statements, onWrite } = this.#require();
    const statement = statements.of(sql);
    onWrite(statement, sql, parameters);
    return await section.change(this.scope, statement, parameters);
  }

  async reserveSequences(count: number): Promise<number> {
    if (this.#early !== undefined) await this.#early.untilTurn();
    return this.#require().sequences.reserve(count);
  }

  nextId<T extends AnyId>(): T {
    return this.#require().ids.next<T>();
  }

  async nested<T>(fn: (part: WriteTransaction) => Promise<T>): Promise<T> {
    if (this.#early !== undefined) await this.#early.untilTurn();
    const { section } = this.#require();
    const scope = new UndoScope(this.scope, this.scope.owner);
    this.scope.hasPart = true;
    try {
      const result = await fn(new PostgresCommand(this.#setup, this.#options, scope, this));
      section.keep(scope);
      return result;
    } catch (error) {
      await section.undo(scope);
      throw error;
    } finally {
      this.scope.hasPart = false;
    }
  }

  async pause(): Promise<void> {
    if (this.#early !== undefined) await this.#early.untilTurn();
    const { section, clock } = this.#require();
    await new Promise(setImmediate);
    await section.keepPace(this.scope);
    requireInTime(this.#options, clock);
  }

  #require(): SectionSetup {
    for (const { isOver } of this.scope.chain)
      if (isOver) throw new Error("a transaction was used after its end");
    if (this.scope.hasPart) throw new Error("a transaction was used while a part of it was under way");
    return this.#setup;
  }
}
