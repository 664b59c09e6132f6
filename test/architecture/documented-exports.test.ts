import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type CompiledProject, compileProject, toAbsolute } from "../support/compiled-project.ts";
import { readSourceFiles } from "./source-files.ts";

const files = readSourceFiles();
let project: CompiledProject;
beforeAll(() => {
  project = compileProject();
});
afterAll(() => project.close());

describe("the exports of the sources", () => {
  test("are known to the compiler", () => {
    expect(exportsOf("src/kernel/base/clock.ts").map(({ name }) => name)).toContain("systemClock");
    expect(files.flatMap(({ path }) => exportsOf(path)).length).toBeGreaterThan(1000);
  });

  test("each have a doc comment; a set of lines without a gap has one above the first", () => {
    const undocumented = files.flatMap(({ path, text }) =>
      exportsOf(path)
        .filter(({ name, comment }) => comment === "" && !isOfAnother(text, name))
        .filter(({ name }) => !sharesComment(text.split("\n"), name))
        .map(({ name }) => `${path} ${name}`),
    );
    expect(undocumented).toEqual([]);
  });
});

describe("a set of exports", () => {
  const lines = ["/** The ids. */", "export type A = 1;", "export type B = 2;", "", "export type C = 3;"];

  test("shares the comment above its first line", () => {
    expect(["A", "B"].map((name) => sharesComment(lines, name))).toEqual([true, true]);
  });

  test("ends at an empty line, and holds no declaration of several lines", () => {
    expect(sharesComment(lines, "C")).toBe(false);
    const long = ["/** One. */", "export interface A {", "}", "export type B = 2;"];
    expect(sharesComment(long, "B")).toBe(false);
  });
});

/** Lists what a file exports, with the text of the doc comment, which is empty without one. */
function exportsOf(path: string): readonly { readonly name: string; readonly comment: string }[] {
  const { checker, program } = project;
  const file = program.getSourceFile(toAbsolute(path));
  const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
  if (module === undefined) return []; // a file without exports, such as the entry of the process
  return checker.getExportsOfModule(module).map((symbol) => ({
    name: symbol.name,
    comment: checker.getDocumentationCommentOfSymbol(symbol).trim(),
  }));
}

/** Says whether another file declares the export, and documents it. */
function isOfAnother(text: string, name: string): boolean {
  return new RegExp(`^export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from `, "m").test(text);
}

/** Says whether the export stands in a set of lines, one export each, that begins under a doc comment. */
function sharesComment(lines: readonly string[], name: string): boolean {
  const isOneLine = (line: string | undefined) => /^export (?:type|const) .*;(?: \/\/.*)?$/.test(line ?? "");
  let at = lines.findIndex((line) => new RegExp(`^export (?:type|const) ${name}\\b`).test(line));
  while (at >= 0 && isOneLine(lines[at])) at -= 1;
  return at >= 0 && isOneLine(lines[at + 1]) && (lines[at]?.trimEnd().endsWith("*/") ?? false);
}
