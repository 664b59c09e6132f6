import type { SqlValue } from "../../base/database.ts";
import { Frame } from "./frame.ts";
import { splitGroup, type RowGroup } from "./held-rows.ts";
import type { Answer, PostgresConnection, Sendable } from "./postgres-connection.ts";
import { inFailedTransaction, isPostgresFailure, PostgresError } from "./postgres-error.ts";
import { type Statement, toReadValues, toWriteValues } from "./statements.ts";

/** Rows held back by one command or part: beyond this they are sent, so that a large one does not fill the memory. */
const maxHeldRows = 1024;

/**
 * The statements of one transaction, which several commands share. Statements are sent without waiting for the answers of
 * those before, and INSERTs of one row are held back until something could see that they are missing, so that the rows of
 * all commands leave in a few statements.
 *
 * An error of a statement is a bug or a fault of the server: commands decide by reading, and no expected refusal comes
 * from a constraint. So errors need not be cheap, but nothing may be kept that should not be:
 * - An error that arrives while a frame with a savepoint runs fails that frame, and only it.
 * - Any other error, one of rows of several commands or one that arrives when its command has already ended, loses the
 *   section. The command that sent the statement gets the error; the others were not done either, and learn that they can be
 *   tried again.
 * COMMIT is sent behind everything else, and PostgreSQL answers it with ROLLBACK when anything failed.
 */
export class Section {
  readonly root = new Frame(undefined, undefined);
  /** Why nothing of the section can be kept, and whose fault it is. */
  lost: { readonly error: Error; readonly owners: ReadonlySet<number> } | undefined;
  /** Whether anything was sent that changes rows. */
  hasWritten = false;
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  /** Asks for the answer to a read, which sees everything that was written before. */
  async read(frame: Frame, statement: Statement, values: readonly SqlValue[]): Promise<Answer> {
    this.requireSound(frame);
    if (statement.isRead) this.#flush(frame, statement.tables);
    else this.#prepareToWrite(frame);
    return await this.#ask(frame, statement, toReadValues(values));
  }

  /** Sends a write, or holds it back. */
  write(frame: Frame, statement: Statement, values: readonly SqlValue[]): void {
    this.requireSound(frame);
    const { insert } = statement;
    const bound = toWriteValues(values);
    if (insert === undefined) {
      this.#prepareToWrite(frame);
      this.#send(frame, statement, bound);
    } else {
      frame.rows.add(insert, { values: bound, owner: frame.owner ?? -1 });
      if (frame.rows.count >= maxHeldRows) this.#prepareToWrite(frame);
    }
  }

  /** Sends a write and returns how many rows it changed. */
  async change(frame: Frame, statement: Statement, values: readonly SqlValue[]): Promise<number> {
    this.requireSound(frame);
    const bound = toWriteValues(values);
    this.#prepareToWrite(frame);
    return (await this.#ask(frame, statement, bound)).count;
  }

  /** Ends a frame whose work is kept. */
  keep(frame: Frame): void {
    this.requireSound(frame);
    frame.isOver = true;
    frame.isReleased = true;
    if (frame.isMarked) this.#connection.tell(`RELEASE SAVEPOINT ${frame.savepoint}`);
    frame.parent?.rows.append(frame.rows);
  }

  /** Ends a frame and undoes its work. Throws if that cannot be done for this frame alone. */
  async undo(frame: Frame): Promise<void> {
    frame.isOver = true;
    frame.rows.take();
    if (!frame.isMarked) return;
    // An error that is still on its way belongs to this frame.
    await this.#connection.settled();
    frame.error = undefined;
    frame.isReleased = true;
    this.requireSound(frame);
    this.#connection.tell(`ROLLBACK TO SAVEPOINT ${frame.savepoint}`);
    this.#connection.tell(`RELEASE SAVEPOINT ${frame.savepoint}`);
  }

  /** Waits for all answers, so that a long command does not fill the memory with statements. */
  async settle(frame: Frame): Promise<void> {
    await this.#connection.settled();
    this.requireSound(frame);
  }

  /** Sends what the frame holds back, and waits for the answers: an error of it is known from then on. */
  async sendAll(frame: Frame): Promise<void> {
    this.requireSound(frame);
    this.#prepareToWrite(frame);
    await this.settle(frame);
  }

  /** Sends everything that is held back. */
  flushAll(): void {
    this.#sendRows(this.root, this.root.rows.take());
  }

  /** Returns why nothing of the section can be kept, if there is a reason. */
  failure(): Error | undefined {
    return this.lost?.error;
  }

  /** Throws what PostgreSQL has refused in the frame or in those around it. */
  requireSound(frame: Frame): void {
    if (this.lost !== undefined) throw this.lost.error;
    for (const { error } of frame.chain()) if (error !== undefined) throw error;
  }

  /** Sends what a read of these tables has to see. */
  #flush(frame: Frame, tables: ReadonlySet<string>): void {
    for (const each of [...frame.chain()].reverse()) {
      if (!each.rows.touches(tables)) continue;
      this.#mark(each);
      this.#sendRows(each, each.rows.take(tables));
    }
  }

  /** Sends everything that was held back before a write. */
  #prepareToWrite(frame: Frame): void {
    this.#mark(frame);
    this.#sendRows(frame, frame.rows.take());
  }

  /** Sends the savepoint of the frame. Rows of the frames around it come before, so that they are not undone with it. */
  #mark(frame: Frame): void {
    if (frame.isMarked || frame.parent === undefined) return;
    this.#prepareToWrite(frame.parent);
    this.#connection.tell(`SAVEPOINT ${frame.savepoint}`);
    frame.isMarked = true;
  }

  #sendRows(frame: Frame, groups: readonly RowGroup[]): void {
    for (const { insert, rows } of groups.flatMap(splitGroup)) {
      const owners = new Set(rows.map(({ owner }) => owner));
      const values = rows.flatMap((row) => row.values);
      this.#send(frame, insert.rows(rows.length), values, owners);
    }
  }

  #send(
    frame: Frame,
    statement: Sendable,
    values: readonly SqlValue[],
    owners: ReadonlySet<number> = ownersOf(frame),
  ): void {
    this.hasWritten = true;
    this.#connection.send(statement, values, (error) => {
      if (error !== undefined) this.#fail(frame, error, owners);
    });
  }

  #ask(frame: Frame, statement: Statement, values: readonly SqlValue[]): Promise<Answer> {
    if (!statement.isRead) this.hasWritten = true;
    return new Promise((resolve, reject) => {
      this.#connection.send(statement, values, (error, answer) => {
        if (error === undefined) resolve(answer);
        else reject(this.#fail(frame, error, ownersOf(frame)));
      });
    });
  }

  /** Notes the error where it can be undone, and returns what was refused first. */
  #fail(frame: Frame, error: Error, owners: ReadonlySet<number>): Error {
    if (this.lost !== undefined) return this.lost.error;
    const chain = [...frame.chain()];
    const first = chain.find((each) => each.error !== undefined)?.error;
    if (first !== undefined && error instanceof PostgresError && error.code === inFailedTransaction)
      return first;
    const protector = chain.find((each) => each.isMarked && !each.isReleased);
    if (protector?.parent === undefined || isPostgresFailure(error)) this.lost = { error, owners };
    else protector.error ??= error;
    return error;
  }
}

function ownersOf({ owner }: Frame): ReadonlySet<number> {
  return new Set(owner === undefined ? [] : [owner]);
}
