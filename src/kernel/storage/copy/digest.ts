import { hash } from "node:crypto";
import type { RowStore, RowTable } from "./rows.ts";

/** What a table holds, in a form that can be compared across engines. */
export interface TableDigest {
  readonly rows: number;
  /** The sum of the SHA-256 hashes of the lines, 128 bits of each, in hexadecimal digits: the order of the rows does not matter. */
  readonly digest: string;
}

const words = 4;

/** Reads all rows of the table. */
export async function digestTable(store: Pick<RowStore, "readAll">, table: RowTable): Promise<TableDigest> {
  const sums = new Uint32Array(words);
  let rows = 0;
  for await (const lines of store.readAll(table)) {
    rows += lines.length;
    for (const line of lines) {
      const bytes = hash("sha256", line, "buffer");
      for (let word = 0; word < words; word++) sums[word] = (sums[word] ?? 0) + bytes.readUInt32LE(word * 4);
    }
  }
  return { rows, digest: [...sums].map((sum) => sum.toString(16).padStart(8, "0")).join("") };
}

/** Returns one digest of the lines that describe all tables. */
export function digestOf(lines: readonly string[]): string {
  return hash("sha256", lines.join("\n")).slice(0, 32);
}
