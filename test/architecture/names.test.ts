import { expect, test } from "@jest/globals";
import { readFiles, readSourceFiles, type SourceFile } from "./source-files.ts";

const declaration =
  /^export (?:abstract )?(?:async )?(?:class|const|enum|function\*?|interface|let|type) (?<name>\w+)/gm;

/** Names that mean the same in each of their files, each with a reason. */
const sharedNames: ReadonlyMap<string, string> = new Map([
  ["watchEvents", "the rpc, as the service answers it and as the client calls it"],
]);

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

/** Finds the exported values whose names stand in no other file. */
function findNeedlessExports(files: readonly SourceFile[], others: readonly SourceFile[]): readonly string[] {
  const filesOfWord = new Map<string, number>();
  for (const { text } of [...files, ...others])
    for (const word of new Set(text.match(/\w+/g))) filesOfWord.set(word, (filesOfWord.get(word) ?? 0) + 1);
  const value = /^export (?:abstract )?(?:async )?(?:class|const|enum|function\*?|let) (?<name>\w+)/gm;
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(value)]
      .map(({ groups }) => groups?.["name"] ?? "")
      .filter((name) => filesOfWord.get(name) === 1)
      .map((name) => `${path}: ${name}`),
  );
}

test("a value is exported only if another file names it", () => {
  const others = [...readFiles("test", [".ts"]), ...readFiles(".tools", [".mjs", ".cjs"])];
  expect(findNeedlessExports(readSourceFiles(), others)).toEqual([]);
});

test("an export that no other file names is found", () => {
  const files = [
    { path: "a.ts", text: "export const used = 1;\nexport const left = used;\nexport interface Page {}" },
    { path: "b.ts", text: 'import { used } from "./a.ts";\nexport async function tested() {}' },
  ];
  expect(findNeedlessExports(files, [{ path: "c.test.ts", text: "tested();" }])).toEqual(["a.ts: left"]);
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
