import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { FeatureContext } from "../context.ts";
import { findAnswer, putAnswer, removeExpiredAnswers } from "./repository.ts";
import { answerIdOf, type KeyedCall, type Ending, requireSame, toStoredAnswer } from "./stored-answer.ts";

/** The stored answers for repeated calls. */
export interface AnswerStore {
  /**
   * Returns the ending of the same call within the last 24 hours, once it is durable. Raises IDEMPOTENCY_KEY_REUSED.
   */
  find(asked: KeyedCall): Promise<Ending | undefined>;
  /** The same inside a write, also for another call in the same transaction. */
  findIn(tx: ReadTransaction, asked: KeyedCall): Promise<Ending | undefined>;
  /** Stores the ending of the call in the transaction of its effect. */
  put(tx: WriteTransaction, asked: KeyedCall, ending: Ending): Promise<void>;
}

/** More than are added at a time, so that expired answers are removed as fast as new ones come. */
const removedAtOnce = 2;

/** Creates the store of answers. Expired answers are deleted when others are stored. */
export function createAnswerStore({
  database,
  keyring,
  clock,
}: Pick<FeatureContext, "database" | "keyring" | "clock">): AnswerStore {
  const findIn = async (tx: ReadTransaction, asked: KeyedCall) =>
    requireSame(keyring, asked, { stored: await findAnswer(tx, answerIdOf(asked)), nowMs: clock.nowMs() });
  return {
    find: (asked) => database.read((tx) => findIn(tx, asked)),
    findIn,
    async put(tx, asked, ending) {
      const nowMs = clock.nowMs();
      await removeExpiredAnswers(tx, { nowMs, limit: removedAtOnce });
      await putAnswer(tx, answerIdOf(asked), toStoredAnswer(keyring, asked, { ending, nowMs }));
    },
  };
}
