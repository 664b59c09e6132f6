import type { ReadTransaction } from "../base/database.ts";

/** Reads the sequence of the last event; tables hold all events up to it, because each is applied where it is recorded. */
export async function processedSequence(tx: ReadTransaction): Promise<number> {
  const row = await tx.get<{ last: number }>("SELECT COALESCE(MAX(sequence), 0) AS last FROM events");
  return row?.last ?? 0;
}
