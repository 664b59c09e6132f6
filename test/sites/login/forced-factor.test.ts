import { describe, expect, test } from "@jest/globals";
import { type LoginPolicy, defaultSettings } from "../../../src/identity/policies/login-policy.ts";
import type { SessionMethod } from "../../../src/identity/logins/sessions/session.ts";
import type { LoginState } from "../../../src/sites/login/login-state.ts";
import { isSecondFactorForced, listRegistrableKinds } from "../../../src/sites/login/steps/forced-factor.ts";

type Asked = Parameters<typeof isSecondFactorForced>[0];

/** Where a login stands whose user has proved that. */
function stateOf(given: {
  readonly policy?: Partial<LoginPolicy>;
  readonly ofUser?: Partial<LoginPolicy>;
  readonly methods?: readonly SessionMethod[];
  readonly wantsMfa?: boolean;
  readonly factorDomain?: string | undefined;
}): Asked {
  const { methods = ["PASSWORD"], wantsMfa = false, factorDomain } = given;
  return {
    policy: { ...defaultSettings, ...given.policy },
    user: { policy: { ...defaultSettings, ...given.ofUser } } as LoginState["user"], // no more is looked at
    interaction: { request: { wantsMfa } } as LoginState["interaction"], // no more is looked at
    methods,
    factorDomain,
  };
}

describe("two factors are forced", () => {
  const local = { forceMfaLocalOnly: true };
  test.each<[string, Parameters<typeof stateOf>[0], boolean]>([
    ["by nobody", {}, false],
    ["by the organization that logs in", { policy: { forceMfa: true } }, true],
    ["by the organization of the user", { ofUser: { forceMfa: true } }, true],
    ["after a provider, too", { ofUser: { forceMfa: true }, methods: ["IDP"] }, true],
    ["after a password, for local logins", { policy: local }, true],
    ["after a password, for local logins of the user's organization", { ofUser: local }, true],
    ["after a provider, not for local logins", { policy: local, ofUser: local, methods: ["IDP"] }, false],
    ["by the application, where there is a kind to register", { wantsMfa: true }, true],
    [
      "by the application, where keys alone are allowed and possible",
      { wantsMfa: true, ofUser: { secondFactors: ["U2F"] }, factorDomain: "login.example" },
      true,
    ],
    [
      "by the application, not where nothing can be registered",
      { wantsMfa: true, ofUser: { secondFactors: ["U2F"] } },
      false,
    ],
  ])("%s", (_name, given, expected) => {
    expect(isSecondFactorForced(stateOf(given))).toBe(expected);
  });
});

test("a key can be registered only where the pages have a relying party id, an app everywhere", () => {
  expect(listRegistrableKinds(stateOf({}))).toEqual(["TOTP"]);
  expect(listRegistrableKinds(stateOf({ factorDomain: "login.example" }))).toEqual(["U2F", "TOTP"]);
  expect(listRegistrableKinds(stateOf({ ofUser: { secondFactors: ["U2F"] } }))).toEqual([]);
});
