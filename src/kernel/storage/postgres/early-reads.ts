import type { SqlValue } from "../../base/database.ts";
import { mayFind } from "./held-rows.ts";
import type { StatementAnswer } from "./postgres-connection.ts";
import type { Section } from "./section.ts";
import type { Statement } from "./statements.ts";
import type { UndoScope } from "./undo-scope.ts";

/** A read that a command made before its turn. */
interface EarlyRead {
  readonly statement: Statement;
  readonly values: readonly SqlValue[];
  /** What the command waits for. */
  readonly answer: PromiseWithResolvers<StatementAnswer>;
  /** What the database was asked; undefined as long as it was not, and when a later write may change the answer. */
  asked: Promise<StatementAnswer> | undefined;
  /** Whether it was asked before, and the answer is of no use. */
  isStale: boolean;
}

/** What a command wants of its transaction before its turn. It gets nothing of it until then. */
export class EarlyReads {
  readonly #reads: EarlyRead[] = [];
  readonly #turn = Promise.withResolvers<void>();
  /** Whether something waits for the turn that may have to come before other reads. */
  #isWaiting = false;

  /** Takes a read, whose answer comes at the turn. Returns undefined if the read itself must wait for the turn. */
  hold(statement: Statement, values: readonly SqlValue[]): Promise<StatementAnswer> | undefined {
    if (this.#isWaiting || !statement.isPure) return undefined;
    const answer = Promise.withResolvers<StatementAnswer>();
    this.#reads.push({ statement, values, answer, asked: undefined, isStale: false });
    return answer.promise;
  }

  /** Waits for the turn. */
  async untilTurn(): Promise<void> {
    this.#isWaiting = true;
    await this.#turn.promise;
  }

  /**
   * Asks for what has not been asked, and for what is stale if `mayRepeat` says so. Call it only while no command has
   * written anything that could still be undone by itself.
   */
  ask(section: Section, scope: UndoScope, mayRepeat: () => boolean): void {
    for (const read of this.#reads) {
      if (read.asked !== undefined || (read.isStale && !mayRepeat())) continue;
      read.asked = section.read(scope, read.statement, read.values);
      read.asked.catch(ignore); // it has lost the section, or is handed over at the turn
    }
  }

  /** Notes that a command writes: answers that this may change are not handed over. */
  onWrite(write: Statement, values: readonly SqlValue[]): void {
    for (const read of this.#reads) {
      if (read.asked === undefined || !mayChange(read, write, values)) continue;
      read.asked = undefined;
      read.isStale = true;
    }
  }

  /**
   * Begins the turn: hands the answers over, and asks once more for those that are stale. Returns whether all that was asked
   * is of use.
   */
  begin(section: Section, scope: UndoScope): boolean {
    this.#turn.resolve(); // before the answers: what waits was wanted before what follows from them
    const isOfUse = this.#reads.every(({ asked, isStale }) => asked !== undefined || !isStale);
    for (const { statement, values, answer, asked } of this.#reads)
      answer.resolve(asked ?? section.read(scope, statement, values));
    return isOfUse;
  }
}

/**
 * Says whether a write may change the answer to a read. A write changes rows of its table, and by foreign keys rows of
 * tables that refer to it, which a read names together with those that they refer to; there are no triggers. An INSERT of
 * given values concerns a lookup only if the lookup may find its row.
 */
function mayChange(
  read: Pick<EarlyRead, "statement" | "values">,
  { target, insert }: Statement,
  values: readonly SqlValue[],
): boolean {
  const { tables, lookups } = read.statement;
  if (target === undefined || tables.has(target)) return true;
  return lookups.some((lookup) =>
    insert === undefined ? lookup.tables.has(target) : mayFind(lookup, read.values, { insert, values }),
  );
}

function ignore(): void {
  // The section is lost, and its commands learn that.
}
