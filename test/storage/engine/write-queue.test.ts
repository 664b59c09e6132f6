import { expect, test } from "@jest/globals";
import {
  type BatchEngine,
  createWriteQueue,
  type Upcoming,
} from "../../../src/storage/engine/write-queue.ts";
import { createTestClock } from "../../support/clock.ts";

const limits = { maxBatch: 8, maxBatchMs: 100 };

/** Writes so many commands, each of which takes so long, and returns how many were to come at the turn of each. */
async function countUpcoming(count: number, eachMs: number): Promise<readonly number[]> {
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
  await Promise.all(Array.from({ length: count }, () => queue.write(async () => {})));
  return counts;
}

test("a batch can tell which commands come next, as far as they have room in it", async () => {
  expect(await countUpcoming(10, 0)).toEqual([5, 5, 5, 4, 3, 2, 1, 0, 1, 0]);
});

test("a batch expects only those for which there is time", async () => {
  expect(await countUpcoming(7, 20)).toEqual([5, 3, 2, 1, 0, 1, 0]);
});
