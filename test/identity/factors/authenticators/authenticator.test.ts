import { describe, expect, test } from "@jest/globals";
import { toId } from "../../../../src/kernel/base/ids.ts";
import {
  type Authenticator,
  isCounterRegressed,
  requireOpen,
} from "../../../../src/identity/factors/authenticators/authenticator.ts";
import { reasonOf } from "../../../support/problems.ts";

const factor: Authenticator = {
  id: toId("5"),
  details: { sequence: 1, creationDate: 1, resourceOwner: "2" },
  userId: toId("1"),
  state: "NOT_READY",
  domain: "example.com",
  name: "",
};

describe("a registration", () => {
  const challenge = { value: "AAAA", expirationMs: 1000 };

  test.each([
    ["before it expires", factor, challenge, 999, "no problem"],
    ["when it expires", factor, challenge, 1000, "U2F_EXPIRED"],
    ["without a challenge", factor, undefined, 0, "U2F_EXPIRED"],
    ["after it was completed", { ...factor, state: "READY" as const }, undefined, 0, "U2F_ALREADY_VERIFIED"],
  ])("%s", (_name, given, pending, nowMs, reason) => {
    expect(reasonOf(() => requireOpen(given, pending, nowMs))).toBe(reason);
  });
});

test.each([
  [0, 0, false],
  [0, 1, false],
  [4, 5, false],
  [4, 4_294_967_295, false],
  [4, 4, true],
  [4, 3, true],
  [4, 0, true],
])("a counter after %i of %i is a regression: %s (WebAuthn §7.2 step 22)", (last, counter, expected) => {
  expect(isCounterRegressed(last, counter)).toBe(expected);
});
