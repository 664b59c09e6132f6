import { describe, expect, test } from "@jest/globals";
import { retryAfterOf } from "../../../support/problems.ts";
import { countMessage } from "../../../../src/identity/people/messages/message.ts";

const now = Date.UTC(2026, 10, 21, 12);
const second = 1000;
const hour = 3_600_000;
const none = { toUser: [], toAddress: [] };

describe("messages are limited", () => {
  test("the first is counted for the user and the address", () => {
    expect(countMessage(none, now)).toEqual({ toUser: [now], toAddress: [now] });
  });

  test("to one in 30 seconds per user", () => {
    const history = { toUser: [now], toAddress: [now] };
    expect(retryAfterOf(() => countMessage(history, now + 29 * second))).toBe(second);
    expect(countMessage(history, now + 30 * second).toUser).toEqual([now, now + 30 * second]);
  });

  test("but another user may send to the address at once", () => {
    expect(countMessage({ toUser: [], toAddress: [now] }, now + 1).toAddress).toEqual([now, now + 1]);
  });

  test.each(["toUser", "toAddress"] as const)("to 10 in 24 hours %s", (counter) => {
    const instants = Array.from({ length: 10 }, (_item, index) => now + index * hour);
    const at = now + 10 * hour;
    expect(retryAfterOf(() => countMessage({ ...none, [counter]: instants }, at))).toBe(14 * hour);
    expect(countMessage({ ...none, [counter]: instants }, now + 24 * hour)[counter]).toHaveLength(10);
    expect(countMessage({ ...none, [counter]: instants.slice(1) }, at)[counter]).toHaveLength(10);
  });
});
