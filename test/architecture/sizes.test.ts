import { posix } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { readSourceFiles } from "./source-files.ts";

const maxLines = 300;
const maxFiles = 25;

/** Files that are longer, each with the reason. */
const tables: Readonly<Record<string, string>> = {
  "src/config/options.ts": "the table of options",
  "src/console/ui/events/event-words.ts": "the words for each type of event",
  "src/identity/texts/languages/ar.ts": "the texts of a language",
  "src/identity/texts/languages/de.ts": "the texts of a language",
  "src/identity/texts/languages/en.ts": "the texts of a language",
  "src/identity/texts/languages/es.ts": "the texts of a language",
  "src/identity/texts/languages/fr.ts": "the texts of a language",
  "src/identity/texts/languages/it.ts": "the texts of a language",
  "src/identity/texts/languages/ja.ts": "the texts of a language",
  "src/identity/texts/languages/pt.ts": "the texts of a language",
  "src/kernel/events/older-payloads.ts": "the table of payloads that are not written any more",
  "src/kernel/events/payloads.ts": "the table of payloads",
};

const files = readSourceFiles();

describe("the sources", () => {
  test(`have at most ${maxLines} lines in a file, except tables of data`, () => {
    const long = files.filter(({ text }) => text.split("\n").length - 1 > maxLines).map(({ path }) => path);
    expect(long).toEqual(Object.keys(tables));
  });

  test(`have at most ${maxFiles} files in a folder`, () => {
    const folders = Map.groupBy(files, ({ path }) => posix.dirname(path));
    const large = [...folders].filter(([, held]) => held.length > maxFiles);
    expect(large.map(([folder]) => folder)).toEqual([]);
  });

  // The files of tests of a worker share the modules of src (.tools/runtime.cjs), as the calls of a process do.
  test("keep nothing in modules", () => {
    const kept = files.flatMap(({ path, text }) => keptIn(text).map((line) => `${path}: ${line}`));
    expect(kept).toEqual([]);
    expect(keptIn("let last = 0;\nexport const seen = new Map<string, Id>();")).toHaveLength(2);
    expect(keptIn("const words: ReadonlySet<string> = new Set(list);\n  let last = 0;")).toEqual([]);
  });
});

/** Finds the lines that declare what can change outside of a function: a variable, or a map or set that begins empty. */
function keptIn(text: string): readonly string[] {
  const empty = /^(?:export )?const \w+(?:: (?!Readonly)[^=]*)? = new \w+(?:<.*>)?\(\);/;
  return text.split("\n").filter((line) => /^(?:export )?(?:let|var) /.test(line) || empty.test(line));
}
