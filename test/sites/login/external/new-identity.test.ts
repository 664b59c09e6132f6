import { describe, expect, test } from "@jest/globals";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import type { IdentityProviderId } from "../../../../src/kernel/base/ids.ts";
import {
  decideNewIdentity,
  isCreatedAtOnce,
  type NewIdentityChoices,
} from "../../../../src/sites/login/external/new-identity.ts";
import { oidcConfig } from "../../../support/samples.ts";

type Found = Parameters<typeof decideNewIdentity>[0];

const { clientSecret: _secret, ...oidc } = oidcConfig("");
const config = { ...oidc, clientSecretId: "" };
const ada = toId<UserId>("1");
const claims = {
  preferredUsername: "ada",
  email: "ada@example.com",
  emailVerified: true,
  givenName: "Ada",
  familyName: "Lovelace",
};
const identity = { providerId: toId<IdentityProviderId>("7"), issuer: config.issuer, subject: "a", claims };
const unverified = { ...identity, claims: { ...claims, emailVerified: false } };

/** Decides about an identity with the email of a user, at a provider without auto_register. */
const decide = (found: Partial<Found> = {}): NewIdentityChoices =>
  decideNewIdentity({
    identity,
    provider: { autoRegister: false, config },
    policy: { linkByVerifiedEmail: "ASK" },
    match: ada,
    isLoginOffered: true,
    isUsernameTaken: false,
    subject: undefined,
    ...found,
  });
const registering: Partial<Found> = { provider: { autoRegister: true, config } };
const never: Partial<Found> = { policy: { linkByVerifiedEmail: "NEVER" } };

describe("the login to an account, to link the identity,", () => {
  test.each<[string, Partial<Found>, boolean]>([
    ["the user with the verified email", {}, true],
    ["the only user who may log in", { subject: ada }, true],
    ["nobody, as the policy says NEVER", never, false],
    ["nobody, as no user has the email", { match: undefined }, false],
    ["nobody, as the email is not verified", { identity: unverified }, false],
    ["nobody, as only somebody else may log in", { subject: "2" }, false],
    ["nobody, although the username is taken", { match: undefined, isUsernameTaken: true }, false],
  ])("may be of anybody, and comes first for %s", (_who, found, hasMatch) => {
    expect(decide(found)).toMatchObject({ mayLink: true, hasMatch });
    expect(decide({ ...found, ...registering })).toMatchObject({ mayLink: true, hasMatch });
  });

  test("is of nobody where nobody who could link it may log in here", () => {
    expect(decide({ isLoginOffered: false })).toMatchObject({ mayLink: false, hasMatch: false });
  });
});

describe("an account at once", () => {
  test.each<[boolean, string, Partial<Found>]>([
    [true, "with auto_register, where no user has the email", { match: undefined }],
    [true, "with auto_register, where the policy says NEVER", never],
    [true, "with auto_register, where nobody may log in here", { isLoginOffered: false }],
    [false, "without auto_register", { match: undefined, provider: { autoRegister: false, config } }],
    [false, "before the user with the email was asked for", {}],
    [false, "where only a certain user may log in", { match: undefined, subject: "2" }],
    [false, "while the username is taken", { match: undefined, isUsernameTaken: true }],
  ])("is %s: made %s", (isMade, _when, found) => {
    expect(isCreatedAtOnce(decide({ ...registering, ...found }))).toBe(isMade);
  });
});
