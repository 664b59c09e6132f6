import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { ProblemInit } from "../../kernel/base/problem.ts";
import type { StoredAnswer } from "./stored-answer.ts";

interface Row {
  readonly request_key_id: string;
  readonly request_mac: Uint8Array;
  readonly is_problem: number;
  readonly answer: Uint8Array;
  readonly expiration_ms: number;
}

/** Reads the answer stored under the id, even if it has expired. */
export async function findAnswer(tx: ReadTransaction, id: Uint8Array): Promise<StoredAnswer | undefined> {
  const row = await tx.get<Row>(
    "SELECT request_key_id, request_mac, is_problem, answer, expiration_ms FROM idempotent_answers WHERE id = ?",
    [id],
  );
  if (row === undefined) return undefined;
  return {
    requestMac: { keyId: row.request_key_id, value: row.request_mac },
    ending:
      row.is_problem === 0
        ? { kind: "answer", message: row.answer }
        : { kind: "problem", problem: JSON.parse(Buffer.from(row.answer).toString("utf8")) as ProblemInit }, // as written below
    expirationMs: row.expiration_ms,
  };
}

/** Stores the answer, replacing an expired one. */
export async function putAnswer(tx: WriteTransaction, id: Uint8Array, stored: StoredAnswer): Promise<void> {
  const { requestMac, ending, expirationMs } = stored;
  const isProblem = ending.kind === "problem";
  const answer = isProblem ? new Uint8Array(Buffer.from(JSON.stringify(ending.problem))) : ending.message;
  await tx.run("DELETE FROM idempotent_answers WHERE id = ?", [id]);
  await tx.run(
    `INSERT INTO idempotent_answers (id, request_key_id, request_mac, is_problem, answer, expiration_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
    [id, requestMac.keyId, requestMac.value, isProblem ? 1 : 0, answer, expirationMs],
  );
}

/** Removes some expired answers, the oldest first. */
export async function removeExpiredAnswers(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<void> {
  await tx.run(
    `DELETE FROM idempotent_answers WHERE id IN
       (SELECT id FROM idempotent_answers WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

/** Returns how many of the unexpired answers need each key for the comparison, by key id. */
export async function countAnswersByKey(
  tx: ReadTransaction,
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.all<{ key_id: string; count: number }>(
    `SELECT request_key_id AS key_id, COUNT(*) AS count FROM idempotent_answers WHERE expiration_ms > ?
     GROUP BY request_key_id`,
    [nowMs],
  );
  return new Map(rows.map((row) => [row.key_id, row.count]));
}
