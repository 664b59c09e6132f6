import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import type { FeatureContext } from "../context.ts";
import { findAnswer, putAnswer, removeExpiredAnswers } from "./repository.ts";
import { answerIdOf, type KeyedCall, type Ending, requireSame, toStoredAnswer } from "./stored-answer.ts";

/** The answers that are kept for those who ask again. */
export interface AnswerStore {
  /** Returns how the same call ended within the last 24 hours, when that is durable. Raises IDEMPOTENCY_KEY_REUSED. */
  find(asked: KeyedCall): Promise<Ending | undefined>;
  /** The same inside of a write: also when the other call is in the same transaction. */
  findIn(tx: ReadTransaction, asked: KeyedCall): Promise<Ending | undefined>;
  /** Keeps how the call ended, in the transaction of its effect. */
  put(tx: WriteTransaction, asked: KeyedCall, ending: Ending): Promise<void>;
}

/** More than are added at a time, so that what is over goes as fast as new ones come. */
const removedAtOnce = 2;

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
