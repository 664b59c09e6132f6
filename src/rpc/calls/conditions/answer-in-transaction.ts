import type { Message } from "@bufbuild/protobuf";
import type { AfterCommit, WriteUnit } from "../../../base/call.ts";
import type { Database, WriteTransaction } from "../../../base/database.ts";
import { Problem } from "../../../base/problem.ts";
import type { Ending } from "../../../features/idempotency/stored-answer.ts";

/** What belongs into the transaction of a call besides its own work. If a step throws, nothing of the call happens. */
export interface TransactionSteps {
  /** Comes before the work of the call. How the same call ended earlier: then the work is not done. */
  readonly findEarlier: (tx: WriteTransaction) => Promise<Ending | undefined>;
  /** Comes after it, with the answer. `undo`: the call was only tried. */
  readonly finish: (tx: WriteTransaction, answer: Message) => Promise<"keep" | "undo">;
  /** Comes instead of `finish` when the call changes something and is refused all the same. */
  readonly refuse: (tx: WriteTransaction, problem: Problem) => Promise<void>;
}

/** How a call ended. What it changed is durable when it is done or refused, and undone when it was tried. */
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

/** Undoes a transaction: the only way to do that is to throw. */
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
  /** To be settled with the answer of the call. */
  readonly answer: PromiseWithResolvers<Message>;
  /** Waits until all is durable, and takes the steps that follow. */
  commit(): Promise<void>;
  /** The problem that the call was refused with although it changed something. */
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
      // Only the mapping to a message lies between: it waits for nothing, so the answer comes in the same turn.
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
