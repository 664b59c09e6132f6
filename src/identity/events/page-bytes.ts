import type { ReadTransaction } from "../../kernel/base/database.ts";
import { listEventBytes } from "./repository.ts";

/** Takes the first of these events that fit into `maxBytes` together, and at least one: a single document can have 500 kB. */
export async function takeWithinBytes(
  tx: ReadTransaction,
  sequences: readonly number[],
  maxBytes: number,
): Promise<readonly number[]> {
  if (sequences.length <= 1) return sequences;
  const bytesOf = new Map((await listEventBytes(tx, sequences)).map((each) => [each.sequence, each.bytes]));
  let held = 0;
  const taken: number[] = [];
  for (const sequence of sequences) {
    held += bytesOf.get(sequence) ?? 0;
    if (taken.length > 0 && held > maxBytes) break;
    taken.push(sequence);
  }
  return taken;
}
