import { afterEach, describe, expect, test } from "@jest/globals";
import { createReadFence } from "../../../../src/kernel/storage/postgres/connect/read-fence.ts";
import { createTestClock } from "../../../support/clock.ts";

/** A commit that the test answers. */
interface Commit {
  succeed(): void;
  fail(): void;
}

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

function openFence() {
  const clock = createTestClock();
  let monotonicMs = 0;
  const commits: Commit[] = [];
  let taken = 0;
  let wake = () => {};
  const fence = createReadFence({
    clock,
    monotonicMs: () => monotonicMs,
    everyMs: 1,
    commit: () =>
      new Promise((resolve, reject) => {
        commits.push({ succeed: resolve, fail: () => reject(new Error("the connection is lost")) });
        wake();
      }),
  });
  /** Waits for the next commit. */
  const next = async (): Promise<Commit> => {
    const index = taken++;
    for (;;) {
      const commit = commits[index];
      if (commit !== undefined) return commit;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  close = async () => {
    const closed = fence.close();
    for (const commit of commits) commit.succeed();
    await closed;
  };
  return {
    fence,
    read: () => fence.require("read"),
    clock,
    next,
    count: () => commits.length,
    turn: (byMs: number) => void (monotonicMs += byMs),
  };
}

describe("the read fence", () => {
  test("lets nobody read until a commit was answered", async () => {
    const { read, next } = openFence();
    expect(read).toThrow("the storage cannot be read at the moment");
    (await next()).succeed();
    await next();
    expect(read).not.toThrow();
  });

  test("says of a write that nothing was changed, and refuses it like a read", async () => {
    const { fence, next } = openFence();
    expect(() => fence.require("write")).toThrow(
      "the storage accepts no changes at the moment; nothing was changed",
    );
    (await next()).succeed();
    await next();
    expect(() => fence.require("write")).not.toThrow();
  });

  test("lets nobody read 5 s after the last answered commit began, until the next one is", async () => {
    const { read, next, turn } = openFence();
    (await next()).succeed();
    const late = await next();
    turn(5000);
    expect(read).not.toThrow();
    turn(1);
    expect(read).toThrow(expect.objectContaining({ kind: "unavailable", reason: "OVERLOADED" }));
    late.fail();
    (await next()).succeed();
    await next();
    expect(read).not.toThrow();
  });

  test("counts from the beginning of a commit, not from its answer", async () => {
    const { read, next, turn } = openFence();
    const slow = await next();
    turn(5001);
    slow.succeed();
    const quick = await next();
    expect(read).toThrow();
    quick.succeed();
    await next();
    expect(read).not.toThrow();
  });

  test("counts the time for which the machine was suspended, and that of a clock that is set back", async () => {
    const { read, next, clock, turn } = openFence();
    (await next()).succeed();
    await next();
    clock.turn(5001);
    expect(read).toThrow();
    clock.turn(-60_000);
    expect(read).not.toThrow();
    turn(5001);
    expect(read).toThrow();
  });

  test("commits nothing more once it is closed", async () => {
    const { fence, next, count } = openFence();
    const commit = await next();
    const closed = fence.close();
    commit.succeed();
    await closed;
    expect(count()).toBe(1);
  });
});
