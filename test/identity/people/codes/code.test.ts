import { describe, expect, test } from "@jest/globals";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  codeText,
  countWrongCode,
  newVerificationCode,
  requireCode,
  type VerificationCode,
} from "../../../../src/identity/people/codes/code.ts";
import { reasonOf, retryAfterOf } from "../../../support/problems.ts";

const now = Date.UTC(2026, 10, 21, 12);
const hour = 3_600_000;
const pending = (more: Partial<VerificationCode> = {}): VerificationCode => ({
  mac: { keyId: "k1", value: new Uint8Array(32) },
  expirationMs: now + 60_000,
  tries: 0,
  ...more,
});

test.each([
  ["phone", /^[0-9]{8}$/],
  ["email", /^[0-9]{8}$/],
  ["reset", /^[A-Z2-7]{20}$/],
] as const)("a code for %s has its form", (kind, form) => {
  expect(newVerificationCode(kind, systemRandom).reveal()).toMatch(form);
});

test("a code is good for one user and one address: what is hashed names all three", () => {
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
    expect(reasonOf(() => requireCode({ ...given, nowMs: now }))).toBe(reason);
  });

  test("and says when the oldest try that counts falls out of the 24 hours", () => {
    const wrongTries = [now - 5 * hour, ...Array.from({ length: 19 }, () => now)];
    expect(retryAfterOf(() => requireCode({ pending: pending(), wrongTries, nowMs: now }))).toBe(19 * hour);
  });

  test("and a clock that went back does not make the wait longer than 24 hours", () => {
    const wrongTries = Array.from({ length: 20 }, () => now + hour);
    expect(retryAfterOf(() => requireCode({ pending: pending(), wrongTries, nowMs: now }))).toBe(24 * hour);
  });
});

test("a wrong try counts on the code and on the user, and old ones are forgotten", () => {
  const counted = countWrongCode(pending({ tries: 2 }), [now - 25 * hour, now - hour], now);
  expect(counted).toEqual({ pending: pending({ tries: 3 }), wrongTries: [now - hour, now] });
});
