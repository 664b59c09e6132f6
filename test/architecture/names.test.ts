import { expect, test } from "@jest/globals";
import { readSourceFiles, type SourceFile } from "./source-files.ts";

const declaration =
  /^export (?:abstract )?(?:async )?(?:class|const|enum|function\*?|interface|let|type) (?<name>\w+)/gm;

/** Names that mean the same in each of their files, each with a reason. None so far. */
const sharedNames: ReadonlyMap<string, string> = new Map();

/** Finds the exported names that stand in more than one file. */
function findRepeatedNames(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const exported = files.flatMap(({ path, text }) =>
    [...text.matchAll(declaration)].map(({ groups }) => ({ name: groups?.["name"] ?? "", path })),
  );
  const byName = Map.groupBy(exported, ({ name }) => name);
  // A function with several signatures is declared several times in one file.
  const paths = [...byName].map(([name, all]) => [name, [...new Set(all.map(({ path }) => path))]] as const);
  return new Map(paths.filter(([, all]) => all.length > 1));
}

const ofConsole = ({ path }: SourceFile): boolean => path.startsWith("src/console/");

// The console is a program of its own: no other room imports it, and it imports none.
test("an exported name means one thing in all of src, and in all of the console", () => {
  const files = readSourceFiles();
  const repeated = findRepeatedNames(files.filter((file) => !ofConsole(file)));
  expect([...repeated].filter(([name]) => !sharedNames.has(name))).toEqual([]);
  expect([...sharedNames.keys()].filter((name) => !repeated.has(name))).toEqual([]);
  expect([...findRepeatedNames(files.filter(ofConsole))]).toEqual([]);
});

test("a repeated name is found, whatever is exported", () => {
  const read = "export function read(): void;\nexport function read(one?: string): void {}";
  const files = [
    { path: "a.ts", text: `export interface Page {}\n${read}` },
    { path: "b.ts", text: "export type Page = string;\nexport async function* list() {}\nconst read = 1;" },
    { path: "c.ts", text: "export const list = 1;\n// export class Page {}" },
  ];
  expect([...findRepeatedNames(files)]).toEqual([
    ["Page", ["a.ts", "b.ts"]],
    ["list", ["b.ts", "c.ts"]],
  ]);
});
