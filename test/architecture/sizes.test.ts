import { posix } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { type Import, importsOf } from "./import-table.ts";
import { readSourceFiles } from "./source-files.ts";

const maxLines = 300;
const maxFiles = 25;

/** Files that are longer, each with the reason. */
const tables: Readonly<Record<string, string>> = {
  "src/config/options.ts": "the table of options",
  "src/kernel/events/payloads.ts": "the table of payloads",
  "src/sites/login/texts/de.ts": "the table of texts",
  "src/sites/login/texts/en.ts": "the table of texts",
};

const files = readSourceFiles();
const imports = files.flatMap(({ path, text }) => importsOf(path, text)).filter((each) => each.isRelative);

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

  test("have no two folders beside each other that import each other", () => {
    expect(twoWayFoldersOf(imports)).toEqual([]);
  });
});

describe("two folders that import each other", () => {
  const between = (file: string, target: string): Import => ({
    file,
    target,
    specifier: target,
    isRelative: true,
    isTypeOnly: false,
    isDynamic: false,
  });

  test("are found, however deep their files are", () => {
    const there = between("src/in/one/deep/commands.ts", "src/in/another/noun.ts");
    const back = between("src/in/another/commands.ts", "src/in/one/deeper/repository.ts");
    expect(twoWayFoldersOf([there, back])).toEqual(["src/in/another and src/in/one"]);
    expect(twoWayFoldersOf([there, there])).toEqual([]);
  });

  test("are not a folder and what lies in it", () => {
    const down = between("src/kernel/http/server.ts", "src/kernel/http/bodies/body.ts");
    const up = between("src/kernel/http/bodies/body.ts", "src/kernel/http/errors/refusals.ts");
    expect(twoWayFoldersOf([down, up])).toEqual([]);
  });
});

/** Finds the lines that declare what can change outside of a function: a variable, or a map or set that begins empty. */
function keptIn(text: string): readonly string[] {
  const empty = /^(?:export )?const \w+(?:: (?!Readonly)[^=]*)? = new \w+(?:<.*>)?\(\);/;
  return text.split("\n").filter((line) => /^(?:export )?(?:let|var) /.test(line) || empty.test(line));
}

/** Finds the folders in one folder that import each other, by whatever files in them. */
function twoWayFoldersOf(all: readonly Import[]): readonly string[] {
  const arrows = new Set(all.flatMap(({ file, target }) => arrowOf(file, target)));
  return [...arrows]
    .map((arrow) => arrow.split(" -> "))
    .filter(([from = "", to = ""]) => from < to && arrows.has(`${to} -> ${from}`))
    .map((pair) => pair.join(" and "));
}

/** The two folders at which the paths part; none when one of the files lies beside or above the folder of the other. */
function arrowOf(file: string, target: string): readonly string[] {
  const from = posix.dirname(file).split("/");
  const to = posix.dirname(target).split("/");
  const parting = from.findIndex((part, index) => part !== to[index]);
  if (parting < 0 || parting >= to.length) return [];
  const folders = [from, to].map((path) => path.slice(0, parting + 1).join("/"));
  return [folders.join(" -> ")];
}
