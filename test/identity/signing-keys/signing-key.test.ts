import { describe, expect, test } from "@jest/globals";
import { type SigningKeyId, toId } from "../../../src/kernel/base/ids.ts";
import {
  planDueSteps,
  planFirstKeys,
  planRotation,
  type RotationStep,
  type SigningKey,
} from "../../../src/identity/signing-keys/signing-key.ts";

const day = 24 * 3_600_000;
const start = Date.UTC(2026, 10, 22);

/** A key with ES256 that was added, and last changed, at these times after the start. */
function key(id: string, state: SigningKey["state"], addedMs = 0, changedMs = addedMs): SigningKey {
  return {
    id: toId<SigningKeyId>(id),
    details: {
      sequence: (start + changedMs) * 1000,
      creationDate: (start + addedMs) * 1000,
      resourceOwner: "1",
    },
    algorithm: "ES256",
    state,
    publicKey: {},
    expirationMs: state === "RETIRED" ? start + changedMs + 13 * 3_600_000 : undefined,
  };
}

const toText = (step: RotationStep) =>
  step.kind === "add" ? `add ${step.state} ${step.algorithm}` : `${step.kind} ${step.key.id}`;
const dueAt = (ms: number, ...keys: readonly SigningKey[]) => planDueSteps(keys, start + ms).map(toText);

describe("the first keys", () => {
  test("sign at once, one for each algorithm", () => {
    expect(planFirstKeys([]).map(toText)).toEqual([
      "add ACTIVE RS256",
      "add ACTIVE ES256",
      "add ACTIVE EDDSA",
    ]);
    expect(planFirstKeys([key("a", "ACTIVE")]).map(toText)).toEqual(["add ACTIVE RS256", "add ACTIVE EDDSA"]);
    expect(planFirstKeys([key("a", "RETIRED")]).map(toText)).toContain("add ACTIVE ES256");
  });

  test("are not made by time", () => {
    expect(dueAt(1000 * day)).toEqual([]);
  });
});

describe("by time", () => {
  test("a key that signs gets a successor a day before its 90 days are over", () => {
    expect(dueAt(89 * day - 1, key("a", "ACTIVE"))).toEqual([]);
    expect(dueAt(89 * day, key("a", "ACTIVE"))).toEqual(["add NEXT ES256"]);
    expect(dueAt(89 * day, key("a", "ACTIVE"), key("b", "NEXT", 89 * day))).toEqual([]);
  });

  test("a key that was activated later signs for 90 days from then on", () => {
    expect(dueAt(90 * day - 1, key("a", "ACTIVE", 0, day))).toEqual([]);
    expect(dueAt(90 * day, key("a", "ACTIVE", 0, day))).toEqual(["add NEXT ES256"]);
  });

  test("a successor signs once it was published for a day, and the former key no more", () => {
    const keys = [key("a", "ACTIVE"), key("b", "NEXT", 89 * day)];
    expect(dueAt(90 * day - 1, ...keys)).toEqual([]);
    expect(dueAt(90 * day, ...keys)).toEqual(["retire a", "activate b"]);
  });

  test("a retired key goes when its time is over", () => {
    const keys = [key("a", "RETIRED", 0, day), key("b", "ACTIVE", day)];
    expect(dueAt(day + 13 * 3_600_000 - 1, ...keys)).toEqual([]);
    expect(dueAt(day + 13 * 3_600_000, ...keys)).toEqual(["remove a"]);
  });
});

describe("on demand", () => {
  const rotate = (revokeOld: boolean, ...keys: readonly SigningKey[]) =>
    planRotation(keys, { revokeOld }).map(toText);

  test("each algorithm gets a successor, but not two", () => {
    expect(rotate(false, key("a", "ACTIVE"))).toEqual([
      "add ACTIVE RS256",
      "add NEXT ES256",
      "add ACTIVE EDDSA",
    ]);
    expect(rotate(false, key("a", "ACTIVE"), key("b", "NEXT"))).not.toContain("add NEXT ES256");
  });

  test("every present key goes at once with revoke_old, successors too, and new ones sign", () => {
    expect(rotate(true, key("a", "ACTIVE"), key("b", "NEXT"), key("c", "RETIRED"))).toEqual([
      "remove a",
      "remove b",
      "remove c",
      "add ACTIVE RS256",
      "add ACTIVE ES256",
      "add ACTIVE EDDSA",
    ]);
  });
});
