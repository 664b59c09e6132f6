import { describe, expect, test } from "@jest/globals";
import { toId } from "../../../src/base/ids.ts";
import { addHumanUser, addServiceUser, checkLanguage } from "../../../src/features/users/user.ts";

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

describe("adding a user", () => {
  const profile = {
    username: "ada",
    givenName: "Ada",
    familyName: "Lovelace",
    displayName: "",
    preferredLanguage: "en",
    email: "ada@example.com",
    phone: "",
  };

  test("says nothing of a phone that is absent", () => {
    expect(addHumanUser(toId("1"), toId("2"), profile)).toEqual({
      type: "user.added",
      aggregateId: "1",
      resourceOwner: "2",
      payload: {
        kind: "human",
        username: "ada",
        given_name: "Ada",
        family_name: "Lovelace",
        display_name: "",
        preferred_language: "en",
        email: "ada@example.com",
      },
    });
  });

  test("holds the phone", () => {
    const { payload } = addHumanUser(toId("1"), toId("2"), { ...profile, phone: "+41791234567" });
    expect(payload).toHaveProperty("phone", "+41791234567");
  });

  test("of a service keeps name and description", () => {
    const event = addServiceUser(toId("1"), toId("2"), {
      username: "bot",
      name: "Bot",
      description: "Does things.",
    });
    expect(event.payload).toEqual({
      kind: "service",
      username: "bot",
      name: "Bot",
      description: "Does things.",
    });
  });
});
