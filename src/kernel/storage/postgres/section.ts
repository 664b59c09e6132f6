import type { SqlValue } from "../../base/database.ts";
import { UndoScope } from "./undo-scope.ts";
import { splitGroup, type RowGroup } from "./held-rows.ts";
import type { StatementAnswer, PostgresConnection, Sendable } from "./postgres-connection.ts";
import { inFailedTransaction, isPostgresFailure, isTimeOut, PostgresError } from "./postgres-error.ts";
import { type Statement, toReadValues, toWriteValues } from "./statements.ts";

/** Rows held back by one command or part: beyond this they are sent, so that a large one does not fill the memory. */
const maxHeldRows = 1024;
/** Statements of a long command that are under way before it pauses for them. */
const maxInFlight = 64;

/**
 * The statements of one transaction, which several commands share. Statements are sent without waiting for the answers of
 * those before, and INSERTs of one row are held back until something could see that they are missing, so that the rows of
 * all commands leave in a few statements.
 *
 * An error of a statement is a bug or a fault of the server: commands decide by reading, and no expected refusal comes
 * from a constraint. So errors need not be cheap, but nothing may be kept that should not be:
 * - An error that arrives while a scope with a savepoint runs fails that scope, and only it.
 * - Any other error, one of rows of several commands or one that arrives when its command has already ended, loses the
 *   section. The command that sent the statement gets the error. The others, and all if it is not clear whose row it was,
 *   were not done either, and learn that they can be tried again. From then on commands are checked one by one for a
 *   while, so that the one that is wrong fails alone.
 * - A statement that PostgreSQL ended because it took too long counts as such an error. So the first slow command fails the
 *   whole section unless it has a savepoint already, and the following ones only themselves.
 * COMMIT is sent behind everything else, and PostgreSQL answers it with ROLLBACK when anything failed.
 */
export class Section {
  readonly root = new UndoScope(undefined, undefined);
  /** Why nothing of the section can be kept, and whose fault it is. */
  lost: { readonly error: Error; readonly owners: ReadonlySet<number> } | undefined;
  /** Whether anything was sent that changes rows. */
  hasWritten = false;
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** Asks for the answer to a read, which sees everything that was written before. */
  async read(scope: UndoScope, statement: Statement, values: readonly SqlValue[]): Promise<StatementAnswer> {
    this.requireSound(scope);
    if (statement.isRead) this.#flush(scope, statement, values);
    else this.#prepareToWrite(scope);
    return await this.#ask(scope, statement, statement.isRead ? toReadValues(values) : toWriteValues(values));
  }

  /** Sends a write, or holds it back. */
  write(scope: UndoScope, statement: Statement, values: readonly SqlValue[]): void {
    this.requireSound(scope);
    const { insert } = statement;
    const bound = toWriteValues(values);
    if (insert === undefined) {
      this.#prepareToWrite(scope);
      this.#send(scope, statement, bound);
    } else {
      scope.rows.add(insert, { values: bound, owner: scope.owner ?? -1 });
      if (scope.rows.count >= maxHeldRows) this.#prepareToWrite(scope);
    }
  }

