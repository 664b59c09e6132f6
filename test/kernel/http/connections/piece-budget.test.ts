import { describe, expect, test } from "@jest/globals";
import { Readable } from "node:stream";
import { createPieceBudget } from "../../../../src/kernel/http/connections/piece-budget.ts";
import { largeTest } from "../../../support/large.ts";

/** A connection whose bodies nobody reads, and whose time passes when a test says so. */
function connect() {
  let nowMs = 0;
  let spent = 0;
  const budget = createPieceBudget(
    () => spent++,
    () => nowMs,
  );
  const body = () => {
    const made = new Readable({ read: () => {} });
    budget.count(made);
    return made;
  };
  return { body, pass: (ms: number) => (nowMs += ms), spent: () => spent };
}

/** Sends so many pieces of that length. */
function send(body: Readable, count: number, bytes = 1): void {
  const piece = Buffer.alloc(bytes);
  for (let index = 0; index < count; index++) body.push(piece);
}

describe("the pieces of a connection", () => {
  test("may be 1,000 of a byte in one body", () => {
    const { body, spent } = connect();
    const only = body();
    send(only, 1000);
    expect([spent(), only.readableLength]).toEqual([0, 1000]);
  });

  largeTest("may hold a byte each when they come slowly, for a day", () => {
    const { body, pass, spent } = connect();
    const only = body();
    for (let second = 0; second < 86_400; second++) {
      send(only, 16);
      pass(1000);
    }
    expect(spent()).toBe(0);
  });

  test("may be as many as they like when there is something in them", () => {
    const { body, spent } = connect();
    send(body(), 100_000, 64);
    expect(spent()).toBe(0);
  });

  test("may be a few short ones in each of many bodies", () => {
    const { body, spent } = connect();
    for (let index = 0; index < 10_000; index++) send(body(), 4);
    expect(spent()).toBe(0);
  });

  test("are too many when they hold next to nothing, in however many bodies, read or unread", () => {
    const { body, pass, spent } = connect();
    const bodies = Array.from({ length: 100 }, body);
    for (let round = 0; round < 30; round++) {
      for (const each of bodies) send(each, 1);
      pass(10);
    }
    expect(spent()).toBe(1);
  });

  test("are thrown away once there were too many", () => {
    const { body, pass, spent } = connect();
    const first = body();
    send(first, 10_000);
    const held = first.readableLength;
    expect(held).toBeLessThan(3000);
    pass(60_000);
    const second = body();
    send(first, 1, 1000);
    send(second, 1, 1000);
    expect([spent(), first.readableLength, second.readableLength]).toEqual([1, held, 0]);
  });
});
