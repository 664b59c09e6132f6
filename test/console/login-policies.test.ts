import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import {
  IdpLinking,
  LoginNameKind,
  type LoginPolicy,
  LoginPolicySchema,
} from "../../gen/gatehouse/v1/login_policy_pb.ts";
import { SecondFactorType } from "../../gen/gatehouse/v1/second_factor_pb.ts";
import { readDuration, toDurationText, toSeconds } from "../../src/console/pages/login-policies/duration.ts";
import {
  findPolicyFaults,
  toPolicyRequest,
  toPolicyValues,
} from "../../src/console/pages/login-policies/policy-values.ts";

const settings = {
  allowPassword: true,
  allowExternalIdps: false,
  allowPasskeys: true,
  allowRegistration: true,
  forceMfa: false,
  forceMfaLocalOnly: true,
  minPasswordLength: 12,
  maxPasswordAttempts: 0,
  sessionIdleSeconds: 43_200,
  sessionLifetimeSeconds: 301,
  secondFactors: [SecondFactorType.TOTP],
  linkByVerifiedEmail: IdpLinking.NEVER,
  notifySecurityChanges: true,
  loginNames: [LoginNameKind.EMAIL, LoginNameKind.PHONE],
};
const policy = (changes: Partial<typeof settings> = {}): LoginPolicy =>
  create(LoginPolicySchema, { ...settings, ...changes });

describe("a duration", () => {
  test.each([
    [864_000, "10 days"],
    [43_200, "12 hours"],
    [5400, "90 minutes"],
    [301, "301 seconds"],
  ])("of %d seconds is shown as %s, and stays as long", (seconds, shown) => {
    expect(toDurationText(seconds)).toBe(shown);
    expect(toSeconds(shown)).toBe(seconds);
  });

  test.each(["", "a", "1.5", "-1", "1e3", "10000000000"])("whose amount is %j is none", (amount) => {
    expect(toSeconds(`${amount} hours`)).toBeNaN();
    expect(readDuration(`${amount} hours`)).toEqual({ amount, unit: "hours" });
  });
});

describe("a login policy", () => {
  test("is sent as it was read", () => {
    expect(toPolicyRequest(toPolicyValues(policy()))).toEqual(settings);
  });

  test("that asks everybody for a second factor says nothing else of it", () => {
    const both = toPolicyValues(policy({ forceMfa: true }));
    expect(both.mfa).toBe("all");
    expect(toPolicyRequest(both)).toMatchObject({ forceMfa: true, forceMfaLocalOnly: false });
  });

  test("needs a way to sign in, something that counts as a factor, and numbers within the bounds", () => {
    const bounds = {
      minPasswordLength: { minimum: 8, maximum: 72 },
      maxPasswordAttempts: { maximum: 100 },
      sessionIdleSeconds: { minimum: 300, maximum: 31_536_000 },
      sessionLifetimeSeconds: { minimum: 300, maximum: 31_536_000 },
    };
    const values = toPolicyValues(policy());
    expect(findPolicyFaults(values, bounds)).toEqual({});
    const wrong = {
      ...values,
      ways: [],
      loginNames: [],
      secondFactors: [],
      minPasswordLength: "7",
      maxPasswordAttempts: "",
      sessionIdleSeconds: "4 minutes",
      sessionLifetimeSeconds: "366 days",
    };
    expect(findPolicyFaults(wrong, bounds)).toEqual({
      ways: "nothing",
      loginNames: "nothing",
      secondFactors: "nothing",
      minPasswordLength: { least: 8, most: 72 },
      maxPasswordAttempts: { least: 0, most: 100 },
      sessionIdleSeconds: { least: 300, most: 31_536_000 },
      sessionLifetimeSeconds: { least: 300, most: 31_536_000 },
    });
  });
});
