import type { Message } from "@bufbuild/protobuf";
import type { AfterCommit, WriteUnit } from "../../../../kernel/base/call.ts";
import type { Database, WriteTransaction } from "../../../../kernel/base/database.ts";
import { Problem } from "../../../../kernel/base/problem.ts";
import type { Ending } from "../../../../identity/idempotency/stored-answer.ts";

/** The steps in the transaction of a call besides its own work. If a step throws, the call is undone. */
export interface TransactionSteps {
  /** Runs before the work of the call. If it returns an earlier ending of the same call, the work is not done. */
  readonly findEarlier: (tx: WriteTransaction) => Promise<Ending | undefined>;
  /** Runs after the work, with the answer. `undo`: the call was a dry run. */
  readonly finish: (tx: WriteTransaction, answer: Message) => Promise<"keep" | "undo">;
  /** Runs instead of `finish` when the call changes something although it is refused. */
  readonly refuse: (tx: WriteTransaction, problem: Problem) => Promise<void>;
}

/** The ending of a call. Its changes are durable when it is done or refused, and undone when it was a dry run. */
export type Attempt =
  | { readonly kind: "done"; readonly answer: Message }
  | { readonly kind: "tried"; readonly answer: Message }
  | { readonly kind: "repeated"; readonly ending: Ending }
  | { readonly kind: "refused"; readonly problem: Problem };

/**
 * Runs a call whose transaction is held open until its answer is known, so that the answer can be stored with the effect, or the
 * effect undone. `run` makes the call in the unit that it is given.
 */
export async function answerInTransaction(
  steps: TransactionSteps,
  run: (unit: WriteUnit) => Promise<Message>,
): Promise<Attempt> {
  const held = createHeldUnit(steps);
  try {
    const running = run(held.unit);
    running.then(held.answer.resolve, held.answer.reject);
    const answer = await running;
    await held.commit();
    return { kind: "done", answer };
  } catch (error) {
    if (error instanceof Undone) return error.attempt;
    if (error instanceof Problem && error === held.refused()) return { kind: "refused", problem: error };
    throw error;
  }
}

/** Undoes a transaction; throwing is the only way to do that. */
class Undone extends Error {
  readonly attempt: Attempt;

  constructor(attempt: Attempt) {
    super(`the call was ${attempt.kind}`);
    this.attempt = attempt;
  }
}

/** The one write of a call, and what is known about it. */
interface HeldUnit {
  readonly unit: WriteUnit;
  /** Settled with the answer of the call. */
  readonly answer: PromiseWithResolvers<Message>;
  /** Waits until everything is durable, and runs the steps that follow. */
  commit(): Promise<void>;
  /** The problem with which the call was refused although it changed something. */
  refused(): Problem | undefined;
}

function createHeldUnit(steps: TransactionSteps): HeldUnit {
  const answer = Promise.withResolvers<Message>();
  answer.promise.catch(() => {}); // of a call that failed before its write
  let after: readonly AfterCommit[] = [];
  let committed: Promise<unknown> | undefined;
  let refused: Problem | undefined;
  const write = <T>(
    database: Pick<Database, "write">,
    work: (tx: WriteTransaction) => Promise<T>,
    how: Parameters<WriteUnit["write"]>[2],
  ): Promise<Exclude<T, Error>> => {
    if (committed !== undefined) throw new Error("a call writes once");
    after = how.after;
    const done = Promise.withResolvers<Exclude<T, Error>>();
    committed = database.write(async (tx) => {
      const ending = await steps.findEarlier(tx);
      if (ending !== undefined) throw new Undone({ kind: "repeated", ending });
      const result = await work(tx);
      if (result instanceof Problem) {
        await steps.refuse(tx, result);
        refused = result;
        return result; // which is thrown to the caller, and its changes stay
      }
      done.resolve(result as Exclude<T, Error>); // problems are the only errors that work returns
      // Only the conversion to a message comes in between; it awaits nothing, so the answer comes in the same turn.
      const message = await answer.promise;
      const verdict = await steps.finish(tx, message);
      if (verdict === "undo") throw new Undone({ kind: "tried", answer: message });
      return undefined;
    }, how.options);
    committed.catch(done.reject);
    return done.promise;
  };
  return {
    unit: { write },
    answer,
    async commit() {
      if (committed === undefined) throw new Error("a call that changes something wrote nothing");
      await committed;
      for (const step of after) await step();
    },
    refused: () => refused,
  };
}
