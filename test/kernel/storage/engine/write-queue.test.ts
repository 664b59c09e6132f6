import { expect, test } from "@jest/globals";
import {
  type BatchEngine,
  createWriteQueue,
  type Upcoming,
} from "../../../../src/kernel/storage/engine/write-queue.ts";
import { createTestClock } from "../../../support/clock.ts";

const limits = { maxBatch: 8, maxBatchMs: 100 };

/**
 * Writes so many commands, each of which takes so long, and returns how many were to come at the turn of each. The one at `longAt` says
 * that it may take long.
 */
async function countUpcoming(count: number, eachMs: number, longAt?: number): Promise<readonly number[]> {
  const clock = createTestClock();
  const counts: number[] = [];
  let upcoming: Upcoming = () => [];
  const nothing = () => {};
  const engine: BatchEngine = {
    begin(_isWanted, given) {
      upcoming = given;
    },
    async run() {
      counts.push(upcoming(5).length);
      clock.turn(eachMs);
      return { kind: "value", value: undefined };
    },
    commit: nothing,
    undo: (error) => () => error,
    onDurable: nothing,
    afterBatch: nothing,
  };
  const queue = createWriteQueue({ engine, clock, limits });
  await Promise.all(
    Array.from({ length: count }, (_each, index) =>
      queue.write(async () => {}, { mayTakeLong: index === longAt }),
    ),
  );
  return counts;
}

test("what may take long is committed after those before it, which do not wait for it", async () => {
  const commits: string[][] = [[]];
  const nothing = () => {};
  const engine: BatchEngine = {
    begin: nothing,
    async run({ fn }) {
      return { kind: "value", value: await fn(undefined as never) };
    },
    commit: () => void commits.push([]),
    undo: (error) => () => error,
    onDurable: nothing,
    afterBatch: nothing,
  };
  const queue = createWriteQueue({ engine, clock: createTestClock(), limits });
  const write = (name: string, mayTakeLong = false) =>
    queue.write(async () => void commits.at(-1)?.push(name), { mayTakeLong });
  await Promise.all([write("a"), write("b"), write("long", true), write("c"), write("long, too", true)]);
  expect(commits.slice(0, -1)).toEqual([["a", "b"], ["long", "c"], ["long, too"]]);
});

test("no command is expected in the batch behind one that may take long", async () => {
  expect(await countUpcoming(4, 0, 2)).toEqual([1, 0, 1, 0]);
});

test("a batch can tell which commands come next, as far as they have room in it", async () => {
  expect(await countUpcoming(10, 0)).toEqual([5, 5, 5, 4, 3, 2, 1, 0, 1, 0]);
});

test("a batch expects only those for which there is time", async () => {
  expect(await countUpcoming(7, 20)).toEqual([5, 3, 2, 1, 0, 1, 0]);
});
