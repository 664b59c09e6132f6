import { expect, test } from "@jest/globals";
import { listPages, readPage } from "../pages/support/page.ts";
import { readFiles, type SourceFile } from "./source-files.ts";

/** Habits that make a text hard to read, each with what to write instead. See "Language" in src/CONVENTIONS.md. */
const habits = [
  { pattern: /\b(?:he|his|him|himself)\b/i, instead: "the user, the caller, or they" },
  { pattern: /\b[eE]-mail/, instead: "email" },
  { pattern: /\bwhom?ever\b/i, instead: "a noun: the user who …, the caller, anybody with …" },
  { pattern: /\bReturns? what\b/, instead: "a noun: Returns a function that …, Returns the … of …" },
  {
    pattern: /(?:\/\*\*|[.:;]) whom?\b(?! is signed in)/i,
    instead: "a noun: the user that …, the caller of …",
  },
  { pattern: /\b(?:the one|those) whom?\b/i, instead: "a noun: users that …, the setter of …" },
  { pattern: /\bjudge(?:s|d|ments?)?\b|\bjudging\b/i, instead: "check" },
  { pattern: /\bworth nothing\b/i, instead: "invalid" },
  { pattern: /\banew\b/i, instead: "again" },
] as const;

/** Texts that name a habit in order to forbid it. */
const allowed = [
  "| he, his, him |",
  '| "Returns what cuts each text …" |',
  "| e-mail |",
  '| "whoever sends it again gets …"',
  '| "the call is judged", "is worth nothing", "anew"',
];

/** Texts in other languages than English. */
const foreign = /^src\/identity\/texts\/languages\/(?!en\.|words\.)/;

function readTexts(): readonly SourceFile[] {
  return [
    ...readFiles("src", [".ts", ".md"]).filter(({ path }) => !foreign.test(path)),
    ...["proto/gatehouse", "proto/google/rpc"].flatMap((folder) => readFiles(folder, [".proto"])),
    ...listPages().map((path) => ({ path, text: readPage(path) })),
  ];
}

/** Lists the places where a text has one of the habits. A comment is read as one text, whatever its line breaks. */
function findHabits(texts: readonly SourceFile[]): readonly string[] {
  return texts.flatMap(({ path, text }) => {
    const lines = text.split("\n").filter((line) => !allowed.some((each) => line.startsWith(each)));
    const prose = lines.join("\n").replaceAll(/\n[ \t]*(?:\*|\/\/)?[ \t]*/g, " ");
    return habits.flatMap(({ pattern, instead }) =>
      [...prose.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map(
        ({ index }) => `${path}: …${prose.slice(Math.max(0, index - 30), index + 30)}… Write ${instead}.`,
      ),
    );
  });
}

test("comments, messages and pages avoid habits that make them hard to read", () => {
  expect(findHabits(readTexts())).toEqual([]);
});

test("a habit is found in a message, and in a comment across a line break", () => {
  const comment = "/**\n * Creates a guard. Returns\n * what ends it.\n */";
  const texts = [
    { path: "a.ts", text: `${comment}\nconst text = "unlock him instead";` },
    { path: "b.proto", text: "// Returns the user whatever their state. The theory behind this." },
  ];
  expect(findHabits(texts).map((found) => found.slice(0, 4))).toEqual(["a.ts", "a.ts"]);
});