  /** Sends a write and returns how many rows it changed. */
  async change(scope: UndoScope, statement: Statement, values: readonly SqlValue[]): Promise<number> {
    this.requireSound(scope);
    const bound = toWriteValues(values);
    this.#prepareToWrite(scope);
    return (await this.#ask(scope, statement, bound)).count;
  }

  /** Gives a scope its savepoint before its first statement, so that also a read that is refused fails only this scope. */
  protect(scope: UndoScope): void {
    this.requireSound(scope);
    this.#mark(scope);
  }

  /** Ends a scope whose work is kept. */
  keep(scope: UndoScope): void {
    this.requireSound(scope);
    scope.isOver = true;
    scope.isReleased = true;
    if (scope.isMarked) this.#connection.tell(`RELEASE SAVEPOINT ${scope.savepoint}`);
    scope.parent?.rows.append(scope.rows);
  }

  /** Ends a scope and undoes its work. Throws if that cannot be done for this scope alone. */
  async undo(scope: UndoScope): Promise<void> {
    scope.isOver = true;
    scope.isUndone = true;
    scope.rows.take();
    if (!scope.isMarked) return;
    // An error that is still on its way belongs to this scope.
    await this.#connection.settled();
    scope.error = undefined;
    scope.isReleased = true;
    this.requireSound(scope);
    this.#connection.tell(`ROLLBACK TO SAVEPOINT ${scope.savepoint}`);
    this.#connection.tell(`RELEASE SAVEPOINT ${scope.savepoint}`);
  }

  /** Waits while many answers are outstanding, so that a long command does not fill the memory with statements. */
  async keepPace(scope: UndoScope): Promise<void> {
    if (this.#connection.inFlight > maxInFlight) await this.#connection.settled();
    this.requireSound(scope);
  }

  /** Sends what the scope holds back, and waits for the answers: an error of it is known from then on. */
  async sendAll(scope: UndoScope): Promise<void> {
    this.requireSound(scope);
    this.#prepareToWrite(scope);
    await this.#connection.settled();
    this.requireSound(scope);
  }

  /** Sends everything that is held back. */
  flushAll(): void {
    this.#sendRows(this.root, this.root.rows.take());
  }

  /** Returns why nothing of the section can be kept, if there is a reason. */
  failure(): Error | undefined {
    return this.lost?.error;
  }

  /** Throws what PostgreSQL has refused in the scope or in those around it. */
  requireSound(scope: UndoScope): void {
    if (this.lost !== undefined) throw this.lost.error;
    for (const { error } of scope.chain) if (error !== undefined) throw error;
  }

  /** Sends what a read has to see. */
  #flush(scope: UndoScope, { tables, lookups }: Statement, values: readonly SqlValue[]): void {
    for (const each of scope.chain.toReversed()) {
      const seen = new Set(tables);
      for (const lookup of lookups)
        if (each.rows.has(lookup, values)) for (const table of lookup.tables) seen.add(table);
      if (!each.rows.touches(seen)) continue;
      this.#mark(each);
      this.#sendRows(each, each.rows.take(seen));
    }
  }

  /** Sends everything that was held back before a write. */
  #prepareToWrite(scope: UndoScope): void {
    this.#mark(scope);
    this.#sendRows(scope, scope.rows.take());
  }

  /** Sends the savepoint of the scope. Rows of the scopes around it come before, so that they are not undone with it. */
  #mark(scope: UndoScope): void {
    if (scope.isMarked || scope.parent === undefined) return;
    this.#prepareToWrite(scope.parent);
    this.#connection.tell(`SAVEPOINT ${scope.savepoint}`);
    scope.isMarked = true;
  }

  #sendRows(scope: UndoScope, groups: readonly RowGroup[]): void {
    for (const { insert, rows } of groups.flatMap(splitGroup)) {
      const owners = new Set(rows.map(({ owner }) => owner));
      const values = rows.flatMap((row) => row.values);
      this.#send(scope, insert.rows(rows.length), values, owners);
    }
  }

  #send(
    scope: UndoScope,
    statement: Sendable,
    values: readonly SqlValue[],
    owners: ReadonlySet<number> = ownersOf(scope),
  ): void {
    this.hasWritten = true;
    this.#connection.send(statement, values, (error) => {
      if (error !== undefined) this.#fail(scope, error, owners);
    });
  }

  #ask(scope: UndoScope, statement: Statement, values: readonly SqlValue[]): Promise<StatementAnswer> {
    if (!statement.isRead) this.hasWritten = true;
    return new Promise((resolve, reject) => {
      this.#connection.send(statement, values, (error, answer) => {
        if (error === undefined) resolve(answer);
        else reject(this.#fail(scope, error, ownersOf(scope)));
      });
    });
  }

  /** Notes the error where it can be undone, and returns what was refused first. */
  #fail(scope: UndoScope, error: Error, owners: ReadonlySet<number>): Error {
    if (this.lost !== undefined) return this.lost.error;
    const { chain } = scope;
    const first = chain.find((each) => each.error !== undefined)?.error;
    if (first !== undefined && error instanceof PostgresError && error.code === inFailedTransaction)
      return first;
    const protector = chain.find((each) => each.isMarked && !each.isReleased);
    const isOfStatement = !isPostgresFailure(error) || isTimeOut(error);
    if (protector?.parent !== undefined && isOfStatement) protector.error ??= error;
    else this.lost = { error, owners };
    return error;
  }
}

function ownersOf({ owner }: UndoScope): ReadonlySet<number> {
  return new Set(owner === undefined ? [] : [owner]);
}
