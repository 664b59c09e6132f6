import { describe, expect, test } from "@jest/globals";
import {
  codeText,
  countSms,
  countWrongTry,
  type PhoneCode,
  requireTry,
} from "../../../../src/features/users/phones/phone.ts";
import { Problem } from "../../../../src/base/problem.ts";
import { reasonOf } from "../fixture.ts";

const now = Date.UTC(2026, 10, 21, 12);
const second = 1000;
const hour = 3_600_000;
const none = { toUser: [], toNumber: [] };
const pending = (more: Partial<PhoneCode> = {}): PhoneCode => ({
  mac: { keyId: "k1", value: new Uint8Array(32) },
  expirationMs: now + 60_000,
  tries: 0,
  ...more,
});

test("a code is good for one user and one number: what is hashed names all three", () => {
  const texts = [
    codeText("1", "+41791234567", "12345678"),
    codeText("2", "+41791234567", "12345678"),
    codeText("1", "+41791234568", "12345678"),
    codeText("1", "+41791234567", "12345679"),
  ];
  expect(new Set(texts).size).toBe(4);
});

describe("a try is refused before anything is compared", () => {
  const tries = (count: number, at: number) => Array.from({ length: count }, () => at);

  test.each([
    ["no code is pending", { pending: undefined, wrongTries: tries(20, now) }, "CODE_NOT_PENDING"],
    [
      "20 wrong tries in 24 hours",
      { pending: pending({ tries: 5, expirationMs: 0 }), wrongTries: tries(20, now - hour) },
      "RATE_LIMITED",
    ],
    [
      "5 wrong tries of the code",
      { pending: pending({ tries: 5, expirationMs: 0 }), wrongTries: [] },
      "CODE_EXHAUSTED",
    ],
    ["the 10 minutes are over", { pending: pending({ expirationMs: now }), wrongTries: [] }, "CODE_EXPIRED"],
    [
      "none of these",
      { pending: pending({ tries: 4, expirationMs: now + 1 }), wrongTries: tries(19, now) },
      "no problem",
    ],
    [
      "20 wrong tries, one of them 24 hours ago",
      { pending: pending(), wrongTries: [now - 24 * hour, ...tries(19, now)] },
      "no problem",
    ],
  ])("when %s", (_name, given, reason) => {
    expect(reasonOf(() => requireTry({ ...given, nowMs: now }))).toBe(reason);
  });

  test("and says when the oldest try that counts falls out of the 24 hours", () => {
    const wrongTries = [now - 5 * hour, ...Array.from({ length: 19 }, () => now)];
    expect(retryAfterOf(() => requireTry({ pending: pending(), wrongTries, nowMs: now }))).toBe(19 * hour);
  });

  test("and a clock that went back does not make the wait longer than 24 hours", () => {
    const wrongTries = Array.from({ length: 20 }, () => now + hour);
    expect(retryAfterOf(() => requireTry({ pending: pending(), wrongTries, nowMs: now }))).toBe(24 * hour);
  });
});

test("a wrong try counts on the code and on the user, and old ones are forgotten", () => {
  const counted = countWrongTry(pending({ tries: 2 }), [now - 25 * hour, now - hour], now);
  expect(counted).toEqual({ pending: pending({ tries: 3 }), wrongTries: [now - hour, now] });
});

describe("messages are limited", () => {
  test("the first is counted for the user and the number", () => {
    expect(countSms(none, now)).toEqual({ toUser: [now], toNumber: [now] });
  });

  test("to one in 30 seconds per user", () => {
    const history = { toUser: [now], toNumber: [now] };
    expect(retryAfterOf(() => countSms(history, now + 29 * second))).toBe(second);
    expect(countSms(history, now + 30 * second).toUser).toEqual([now, now + 30 * second]);
  });

  test("but another user may send to the number at once", () => {
    expect(countSms({ toUser: [], toNumber: [now] }, now + 1).toNumber).toEqual([now, now + 1]);
  });

  test.each(["toUser", "toNumber"] as const)("to 10 in 24 hours %s", (counter) => {
    const instants = Array.from({ length: 10 }, (_item, index) => now + index * hour);
    const at = now + 10 * hour;
    expect(retryAfterOf(() => countSms({ ...none, [counter]: instants }, at))).toBe(14 * hour);
    expect(countSms({ ...none, [counter]: instants }, now + 24 * hour)[counter]).toHaveLength(10);
    expect(countSms({ ...none, [counter]: instants.slice(1) }, at)[counter]).toHaveLength(10);
  });
});

function retryAfterOf(fn: () => unknown): number | undefined {
  try {
    fn();
  } catch (error) {
    if (error instanceof Problem && error.reason === "RATE_LIMITED") return error.retryAfterMs;
    throw error;
  }
  return undefined;
}
