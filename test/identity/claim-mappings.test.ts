import { describe, expect, test } from "@jest/globals";
import { checkMappings, type ClaimMapping } from "../../src/identity/claim-mappings/claim-mapping.ts";
import { toClaimValue } from "../../src/identity/claim-mappings/claim-value.ts";

const good: ClaimMapping = {
  name: "https://example.com/tier",
  source: "CONSTANT",
  key: "",
  profileField: undefined,
  constant: "x",
  type: "STRING",
  targets: ["ID_TOKEN"],
  scope: "",
};
const like = (mapping: Partial<ClaimMapping>): ClaimMapping => ({ ...good, ...mapping });
const faultsOf = (...mappings: readonly Partial<ClaimMapping>[]) =>
  checkMappings(mappings.map(like)).map(({ field }) => field);

describe("a mapping cannot have a reserved name, in whatever case:", () => {
  const names: readonly (readonly string[])[] = [
    ["iss", "sub", "aud", "exp", "nbf", "iat", "jti"], // RFC 7519 §4.1
    ["active", "scope", "client_id", "username", "token_type"], // RFC 7662 §2.2
    ["cnf"], // RFC 7800 §3.1
    ["act", "may_act"], // RFC 8693 §4
    ["auth_time", "acr", "amr", "roles", "groups", "entitlements"], // RFC 9068 §2.2
    ["nonce", "azp", "at_hash", "c_hash"], // OpenID Connect Core §2, §3
    [
      "name",
      "given_name",
      "family_name",
      "middle_name",
      "nickname",
      "preferred_username",
      "profile",
      "picture",
    ], // §5.1
    ["website", "email", "email_verified", "gender", "birthdate", "zoneinfo", "locale", "phone_number"], // §5.1
    ["phone_number_verified", "address", "updated_at"], // §5.1
    ["sid"],
    ["Email", "SurName", "FirstName", "FullName", "UserName", "UserID", "Roles"], // our own in assertions
    ["mail", "last_name", "sn", "first_name", "givenName", "displayName", "uid"], // what others call these
    ["2.5.4.4", "2.5.4.42", "0.9.2342.19200300.100.1.1", "1.3.6.1.4.1.5923.1.5.1.1"].map(
      (id) => `urn:oid:${id}`,
    ),
    ["emailaddress", "surname", "givenname", "name"].map(
      (name) => `http://schemas.xmlsoap.org/ws/2005/05/identity/claims/${name}`,
    ),
    ["urn:zitadel:iam:org:project:roles", "urn:zitadel:anything", "urn:gatehouse:acr:mfa"],
  ];
  test.each(names.flat())("%s", (name) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()])
      expect(faultsOf({ name: spelling })).toEqual(["mappings[0].name"]);
  });
});

test("a mapping is named once, by printable ASCII, and has what its source needs and nothing else", () => {
  expect(
    faultsOf({}, { name: "tier" }, { source: "ROLES", constant: "", type: "LIST", name: "rights" }),
  ).toEqual([]);
  expect(faultsOf({}, { name: good.name.toUpperCase() })).toEqual(["mappings[1].name"]);
  for (const name of ["a b", "naïve", "ſub", "tab\t"])
    expect(faultsOf({ name })).toEqual(["mappings[0].name"]);
  expect(faultsOf({ source: "USER_METADATA", constant: "" })).toEqual(["mappings[0].key"]);
  expect(faultsOf({ key: "a" })).toEqual(["mappings[0].key"]);
  expect(faultsOf({ source: "PROFILE_FIELD", constant: "" })).toEqual(["mappings[0].profile_field"]);
  expect(faultsOf({ constant: "" })).toEqual(["mappings[0].constant"]);
  expect(faultsOf({ type: "NUMBER" })).toEqual(["mappings[0].constant"]);
  expect(faultsOf({ source: "GROUPS", constant: "" })).toEqual(["mappings[0].type"]);
  for (const scope of ["a b", 'a"', "a\\b", "URN:Zitadel:iam", "é"])
    expect(faultsOf({ scope })).toEqual(["mappings[0].scope"]);
});

test.each([
  ["STRING", "", undefined],
  ["STRING", "7", "7"],
  ["NUMBER", "7.5e1", 75],
  ["NUMBER", "1e999", undefined],
  ["NUMBER", "seven", undefined],
  ["NUMBER", '"7"', undefined],
  ["BOOLEAN", "true", true],
  ["BOOLEAN", "True", undefined],
  ["JSON", '{"a":[1,null]}', { a: [1, null] }],
  ["JSON", "{", undefined],
  ["LIST", '["a,b","c"]', ["a,b", "c"]],
  ["LIST", "a, b,,c", ["a", "b", "c"]],
  ["LIST", "[1]", undefined],
] as const)("as %s the text %j is %j", (type, text, value) => {
  expect(toClaimValue(type, text)).toEqual(value);
});
