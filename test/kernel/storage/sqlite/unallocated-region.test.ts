import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wipeUnallocatedRegions } from "../../../../src/kernel/storage/sqlite/unallocated-region.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

const pageBytes = 512;

let folder: ReturnType<typeof makeTemporaryFolder>;
let file: string;
beforeEach(() => {
  folder = makeTemporaryFolder();
  file = join(folder.path, "pages");
});
afterEach(() => folder.remove());

/** Returns a page full of `x`, with the header of a b-tree page at its place (file format, §1.6). */
function pageOf(fields: { type: number; cells: number; content: number; header?: number }): Buffer {
  const { type, cells, content, header = 0 } = fields;
  const page = Buffer.alloc(pageBytes, "x");
  page.writeUInt8(type, header);
  page.writeUInt16BE(cells, header + 3);
  page.writeUInt16BE(content, header + 5);
  return page;
}

/** Clears the pages of a file and returns where its zeros are that were not there before: `[start, end)`. */
function clearedIn(pages: readonly Buffer[], numbers: readonly number[]): readonly (readonly number[])[] {
  const before = Buffer.concat(pages);
  writeFileSync(file, before);
  const descriptor = openSync(file, "r+");
  wipeUnallocatedRegions(descriptor, pageBytes, numbers);
  closeSync(descriptor);
  const after = readFileSync(file);
  expect(after).toHaveLength(before.length);
  const changed = [...after.keys()].filter((at) => after[at] !== before[at]);
  expect(changed.filter((at) => after[at] !== 0)).toEqual([]);
  const starts = changed.filter((at) => !changed.includes(at - 1));
  return starts.map((start) => [
    start,
    changed.filter((at) => at >= start).findLast((at, index) => at === start + index)! + 1, // there is at least `start`
  ]);
}

const other = Buffer.alloc(pageBytes, "x");

describe("the gap of a page", () => {
  test.each([
    ["an index leaf", 10, 8],
    ["a table leaf", 13, 8],
    ["an inner page of an index", 2, 12],
    ["an inner page of a table", 5, 12],
  ])("of %s lies between its pointers and its cells", (_name, type, header) => {
    const page = pageOf({ type, cells: 3, content: 300 });
    expect(clearedIn([other, page], [2])).toEqual([[pageBytes + header + 6, pageBytes + 300]]);
  });

  test("lies behind the header of the file on the first page", () => {
    const page = pageOf({ type: 13, cells: 1, content: 400, header: 100 });
    expect(clearedIn([page], [1])).toEqual([[110, 400]]);
  });

  test("is all but the header on a page without cells", () => {
    expect(clearedIn([other, pageOf({ type: 10, cells: 0, content: pageBytes })], [2])).toEqual([
      [pageBytes + 8, 2 * pageBytes],
    ]);
  });

  test("is nothing on a page that is full", () => {
    expect(clearedIn([other, pageOf({ type: 10, cells: 10, content: 28 })], [2])).toEqual([]);
  });
});

test("only the pages that are named are cleared", () => {
  const page = pageOf({ type: 10, cells: 0, content: 20 });
  expect(clearedIn([other, page, page, page], [3])).toEqual([[2 * pageBytes + 8, 2 * pageBytes + 20]]);
});

test.each([
  ["no b-tree page", pageOf({ type: 0, cells: 0, content: 100 })],
  ["of an unknown type", pageOf({ type: 3, cells: 0, content: 100 })],
  ["damaged: its cells begin among the pointers", pageOf({ type: 10, cells: 50, content: 60 })],
  ["damaged: its cells begin behind its end", pageOf({ type: 10, cells: 1, content: 600 })],
])("a page stays as it is that is %s", (_name, page) => {
  expect(clearedIn([other, page], [2])).toEqual([]);
});

test.each([0, 3, 2 ** 25, 2 ** 32 - 1])("a page %s that is not in the file is passed over", (number) => {
  expect(clearedIn([other, pageOf({ type: 10, cells: 0, content: 20 })], [number])).toEqual([]);
});
