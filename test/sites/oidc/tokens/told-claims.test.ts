import { describe, expect, test } from "@jest/globals";
import { type OrganizationId, type ProjectId, toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import type { HumanUser } from "../../../../src/identity/people/user/user.ts";
import { readScopesOfApplication } from "../../../../src/sites/oidc/tokens/scopes.ts";
import {
  chooseClaims,
  type ChosenClaims,
  type ClaimPlace,
  toToldClaims,
} from "../../../../src/sites/oidc/tokens/told-claims.ts";

const places: readonly ClaimPlace[] = ["id-token", "access-token", "userinfo", "introspection"];
const iam = "urn:zitadel:iam";
const none = {
  projectRoleAssertion: false,
  accessTokenRoleAssertion: false,
  idTokenRoleAssertion: false,
  idTokenUserinfoAssertion: false,
  groupsClaim: "ROLE_KEYS" as const,
};
const rights = { grantTypes: ["AUTHORIZATION_CODE"], apiAccess: false };

/** Lists the places at which a claim is told. */
function placesOf(
  claim: Exclude<keyof ChosenClaims, "single">,
  scope: string,
  settings: Partial<typeof none> = {},
) {
  const scopes = readScopesOfApplication(`openid ${scope}`, rights);
  const how = { settings: { ...none, ...settings }, claims: undefined };
  return places.filter((place) => chooseClaims(place, scopes, how)[claim]);
}

describe("where claims are told (rule 36)", () => {
  const asked = ["userinfo", "introspection"];

  test.each(["profile", "email", "phone"] as const)(
    "%s: by its scope, in the ID token if it is to",
    (claim) => {
      expect(placesOf(claim, "")).toEqual([]);
      expect(placesOf(claim, claim)).toEqual(asked);
      expect(placesOf(claim, claim, { idTokenUserinfoAssertion: true })).toEqual(["id-token", ...asked]);
      expect(placesOf(claim, "", { idTokenUserinfoAssertion: true })).toEqual([]);
    },
  );

  test.each<readonly [string, string, Partial<typeof none>]>([
    ["the project", "", { projectRoleAssertion: true }],
    ["a scope", `${iam}:org:project:role:reader`, {}],
  ])("roles that %s asks for: in tokens if the application says so", (_name, scope, settings) => {
    const told = (more: Partial<typeof none> = {}) => placesOf("ownRoles", scope, { ...settings, ...more });
    expect(told()).toEqual(asked);
    expect(told({ idTokenRoleAssertion: true })).toEqual(["id-token", ...asked]);
    expect(told({ accessTokenRoleAssertion: true })).toEqual(["access-token", ...asked]);
  });

  test("roles that nobody asks for: nowhere", () => {
    expect(placesOf("ownRoles", "", { idTokenRoleAssertion: true, accessTokenRoleAssertion: true })).toEqual(
      [],
    );
    expect(placesOf("ownRoles", `${iam}:org:projects:roles`)).toEqual([]);
  });

  test("groups: by scope, in tokens if the application says so", () => {
    expect(placesOf("groups", "", { projectRoleAssertion: true })).toEqual([]);
    expect(placesOf("groups", "groups")).toEqual(asked);
    expect(placesOf("groups", "groups", { idTokenRoleAssertion: true })).toEqual(["id-token", ...asked]);
    expect(placesOf("groups", "groups", { accessTokenRoleAssertion: true })).toEqual([
      "access-token",
      ...asked,
    ]);
  });

  test("roles in other projects, and the organization: everywhere, by scope", () => {
    expect(placesOf("otherRoles", "")).toEqual([]);
    expect(placesOf("otherRoles", `${iam}:org:projects:roles`)).toEqual(places);
    expect(placesOf("resourceOwner", "")).toEqual([]);
    expect(placesOf("resourceOwner", `${iam}:user:resourceowner`)).toEqual(places);
  });
});

describe("the form of claims (rule 37)", () => {
  const user: HumanUser = {
    kind: "human",
    importedId: "",
    id: toId<UserId>("1"),
    details: { sequence: 5_000_001, creationDate: 1, resourceOwner: "7" },
    state: "ACTIVE",
    username: "ada",
    givenName: "Ada",
    familyName: "Lovelace",
    displayName: "Ada L.",
    preferredLanguage: "",
    email: "ada@a.example",
    isEmailVerified: false,
    phone: "",
    isPhoneVerified: false,
    hasPassword: false,
    isPasswordChangeRequired: false,
    passwordChangeDate: undefined,
    invitation: undefined,
  };
  const all: ChosenClaims = {
    profile: true,
    email: true,
    phone: true,
    ownRoles: true,
    groups: "ROLE_KEYS",
    otherRoles: true,
    resourceOwner: true,
    single: new Set(),
  };
  const nothing: ChosenClaims = {
    profile: false,
    email: false,
    phone: false,
    ownRoles: false,
    groups: false,
    otherRoles: false,
    resourceOwner: false,
    single: new Set(),
  };
  const grant = (projectId: string, organizationId: string, roleKeys: readonly string[]) => ({
    projectId: toId<ProjectId>(projectId),
    organizationId: toId<OrganizationId>(organizationId),
    organizationName: `org ${organizationId}`,
    roleKeys,
    endDate: undefined,
  });
  const told = {
    chosen: all,
    user,
    projectId: "10",
    roles: [grant("10", "7", ["b", "__proto__"]), grant("10", "8", ["b", "a"]), grant("11", "7", ["x"])],
    groups: [
      { id: "31", name: "Sales" },
      { id: "30", name: "Support" },
    ],
    roleKeys: [],
    resourceOwner: { id: "7", name: "org 7" },
  };

  test("makes a name of the others for who has none that is shown", () => {
    const nameless = { ...told, user: { ...user, displayName: "" } };
    expect(toToldClaims(nameless)).toMatchObject({ name: "Ada Lovelace" });
  });

  test("tells what there is, and leaves out what has no value", () => {
    const claims = toToldClaims(told);
    expect(claims).toMatchObject({
      name: "Ada L.",
      given_name: "Ada",
      family_name: "Lovelace",
      preferred_username: "ada",
      updated_at: 5,
      email: "ada@a.example",
      email_verified: false,
      groups: ["__proto__", "a", "b"],
      [`${iam}:user:resourceowner:id`]: "7",
      [`${iam}:user:resourceowner:name`]: "org 7",
      [`${iam}:org:project:11:roles`]: { x: { 7: "org 7" } },
    });
    for (const name of ["locale", "phone_number", "phone_number_verified"])
      expect(claims).not.toHaveProperty([name]);
    const roles = JSON.stringify(claims[`${iam}:org:project:roles`]);
    expect(roles).toBe('{"b":{"7":"org 7","8":"org 8"},"__proto__":{"7":"org 7"},"a":{"8":"org 8"}}');
    expect(JSON.stringify(claims[`${iam}:org:project:10:roles`])).toBe(roles);
  });

  test("tells groups by their names or ids, where the application wants them in place of the keys of roles", () => {
    const groupsOf = (groups: ChosenClaims["groups"]) =>
      toToldClaims({ ...told, chosen: { ...nothing, groups } })["groups"];
    expect(groupsOf("GROUP_NAMES")).toEqual(["Sales", "Support"]);
    expect(groupsOf("GROUP_IDS")).toEqual(["30", "31"]);
    expect(groupsOf("ROLE_KEYS")).toEqual(["__proto__", "a", "b"]);
    expect(groupsOf(false)).toBeUndefined();
  });

  test("names a user without a display name by the others", () => {
    const nameOf = (names: object) =>
      toToldClaims({ ...told, user: { ...user, displayName: "", ...names } })["name"];
    expect(nameOf({})).toBe("Ada Lovelace");
    expect(nameOf({ givenName: "", familyName: "" })).toBeUndefined();
  });

  test("limits roles to the keys that were asked for, and leaves out a claim without any", () => {
    const claims = toToldClaims({ ...told, roleKeys: ["a"] });
    expect(claims[`${iam}:org:project:roles`]).toEqual({ a: { 8: "org 8" } });
    expect(claims).not.toHaveProperty([`${iam}:org:project:11:roles`]);
  });

  test("tells nothing that is not chosen", () => {
    expect(toToldClaims({ ...told, chosen: nothing })).toEqual({});
  });

  test("tells single claims without the others of their scope", () => {
    const single = new Set([
      "given_name",
      "locale",
      "email_verified",
      "phone_number",
      `${iam}:user:resourceowner:id`,
    ]);
    expect(toToldClaims({ ...told, chosen: { ...nothing, single } })).toEqual({
      given_name: "Ada",
      email_verified: false,
      [`${iam}:user:resourceowner:id`]: "7",
    });
  });
});
