import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { BreachedListError, openBreachedList } from "../../../src/kernel/storage/breached-passwords.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-breached-"));
afterAll(() => rmSync(folder, { recursive: true }));

const sumOf = (text: string) => createHash("sha1").update(text).digest("hex").toUpperCase();
const sums = Array.from({ length: 100 }, (_item, index) => sumOf(`password ${index}`)).toSorted();

function listOf(name: string, text: string) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return openBreachedList(file);
}

test.each([
  ["sums alone", sums.map((sum) => `${sum}\n`).join("")],
  ["no line break at the end", sums.join("\n")],
  ["how often each was seen", sums.map((sum, index) => `${sum}:${index ** 3}\r\n`).join("")],
  ["small letters", sums.map((sum) => `${sum.toLowerCase()}\n`).join("")],
])("a list with %s: every sum of it is found, and no other", async (name, text) => {
  const list = listOf(name.replaceAll(" ", "-"), text);
  const found: boolean[] = [];
  for (const sum of sums) found.push(await list.has(sum));
  expect(found.filter(Boolean)).toHaveLength(sums.length);
  const others = ["0".repeat(40), "F".repeat(40), ...sums.map((sum) => `${sum.slice(0, 39)}!`)];
  for (const other of others) expect(await list.has(other)).toBe(false);
  list.close();
});

test("a list of one line", async () => {
  const list = listOf("one", sumOf("one"));
  expect([await list.has(sumOf("one")), await list.has(sumOf("two"))]).toEqual([true, false]);
  list.close();
});

test.each([
  ["", "empty"],
  ["password\nqwerty\n", "words"],
  [`${"A".repeat(39)}\n`, "a sum too short"],
])("refuses a file that is no list: %p", (text, name) => {
  expect(() => listOf(name.replaceAll(" ", "-"), text)).toThrow(BreachedListError);
});
