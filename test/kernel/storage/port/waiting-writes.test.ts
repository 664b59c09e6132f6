import { expect, test } from "@jest/globals";
import { insertName, usePort } from "./open-place.ts";

const maxWaitingWrites = 100;
const port = usePort({ maxWaitingWrites });

const { signal } = new AbortController();
const write = (name: string, options: object = { signal }) =>
  port.database.write((tx) => tx.run(insertName, [name]), options);
test("changes of calls beyond those that may wait are refused, and nothing of them is there", async () => {
  const names = Array.from({ length: 3 * maxWaitingWrites }, (_each, index) => `n${index}`);
  const outcomes = await Promise.allSettled(names.map((name) => write(name)));
  const refusal = { kind: "exhausted", reason: "TOO_MANY_CALLS", retryAfterMs: 1000 };
  for (const [index, outcome] of outcomes.entries()) {
    const expected =
      index < maxWaitingWrites ? { status: "fulfilled" } : { status: "rejected", reason: refusal };
    expect(outcome).toMatchObject(expected);
  }
  expect(await port.names()).toEqual(names.slice(0, maxWaitingWrites).toSorted());
  await write("afterwards");
  expect(await port.names()).toContain("afterwards");
});

test("changes whose callers have gone count until their turn comes", async () => {
  const gone = Array.from({ length: maxWaitingWrites }, (_each, index) =>
    write(`gone${index}`, { signal, deadlineMs: port.clock.nowMs() }),
  );
  await expect(write("one more")).rejects.toMatchObject({ reason: "TOO_MANY_CALLS" });
  for (const each of await Promise.allSettled(gone)) expect(each.status).toBe("rejected");
  expect(await port.names()).toEqual([]);
});

test("changes that the service makes by itself wait, however many there are", async () => {
  const own = Array.from({ length: 3 * maxWaitingWrites }, (_each, index) => write(`n${index}`, {}));
  await Promise.all(own);
  expect(await port.names()).toHaveLength(3 * maxWaitingWrites);
});

test("those that wait are counted", async () => {
  expect(port.database.waitingWrites()).toBe(0);
  const writes = Array.from({ length: 7 }, (_each, index) => write(`n${index}`));
  expect(port.database.waitingWrites()).toBe(7);
  await Promise.all(writes);
  expect(port.database.waitingWrites()).toBe(0);
});
