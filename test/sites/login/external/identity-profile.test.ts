import { describe, expect, test } from "@jest/globals";
import type { IdentityClaims } from "../../../../src/identity/people/identity-links/external-identity.ts";
import {
  nameIdentity,
  readClaimedProfile,
  toHumanProfile,
} from "../../../../src/sites/login/external/identity-profile.ts";
import { oidcConfig } from "../../../support/samples.ts";

type Mapping = "UNSPECIFIED" | "PREFERRED_USERNAME" | "EMAIL" | "JWT";

const provider = (username: Mapping, displayName: Mapping = username) => {
  if (username === "JWT") return { config: { kind: "jwt" } as never }; // nothing of it is looked at
  const { clientSecret: _secret, ...config } = oidcConfig("");
  return {
    config: {
      ...config,
      clientSecretId: "",
      usernameMapping: `OIDC_MAPPING_FIELD_${username}`,
      displayNameMapping: `OIDC_MAPPING_FIELD_${displayName}`,
    },
  };
};

const all: IdentityClaims = {
  preferredUsername: "grace",
  email: "grace@example.com",
  emailVerified: true,
  name: "Rear Admiral Hopper",
  givenName: "Grace",
  familyName: "Hopper",
  locale: "en-US",
};
const without = (...absent: readonly (keyof IdentityClaims)[]): IdentityClaims => ({
  ...all,
  ...Object.fromEntries(absent.map((claim) => [claim, undefined])),
});

describe("the username of a new account", () => {
  test.each<[Mapping, IdentityClaims, string]>([
    ["PREFERRED_USERNAME", all, "grace"],
    ["PREFERRED_USERNAME", without("preferredUsername"), ""],
    ["EMAIL", all, "grace@example.com"],
    ["EMAIL", without("email"), ""],
    ["UNSPECIFIED", all, "grace"],
    ["UNSPECIFIED", without("preferredUsername"), "grace@example.com"],
    ["UNSPECIFIED", without("preferredUsername", "email"), ""],
    ["JWT", all, "grace"],
    ["JWT", without("preferredUsername"), "grace@example.com"],
    ["PREFERRED_USERNAME", { ...all, preferredUsername: " " }, ""],
    ["PREFERRED_USERNAME", { ...all, preferredUsername: "a\nb" }, ""],
    ["PREFERRED_USERNAME", { ...all, preferredUsername: "a\u202eb" }, ""], // as an identity from before was noted
    ["EMAIL", { ...all, email: "a\u200b@example.com" }, ""],
    ["PREFERRED_USERNAME", { ...all, preferredUsername: "x".repeat(201) }, ""],
    ["UNSPECIFIED", { ...all, preferredUsername: "" }, "grace@example.com"],
  ])("by %s of %j is %j", (mapping, claims, username) => {
    expect(readClaimedProfile(claims, provider(mapping)).username).toBe(username);
  });
});

describe("the name that a new account shows", () => {
  const rest = ["preferredUsername", "email", "name"] as const;
  test.each<[Mapping, IdentityClaims, string]>([
    ["PREFERRED_USERNAME", all, "grace"],
    ["PREFERRED_USERNAME", without("preferredUsername"), "Rear Admiral Hopper"],
    ["EMAIL", all, "grace@example.com"],
    ["EMAIL", without("email", "name"), "Grace Hopper"],
    ["UNSPECIFIED", all, "Rear Admiral Hopper"],
    ["UNSPECIFIED", without("name"), "Grace Hopper"],
    ["UNSPECIFIED", without("name", "givenName"), "Hopper"],
    ["UNSPECIFIED", without("name", "givenName", "familyName"), "grace"],
    ["UNSPECIFIED", without("name", "givenName", "familyName", "preferredUsername"), "grace@example.com"],
    ["UNSPECIFIED", without("givenName", "familyName", ...rest), "typed"],
    ["JWT", all, "Rear Admiral Hopper"],
    ["EMAIL", { ...all, email: "x".repeat(201) }, "Rear Admiral Hopper"],
  ])("by %s of %j is %j", (mapping, claims, displayName) => {
    const of = provider(mapping);
    const profile = { ...readClaimedProfile(claims, of), username: "typed" };
    expect(toHumanProfile(profile, claims, of).displayName).toBe(displayName);
  });
});

test("what a provider does not say, or no account can have, is asked for", () => {
  const bad = { ...all, givenName: "\u0000", familyName: undefined, email: "no address" };
  expect(readClaimedProfile(bad, provider("PREFERRED_USERNAME"))).toEqual({
    username: "grace",
    givenName: "",
    familyName: "",
    email: "",
  });
});

test.each([
  ["de-CH", "de-CH"],
  ["de_CH", "de-CH"],
  ["not a language", ""],
  ["", ""],
  [undefined, ""],
])("the locale %j is the preferred language %j", (locale, language) => {
  const claims = { ...all, locale };
  const of = provider("UNSPECIFIED");
  expect(toHumanProfile(readClaimedProfile(claims, of), claims, of).preferredLanguage).toBe(language);
});

test("people call an identity by its username, else by its email", () => {
  expect(nameIdentity({ claims: all })).toBe("grace");
  expect(nameIdentity({ claims: without("preferredUsername") })).toBe("grace@example.com");
  expect(nameIdentity({ claims: without("preferredUsername", "email") })).toBe("");
});
