import { expect, test } from "@jest/globals";
import type { WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { insertName, usePort } from "./open-place.ts";

const port = usePort();
const reserve = (count: number) => port.database.write((tx) => reserveAndStore(tx, count));
const reserveAndStore = async (tx: WriteTransaction, count: number) => {
  const last = await tx.reserveSequences(count);
  await tx.run(insertName, [`${last}`]);
  return last;
};

test("sequences follow the clock, and go on when it stands still or goes back", async () => {
  const first = port.clock.nowMs() * 1000;
  expect(await reserve(1)).toBe(first);
  expect(await reserve(3)).toBe(first + 3);
  port.clock.turn(-5000);
  expect(await reserve(1)).toBe(first + 4);
  port.clock.turn(10_000);
  expect(await reserve(1)).toBe(port.clock.nowMs() * 1000);
});

test("the last sequence is known after the write", async () => {
  expect(port.database.lastSequence()).toBe(0);
  const last = await reserve(2);
  expect(port.database.lastSequence()).toBe(last);
});

test("commands of one batch get sequences one after the other", async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => reserve(2)));
  expect(new Set(all).size).toBe(20);
  expect(all).toEqual(all.toSorted((one, other) => one - other));
});

test("ids are never given twice, whether the clock moves or not", async () => {
  const ids: string[] = [];
  const give = () =>
    port.database.write(async (tx) => {
      for (let count = 0; count < 100; count++) ids.push(tx.nextId());
      await tx.run(insertName, [ids.at(-1) ?? ""]);
    });
  for (const turn of [0, 1, -3, 0, 1000]) {
    port.clock.turn(turn);
    await Promise.all([give(), give()]);
  }
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(BigInt(id)).toBeLessThan(2n ** 63n);
});
