import { extname } from "node:path";
import { ImportError, type Source } from "../records.ts";
import { readCsv } from "./csv.ts";
import { readStructure, readUsers } from "./jsonl.ts";

/** Opens files of users in the documented forms. */
export function openGeneric(files: readonly string[], name: string): Source {
  for (const file of files) {
    if (!isCsv(file) && extname(file) !== ".jsonl" && extname(file) !== ".ndjson")
      throw new ImportError(`${file}: the name of a file must end with .csv or .jsonl`);
  }
  return {
    name,
    async *structure() {
      for (const file of files) if (!isCsv(file)) yield* readStructure(file);
    },
    async *users() {
      for (const file of files) yield* isCsv(file) ? readCsv(file) : readUsers(file);
    },
  };
}

function isCsv(file: string): boolean {
  return extname(file) === ".csv";
}
