import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A guard of the service, how to remove it, and the tests that must turn red then. */
export interface Guard {
  /** What is guarded, for the report. */
  readonly name: string;
  readonly file: string;
  /** Texts that are in the file exactly once, and what takes their places. */
  readonly changes: readonly (readonly [find: string, replacement: string])[];
  /** The file of tests. */
  readonly in: string;
  /** A pattern for the names of the tests; absent: all of the file. */
  readonly test?: string;
}

const group = /^@@ (\S+) @@ (\S+)\n((?:[^@].*\n)*)/gm;
const row = /^([^-+].*)\n(-.*\n(?:[-+].*\n)*)/gm;

/**
 * All guards: those of the tables in this folder, of which each is named after the folder of `src/` whose guards it holds.
 *
 *     @@ src/file.ts @@ test/file.test.ts
 *     what is guarded => a pattern for the names of the tests, if not all of the file are meant
 *     -text that is taken out, as it stands in the file
 *     +what takes its place, if anything does
 *
 * A `-` after a `+` is a second text of the same guard. The first line holds for all guards that follow.
 */
export const guards: readonly Guard[] = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith(".diff"))
  .flatMap((name) => readTable(readFileSync(join(import.meta.dirname, name), "utf8")));

/** Returns the guards of a table. Throws when a line belongs to none. */
function readTable(table: string): readonly Guard[] {
  const unread = table.replaceAll(group, (_, _file, _test, rows: string) => rows.replaceAll(row, ""));
  if (unread !== "") throw new Error(`these lines are no guards:\n${unread}`);
  return [...table.matchAll(group)].flatMap(([, file = "", test = "", rows = ""]) =>
    [...rows.matchAll(row)].map(([, head = "", lines = ""]) => {
      const [name = "", pattern] = head.split(" => ");
      return { name, file, changes: readChanges(lines), in: test, test: pattern };
    }),
  );
}

function readChanges(lines: string): Guard["changes"] {
  return [...lines.matchAll(/((?:-.*\n)+)((?:\+.*\n)*)/g)].map(([, find = "", replacement = ""]) => [
    textOf(find),
    textOf(replacement),
  ]);
}

/** Returns lines without the sign before each and the end of the last one. */
function textOf(lines: string): string {
  return lines.replaceAll(/^[-+]/gm, "").slice(0, -1);
}
