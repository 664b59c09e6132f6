import { expect, test } from "@jest/globals";
import { createFairQueue } from "../../../src/identity/events/fair-queue.ts";

/** Work that is done within its turn, however many steps it takes, as reads from a file are. */
const ofThisTurn = (log: string[], name: string) => async () => {
  log.push(`${name} begins`);
  for (let step = 0; step < 10; step++) await Promise.resolve();
  log.push(`${name} ends`);
  return name;
};

test("work that is done within its turn runs one after the other, in order", async () => {
  const queue = createFairQueue();
  const log: string[] = [];
  const names = ["a", "b", "c"];
  expect(await Promise.all(names.map((name) => queue.run(ofThisTurn(log, name))))).toEqual(names);
  expect(log).toEqual(names.flatMap((name) => [`${name} begins`, `${name} ends`]));
});

test("work that waits for another machine does not hold up the next, up to eight at once", async () => {
  const queue = createFairQueue();
  const answers: (() => void)[] = [];
  const results = Array.from({ length: 20 }, (_, index) =>
    queue.run(async () => {
      await new Promise<void>((resolve) => {
        answers.push(resolve);
      });
      return index;
    }),
  );
  const begun: number[] = [];
  while (begun.reduce((sum, count) => sum + count, 0) < 20) {
    for (let turn = 0; turn < 30; turn++) await new Promise(setImmediate);
    begun.push(answers.length);
    for (const answer of answers.splice(0)) answer();
  }
  expect(begun).toEqual([8, 8, 4]);
  expect(await Promise.all(results)).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("work that fails does so for its caller alone", async () => {
  const queue = createFairQueue();
  const failing = queue.run(() => Promise.reject(new Error("broken")));
  const [failed, done] = await Promise.allSettled([failing, queue.run(ofThisTurn([], "b"))]);
  expect([failed, done]).toMatchObject([{ status: "rejected" }, { status: "fulfilled", value: "b" }]);
  expect(await queue.run(ofThisTurn([], "c"))).toBe("c");
});
