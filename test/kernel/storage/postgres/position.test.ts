import { beforeEach, expect, test } from "@jest/globals";
import type { TableWatch } from "../../../../src/kernel/base/database.ts";
import {
  createTableWatches,
  type TableWatches,
} from "../../../../src/kernel/storage/engine/table-watches.ts";
import { createPosition, type Position } from "../../../../src/kernel/storage/postgres/position.ts";

let watches: TableWatches;
let watch: TableWatch;
let position: Position;
let heard: number;

beforeEach(() => {
  watches = createTableWatches();
  watch = watches.watch(["users"]);
  position = createPosition(watches);
  heard = 0;
  position.learn({ last_sequence: 10, access_version: 5 }, 1);
  position.onForeignEvents(() => (heard += 1));
});

/** Says whether the watch has moved. */
function hasMoved(work: () => void): boolean {
  const before = watch.committed();
  work();
  return watch.committed() !== before;
}

test("a newer version moves watches, an equal or older one does not", () => {
  expect(hasMoved(() => position.learn({ last_sequence: 10, access_version: 6 }, 1))).toBe(true);
  expect(hasMoved(() => position.learn({ last_sequence: 10, access_version: 6 }, 1))).toBe(false);
  expect(hasMoved(() => position.learn({ last_sequence: 10, access_version: 5 }, 1))).toBe(false);
});

test("what this process has committed itself moves nothing again", () => {
  position.onOwnCommit({ last_sequence: 11, access_version: 6 });
  expect(hasMoved(() => position.learn({ last_sequence: 11, access_version: 6 }, 1))).toBe(false);
  expect([position.lastSequence(), heard]).toEqual([11, 0]);
});

test("events of other processes are heard of once", () => {
  position.learn({ last_sequence: 12, access_version: 5 }, 1);
  position.learn({ last_sequence: 12, access_version: 5 }, 1);
  expect([position.lastSequence(), heard]).toEqual([12, 1]);
});

test("a new primary moves watches, also when its version is not newer, and from then on its version counts", () => {
  expect(hasMoved(() => position.learn({ last_sequence: 9, access_version: 4 }, 2))).toBe(true);
  expect(hasMoved(() => position.learn({ last_sequence: 9, access_version: 5 }, 2))).toBe(true);
  expect(hasMoved(() => position.learn({ last_sequence: 9, access_version: 9 }, 1))).toBe(false);
});
