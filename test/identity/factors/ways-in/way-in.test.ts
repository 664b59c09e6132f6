import { describe, expect, test } from "@jest/globals";
import { defaultSettings } from "../../../../src/identity/policies/login-policy.ts";
import {
  findStanding,
  isWorse,
  locksOut,
  openPolicy,
  type SignInFacts,
} from "../../../../src/identity/factors/ways-in/way-in.ts";

const nothing: SignInFacts = {
  policy: defaultSettings,
  hasPassword: false,
  names: ["USERNAME"],
  hasPasskey: false,
  hasProvider: false,
  factors: [],
  hasRelyingParty: true,
  needsOwnFactor: true,
};
const policy = (changes: Partial<typeof defaultSettings>) => ({ policy: { ...defaultSettings, ...changes } });
const standing = (facts: Partial<SignInFacts>) => findStanding({ ...nothing, ...facts });

describe("how somebody can sign in", () => {
  test("is by nothing without a password, a passkey or a provider", () => {
    expect(standing({})).toBe("none");
    expect(standing({ factors: ["TOTP", "U2F"] })).toBe("none");
  });

  test("is by a password only under a name that the policy lets them type", () => {
    const byEmail = { hasPassword: true, ...policy({ loginNames: ["EMAIL"] }) };
    expect(standing(byEmail)).toBe("none");
    expect(standing({ ...byEmail, names: ["USERNAME", "EMAIL"] })).toBe("own");
    expect(openPolicy({ ...defaultSettings, loginNames: ["PHONE"] }, true)).toEqual(defaultSettings);
  });

  test("is by a password while the policy allows it", () => {
    expect(standing({ hasPassword: true })).toBe("own");
    expect(standing({ hasPassword: true, ...policy({ allowPassword: false }) })).toBe("none");
  });

  test("is by a password under forced second factors with one of them, or if one can be registered", () => {
    for (const forced of [{ forceMfa: true }, { forceMfaLocalOnly: true }]) {
      const onlyKeys = policy({ ...forced, secondFactors: ["U2F"] });
      expect(standing({ hasPassword: true, ...onlyKeys })).toBe("own");
      expect(standing({ hasPassword: true, ...onlyKeys, hasRelyingParty: false })).toBe("none");
      expect(standing({ hasPassword: true, ...onlyKeys, hasRelyingParty: false, factors: ["TOTP"] })).toBe(
        "none",
      );
      expect(standing({ hasPassword: true, ...policy(forced), hasRelyingParty: false })).toBe("own");
      expect(standing({ hasPassword: true, ...onlyKeys, factors: ["U2F"] })).toBe("own");
    }
  });

  test("is by a passkey while the policy allows it, whatever it forces", () => {
    const forced = policy({ allowPassword: false, forceMfa: true, secondFactors: ["TOTP"] });
    expect(standing({ hasPasskey: true, ...forced })).toBe("own");
    expect(standing({ hasPasskey: true, ...policy({ allowPasskeys: false }) })).toBe("none");
  });

  test("is by a provider with an allowed factor besides, for those who need one", () => {
    expect(standing({ hasProvider: true })).toBe("none");
    expect(standing({ hasProvider: true, factors: ["TOTP"] })).toBe("provider");
    expect(standing({ hasProvider: true, factors: ["TOTP"], ...policy({ secondFactors: ["U2F"] }) })).toBe(
      "none",
    );
    expect(standing({ hasProvider: true, factors: ["TOTP"], ...policy({ allowExternalIdps: false }) })).toBe(
      "none",
    );
  });

  test("is by a provider alone for others, unless a second factor is forced that nobody can register", () => {
    const other = { hasProvider: true, needsOwnFactor: false };
    expect(standing(other)).toBe("provider");
    expect(standing({ ...other, ...policy({ forceMfa: true }) })).toBe("provider");
    const keys = policy({ forceMfa: true, secondFactors: ["U2F"] });
    expect(standing({ ...other, ...keys, hasRelyingParty: false })).toBe("none");
  });
});

test("less is worse: a provider than a way of one's own, nothing than either", () => {
  expect(isWorse("own", "provider")).toBe(true);
  expect(isWorse("provider", "none")).toBe(true);
  expect(isWorse("own", "none")).toBe(true);
  for (const [before, after] of [
    ["own", "own"],
    ["none", "none"],
    ["none", "own"],
    ["provider", "own"],
  ] as const)
    expect(isWorse(before, after)).toBe(false);
});

test("the problem counts people and names at most twenty, to those who may read who they are", () => {
  const people = Array.from({ length: 21 }, (_item, index) => ({
    userId: String(index),
    after: "none" as const,
  }));
  const told = locksOut(people, true);
  expect([told.reason, told.metadata["people"]]).toEqual(["LOCKS_OUT", "21"]);
  expect(told.metadata["user_ids"]?.split(",")).toHaveLength(20);
  expect(locksOut(people, false).metadata).toEqual({});
});

describe("the policy that an administrator with a password needs", () => {
  test("is the same one if it lets them in", () => {
    const settings = { ...defaultSettings, forceMfa: true };
    expect(openPolicy(settings, true)).toBe(settings);
    expect(openPolicy(settings, false)).toBe(settings);
  });

  test("allows passwords, and what anybody can register", () => {
    const closed = { ...defaultSettings, allowPassword: false, maxPasswordAttempts: 3 };
    expect(openPolicy(closed, true)).toEqual({ ...closed, allowPassword: true });
    const keys = { ...defaultSettings, forceMfa: true, secondFactors: ["U2F"] as const };
    expect(openPolicy(keys, true)).toBe(keys);
    expect(openPolicy(keys, false)).toEqual({ ...keys, secondFactors: ["U2F", "TOTP"] });
  });
});
