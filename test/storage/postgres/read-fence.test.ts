import { afterEach, describe, expect, test } from "@jest/globals";
import { createReadFence } from "../../../src/storage/postgres/connect/read-fence.ts";
import { createTestClock } from "../../support/clock.ts";

/** An empty section that the test answers. */
interface Section {
  commit(): void;
  fail(): void;
}

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

function openFence() {
  const clock = createTestClock();
  let monotonicMs = 0;
  const sections: Section[] = [];
  let taken = 0;
  let wake = () => {};
  const fence = createReadFence({
    clock,
    monotonicMs: () => monotonicMs,
    everyMs: 1,
    commitEmptySection: () =>
      new Promise((resolve, reject) => {
        sections.push({ commit: resolve, fail: () => reject(new Error("the connection is lost")) });
        wake();
      }),
  });
  /** Waits for the next section. */
  const next = async (): Promise<Section> => {
    const index = taken++;
    for (;;) {
      const section = sections[index];
      if (section !== undefined) return section;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  close = async () => {
    const closed = fence.close();
    for (const section of sections) section.commit();
    await closed;
  };
  return {
    fence,
    clock,
    next,
    count: () => sections.length,
    turn: (byMs: number) => void (monotonicMs += byMs),
  };
}

describe("the read fence", () => {
  test("lets nobody read until a section was committed", async () => {
    const { fence, next } = openFence();
    expect(fence.require).toThrow("the storage cannot be read at the moment");
    (await next()).commit();
    await next();
    expect(fence.require).not.toThrow();
  });

  test("lets nobody read 5 s after the last committed section began, until one is", async () => {
    const { fence, next, turn } = openFence();
    (await next()).commit();
    const late = await next();
    turn(5000);
    expect(fence.require).not.toThrow();
    turn(1);
    expect(fence.require).toThrow(expect.objectContaining({ kind: "unavailable", reason: "OVERLOADED" }));
    late.fail();
    (await next()).commit();
    await next();
    expect(fence.require).not.toThrow();
  });

  test("counts from the beginning of a section, not from its answer", async () => {
    const { fence, next, turn } = openFence();
    const slow = await next();
    turn(5001);
    slow.commit();
    const quick = await next();
    expect(fence.require).toThrow();
    quick.commit();
    await next();
    expect(fence.require).not.toThrow();
  });

  test("counts the time for which the machine was suspended, and that of a clock that is set back", async () => {
    const { fence, next, clock, turn } = openFence();
    (await next()).commit();
    await next();
    clock.turn(5001);
    expect(fence.require).toThrow();
    clock.turn(-60_000);
    expect(fence.require).not.toThrow();
    turn(5001);
    expect(fence.require).toThrow();
  });

  test("commits nothing more once it is closed", async () => {
    const { fence, next, count } = openFence();
    const section = await next();
    const closed = fence.close();
    section.commit();
    await closed;
    expect(count()).toBe(1);
  });
});
