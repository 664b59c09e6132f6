import { expect, test } from "@jest/globals";
import { readSources } from "./sources.ts";

const declaration =
  /^export (?:abstract )?(?:async )?(?:class|const|enum|function\*?|interface|let|type) (?<name>\w+)/gm;

/** Names that mean the same in each of their files, each with a reason. None so far. */
const sharedNames: ReadonlyMap<string, string> = new Map();

/** Finds the exported names that stand in more than one file. */
function findRepeatedNames(sources: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const exported = [...sources].flatMap(([file, text]) =>
    [...text.matchAll(declaration)].map(({ groups }) => ({ name: groups?.["name"] ?? "", file })),
  );
  const byName = Map.groupBy(exported, ({ name }) => name);
  // A function with several signatures is declared several times in one file.
  const files = [...byName].map(([name, all]) => [name, [...new Set(all.map(({ file }) => file))]] as const);
  return new Map(files.filter(([, all]) => all.length > 1));
}

test("an exported name means one thing in all of src", () => {
  const repeated = findRepeatedNames(readSources());
  expect([...repeated].filter(([name]) => !sharedNames.has(name))).toEqual([]);
  expect([...sharedNames.keys()].filter((name) => !repeated.has(name))).toEqual([]);
});

test("a repeated name is found, whatever is exported", () => {
  const sources = new Map([
    [
      "a.ts",
      "export interface Page {}\nexport function read(): void;\nexport function read(one?: string): void {}",
    ],
    ["b.ts", "export type Page = string;\nexport async function* list() {}\nconst read = 1;"],
    ["c.ts", "export const list = 1;\n// export class Page {}"],
  ]);
  expect([...findRepeatedNames(sources)]).toEqual([
    ["Page", ["a.ts", "b.ts"]],
    ["list", ["b.ts", "c.ts"]],
  ]);
});
