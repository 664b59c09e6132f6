import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readSources } from "./sources.ts";

/** Habits that make a text hard to read, each with what to write instead. See "Language" in src/CONVENTIONS.md. */
const habits = [
  { pattern: /\b(?:he|his|him|himself)\b/i, instead: "the user, the caller, or they" },
  { pattern: /\bReturns? what\b/, instead: "a noun: Returns a function that …, Returns the … of …" },
] as const;

/** Texts that name a habit in order to forbid it. */
const allowed = ["| he, his, him |", '| "Returns what cuts each text …" |'];

function readTexts(): ReadonlyMap<string, string> {
  const root = join(import.meta.dirname, "../..");
  const readme = readFileSync(join(root, "README.md"), "utf8");
  return new Map([
    ...readSources(["src"], [".ts", ".md"]),
    ...readSources(["proto/gatehouse", "proto/google/rpc"], [".proto"]),
    ["README.md", readme],
  ]);
}

/** Lists the places where a text has one of the habits. A comment is read as one text, whatever its line breaks. */
function findHabits(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts].flatMap(([file, text]) => {
    const lines = text.split("\n").filter((line) => !allowed.some((each) => line.startsWith(each)));
    const prose = lines.join("\n").replaceAll(/\n[ \t]*(?:\*|\/\/)?[ \t]*/g, " ");
    return habits.flatMap(({ pattern, instead }) =>
      [...prose.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(
        ({ index }) => `${file}: …${prose.slice(Math.max(0, index - 30), index + 30)}… Write ${instead}.`,
      ),
    );
  });
}

test("comments, messages and pages avoid habits that make them hard to read", () => {
  expect(findHabits(readTexts())).toEqual([]);
});

test("a habit is found in a message, and in a comment across a line break", () => {
  const texts = new Map([
    ["a.ts", '/**\n * Creates a guard. Returns\n * what ends it.\n */\nconst text = "unlock him instead";'],
    ["b.proto", "// Returns the user whatever their state. The theory behind this."],
  ]);
  expect(findHabits(texts).map((found) => found.slice(0, 4))).toEqual(["a.ts", "a.ts"]);
});
