import { describe, expect, test } from "@jest/globals";
import { readClaimsParameter } from "../../../../src/sites/oidc/login/claims-parameter.ts";

const read = (claims: unknown) => readClaimsParameter(JSON.stringify(claims));
const mfa = "urn:gatehouse:acr:mfa";
const oneFactor = "urn:gatehouse:acr:1fa";
const organization = "urn:zitadel:iam:user:resourceowner:id";

describe("the parameter claims (OpenID Connect Core §5.5)", () => {
  test("asks for claims that we have, each as its scope, and for no others", () => {
    expect(
      read({
        userinfo: { given_name: { essential: true }, nickname: null, email: null, groups: null, sub: null },
        id_token: {
          email: { value: "other@example.com" },
          [organization]: null,
          picture: { essential: true },
        },
        unknown: 1,
      }),
    ).toEqual({
      claims: { userinfo: ["given_name", "email"], idToken: ["email", organization], tellsOneFactor: false },
      scopes: ["profile", "email", "urn:zitadel:iam:user:resourceowner"],
      subjects: undefined,
      mfa: "not",
    });
  });

  test.each([
    ["nothing", undefined],
    ["an empty object", "{}"],
    ["members that are null", '{"userinfo":null,"id_token":null}'],
    [
      "roles and groups",
      '{"userinfo":{"groups":null,"urn:zitadel:iam:org:project:roles":{"essential":true}}}',
    ],
    ["names of JavaScript", '{"userinfo":{"__proto__":null,"constructor":null,"toString":{}}}'],
  ])("%s asks for nothing", (_name, text) => {
    expect(readClaimsParameter(text)).toEqual({
      claims: undefined,
      scopes: [],
      subjects: undefined,
      mfa: "not",
    });
  });

  test.each([
    "",
    "{",
    "null",
    "1",
    '"a"',
    "[]",
    '{"userinfo":[]}',
    '{"id_token":"a"}',
    '{"id_token":{"sub":"a"}}',
  ])("%s is malformed", (text) =>
    expect(readClaimsParameter(text)).toMatchObject({ code: "invalid_request" }),
  );

  test.each([{ essential: "true" }, { values: "a" }, { values: { a: 1 } }, [], 1, true])(
    "a claim that is asked for by %j is malformed",
    (wish) => expect(read({ userinfo: { name: wish } })).toMatchObject({ code: "invalid_request" }),
  );
});

describe("sub with a value leaves only those users (§5.5.1)", () => {
  test.each([
    ["a value", { id_token: { sub: { value: "1" } } }, ["1"]],
    ["values", { userinfo: { sub: { values: ["1", "2"] } } }, ["1", "2"]],
    ["both members", { userinfo: { sub: { values: ["1", "2"] } }, id_token: { sub: { value: "2" } } }, ["2"]],
    ["two that differ", { userinfo: { sub: { value: "1" } }, id_token: { sub: { value: "2" } } }, []],
    ["a value that is no text", { id_token: { sub: { value: 1 } } }, []],
    ["none", { id_token: { sub: { essential: true } } }, undefined],
  ])("%s", (_name, claims, subjects) => {
    expect(read(claims)).toMatchObject({ subjects });
  });
});

describe("acr with a value (§5.5.1.1)", () => {
  const ask = (acr: object) => read({ id_token: { acr } });

  test.each([
    ["two factors, voluntarily", { value: mfa }, "asked", undefined],
    ["two factors, essentially", { essential: true, values: ["urn:other", mfa] }, "required", undefined],
    ["either, essentially", { essential: true, values: [mfa, oneFactor] }, "asked", undefined],
    ["one factor, essentially", { essential: true, value: oneFactor }, "not", true],
    ["another one, voluntarily", { values: ["urn:other"] }, "not", undefined],
    ["any, essentially", { essential: true }, "not", undefined],
  ] as const)("%s", (_name, acr, factors, tellsOneFactor) => {
    const asked = ask(acr);
    expect(asked).toMatchObject({ mfa: factors });
    expect("claims" in asked && asked.claims?.tellsOneFactor).toBe(tellsOneFactor);
  });

  test("that no login here has is a failed authentication if it is essential", () => {
    expect(ask({ essential: true, values: ["urn:other", 1] })).toMatchObject({ code: "access_denied" });
  });
});
