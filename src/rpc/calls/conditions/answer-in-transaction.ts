import type { Message } from "@bufbuild/protobuf";
import type { AfterCommit, WriteUnit } from "../../../base/call.ts";
import type { WriteTransaction } from "../../../base/database.ts";
import { Problem } from "../../../base/problem.ts";

/** What else belongs into the transaction of a call. Each may throw, and then nothing of the call happens. */
export interface Hold {
  /** Comes before the work of the call. */
  readonly begin: (tx: WriteTransaction) => Promise<void>;
  /** Comes after it, with the answer. */
  readonly end: (tx: WriteTransaction, answer: Message) => Promise<void>;
  /** Comes in its place when the call changes something and is refused all the same. */
  readonly refuse: (tx: WriteTransaction, problem: Problem) => Promise<void>;
}

/**
 * Does a call whose transaction is held open until its answer is known, so that the answer can be stored with the effect, or
 * the effect be undone once it is known. `run` does the call in the unit it is given. Returns when all is durable.
 */
export async function holdWrite(hold: Hold, run: (unit: WriteUnit) => Promise<Message>): Promise<Message> {
  const answer = Promise.withResolvers<Message>();
  answer.promise.catch(() => {}); // of a call that failed before its write
  let after: readonly AfterCommit[] = [];
  let committed: Promise<unknown> | undefined;
  const unit: WriteUnit = {
    write(database, work, how) {
      type Result = Exclude<Awaited<ReturnType<typeof work>>, Error>;
      if (committed !== undefined) throw new Error("a call writes once");
      after = how.after;
      const done = Promise.withResolvers<Result>();
      committed = database.write(async (tx) => {
        await hold.begin(tx);
        const result = await work(tx);
        if (result instanceof Problem) {
          await hold.refuse(tx, result);
          return result; // which is thrown to the caller, and its changes stay
        }
        done.resolve(result as Result); // problems are the only errors that work returns
        // Only the mapping to a message lies between: it waits for nothing, so the answer comes in the same turn.
        await hold.end(tx, await answer.promise);
        return undefined;
      }, how.options);
      committed.catch(done.reject);
      return done.promise;
    },
  };
  const running = run(unit);
  running.then(answer.resolve, answer.reject);
  const message = await running;
  if (committed === undefined) throw new Error("a call that changes something wrote nothing");
  await committed;
  for (const step of after) await step();
  return message;
}
