import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import type { ApplicationId, AuthorizationId } from "../../../../src/kernel/base/ids.ts";
import { toId } from "../../../../src/kernel/base/ids.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  type DeviceAuthorization,
  formatUserCode,
  checkPoll,
  newUserCode,
  parseUserCode,
} from "../../../../src/identity/protocol-state/device-authorizations/device-authorization.ts";
import { anyCharacter } from "../../../support/any-character.ts";

const device: DeviceAuthorization = {
  hash: "",
  applicationId: toId<ApplicationId>("1"),
  scopes: [],
  resources: [],
  decision: { kind: "pending" },
  intervalSeconds: 5,
  lastPollMs: undefined,
  usedMs: undefined,
  expirationMs: 600_000,
};
const allowed = { kind: "allowed", authorizationId: toId<AuthorizationId>("2") } as const;

describe("user codes", () => {
  test("use all of twenty letters", () => {
    const drawn = Array.from({ length: 100 }, () => newUserCode(systemRandom));
    expect(new Set(drawn.join("")).size).toBe(20);
    for (const code of drawn) expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
  });

  test("are read however they are written", () => {
    const letters = fc.constantFrom("B", "C", "T", "X", "Z");
    const written = fc.tuple(letters, fc.constantFrom("", " ", "-", "–", "\u00a0", "\t"), fc.boolean());
    fc.assert(
      fc.property(fc.array(written, { minLength: 8, maxLength: 8 }), (parts) => {
        const typed = parts.map(
          ([letter, gap, isSmall]) => `${isSmall ? letter.toLowerCase() : letter}${gap}`,
        );
        expect(parseUserCode(typed.join(""))).toBe(parts.map(([letter]) => letter).join(""));
      }),
      { numRuns: 50 },
    );
  });

  test.each(["", "BCDF", "BCDFGHJKL", "BCDF-GHJA", "BCDF-GHJ1", "BCDF_GHJK", "ßBCDFGHJ"])(
    "are not %p",
    (text) => {
      expect(parseUserCode(text)).toBeUndefined();
    },
  );

  test("are never read from other texts", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 20 }), (text) => {
        const code = parseUserCode(text);
        expect(code === undefined || parseUserCode(formatUserCode(code)) === code).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a poll", () => {
  test.each([
    ["the first one", {}, 0, { kind: "pending" }],
    ["in time", { lastPollMs: 1000 }, 6000, { kind: "pending" }],
    ["two seconds too early", { lastPollMs: 1000 }, 4000, { kind: "pending" }],
    ["too early", { lastPollMs: 1000 }, 3999, { kind: "slow-down", intervalSeconds: 10 }],
    [
      "too early again and again",
      { lastPollMs: 1000, intervalSeconds: 60 },
      2000,
      { kind: "slow-down", intervalSeconds: 60 },
    ],
    ["after the clock was set back", { lastPollMs: 9000 }, 1000, { kind: "pending" }],
    ["denied", { decision: { kind: "denied" } }, 0, { kind: "denied" }],
    [
      "denied and too early",
      { decision: { kind: "denied" }, lastPollMs: 0 },
      1,
      { kind: "slow-down", intervalSeconds: 10 },
    ],
    ["allowed", { decision: allowed }, 0, allowed],
    ["allowed and too late", { decision: allowed }, 600_000, { kind: "expired" }],
    ["too late", {}, 600_000, { kind: "expired" }],
    [
      "used, whenever",
      { decision: allowed, usedMs: 0, lastPollMs: 0 },
      700_000,
      { ...allowed, kind: "used" },
    ],
  ] as const)("%s", (_name, changes, nowMs, expected) => {
    expect(checkPoll({ ...device, ...changes }, nowMs)).toEqual(expected);
  });
});
