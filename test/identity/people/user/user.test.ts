import { describe, expect, test } from "@jest/globals";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { checkLanguage } from "../../../../src/identity/people/user/language-tag.ts";
import {
  changeUserState,
  endsAccess,
  type HumanUser,
  isCredentialChange,
  type ServiceUser,
  updateHumanUser,
  updateServiceUser,
  type UserAction,
  type UserState,
} from "../../../../src/identity/people/user/user.ts";
import { reasonOf } from "../../../support/problems.ts";
import { serviceProfile } from "../../../support/samples.ts";

const base = {
  id: toId<UserId>("1"),
  details: { sequence: 2, creationDate: 1, resourceOwner: "2" },
  state: "ACTIVE",
} as const;

const ada: HumanUser = {
  ...base,
  kind: "human",
  importedId: "",
  username: "ada",
  givenName: "Ada",
  familyName: "Lovelace",
  displayName: "Countess",
  preferredLanguage: "en",
  email: "ada@example.com",
  isEmailVerified: true,
  phone: "+41791234567",
  isPhoneVerified: true,
  hasPassword: false,
  isPasswordChangeRequired: false,
  passwordChangeDate: undefined,
  invitation: undefined,
};

const bot: ServiceUser = { ...base, kind: "service", ...serviceProfile({ description: "Works." }) };

describe("a language tag", () => {
  test.each(["", "de", "de-CH", "zh-Hant-TW", "en-US-u-ca-gregory"])("%j is taken", (tag) => {
    expect(checkLanguage("preferred_language", tag)).toEqual([]);
  });

  test.each(["d", "de_CH", "german language", "de-", "1"])("%j is refused", (tag) => {
    expect(checkLanguage("preferred_language", tag).map(({ field }) => field)).toEqual([
      "preferred_language",
    ]);
  });
});

describe("updating a human user", () => {
  test.each([
    ["username", "username"],
    ["givenName", "given_name"],
    ["familyName", "family_name"],
    ["displayName", "display_name"],
    ["preferredLanguage", "preferred_language"],
    ["email", "email"],
  ] as const)("with another %s replaces all fields but the phone", (field, key) => {
    expect(updateHumanUser(ada, { ...ada, [field]: "other" })).toEqual([
      {
        type: "user.changed",
        aggregateId: "1",
        resourceOwner: "2",
        payload: {
          username: "ada",
          given_name: "Ada",
          family_name: "Lovelace",
          display_name: "Countess",
          preferred_language: "en",
          email: "ada@example.com",
          [key]: "other",
        },
      },
    ]);
  });
});

describe("updating a service user", () => {
  test.each([
    ["username", "username", "other"],
    ["name", "name", "other"],
    ["description", "description", "other"],
    ["accessTokenType", "access_token_type", "JWT"],
    ["signingAlgorithm", "signing_algorithm", "EDDSA"],
  ])("with another %s replaces all fields", (field, key, value) => {
    const { username, name, description } = bot;
    const tokens = { access_token_type: "BEARER", signing_algorithm: "RS256" };
    expect(updateServiceUser(bot, { ...bot, [field]: value })).toEqual([
      {
        type: "user.changed",
        aggregateId: "1",
        resourceOwner: "2",
        payload: { username, name, description, ...tokens, [key]: value },
      },
    ]);
  });
});

describe("a change of credentials", () => {
  test.each([
    ["another username", { username: "Ada" }, true],
    ["another email", { email: "ADA@example.com" }, true],
    ["another name", { givenName: "Augusta" }, false],
  ])("is %s: %#", (_name, change, expected) => {
    expect(isCredentialChange(ada, { ...ada, ...change })).toBe(expected);
  });

  test("of a service user is another username, and nothing else", () => {
    expect(isCredentialChange(bot, { username: "bot2" })).toBe(true);
    expect(isCredentialChange(bot, { username: "bot" })).toBe(false);
  });
});

describe("the state of a user", () => {
  const conflict = "STATE_CONFLICT";
  test.each([
    ["ACTIVE", "deactivate", "user.deactivated"],
    ["ACTIVE", "reactivate", "nothing"],
    ["ACTIVE", "lock", "user.locked"],
    ["ACTIVE", "unlock", "nothing"],
    ["INACTIVE", "deactivate", "nothing"],
    ["INACTIVE", "reactivate", "user.reactivated"],
    ["INACTIVE", "lock", conflict],
    ["INACTIVE", "unlock", conflict],
    ["LOCKED", "deactivate", "user.deactivated"],
    ["LOCKED", "reactivate", conflict],
    ["LOCKED", "lock", "nothing"],
    ["LOCKED", "unlock", "user.unlocked"],
  ] as const satisfies readonly (readonly [UserState, UserAction, string])[])(
    "%s, to %s: %s",
    (state, action, expected) => {
      let outcome = "";
      const reason = reasonOf(() => {
        outcome = changeUserState({ ...ada, state }, action)[0]?.type ?? "nothing";
      });
      expect(reason === "no problem" ? outcome : reason).toBe(expected);
    },
  );

  test("after wrong passwords have locked the user: a lock is recorded, and nothing else changes", () => {
    const byTries = { isLockedByTries: true };
    const locked = { ...ada, state: "LOCKED" } as const;
    expect(changeUserState(locked, "lock", byTries)).toMatchObject([{ type: "user.locked", payload: {} }]);
    expect(changeUserState(locked, "unlock", byTries)).toMatchObject([{ type: "user.unlocked" }]);
    expect(reasonOf(() => changeUserState(locked, "reactivate", byTries))).toBe(conflict);
  });

  test.each([
    ["ACTIVE", "deactivate", true],
    ["ACTIVE", "lock", true],
    ["ACTIVE", "remove", true],
    ["ACTIVE", "unlock", false],
    ["ACTIVE", "reactivate", false],
    ["LOCKED", "deactivate", false],
    ["LOCKED", "remove", false],
    ["INACTIVE", "remove", false],
  ] as const)("%s, to %s ends their access: %s", (state, action, expected) => {
    expect(endsAccess({ ...ada, state }, action)).toBe(expected);
  });
});
