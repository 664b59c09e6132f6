import { describe, expect, test } from "@jest/globals";
import { OAuthError } from "../../../../src/sites/oidc/requests/oauth-error.ts";
import { readScopes } from "../../../../src/sites/oidc/tokens/scopes.ts";

const read = (text: string) => readScopes(text, { organizationId: "7" });
const iam = "urn:zitadel:iam";

describe("the scopes of a service user", () => {
  test("are granted once, in the order of the request, without those that mean nothing", () => {
    expect(read(`openid x ${iam}:org:id:7 openid  offline_access`).granted).toEqual([
      "openid",
      `${iam}:org:id:7`,
    ]);
    expect(read("").granted).toEqual([]);
  });

  test("name the audience: projects, and our API", () => {
    const { audiences, projectIds } = read(
      `${iam}:org:project:id:5:aud ${iam}:org:project:id:zitadel:aud ${iam}:org:project:id:x:aud`,
    );
    expect(audiences).toEqual(["5", "gatehouse"]);
    expect(projectIds).toEqual(["5"]);
  });

  test("limit the roles", () => {
    expect(read(`${iam}:org:project:role:a:b ${iam}:org:projects:roles`)).toMatchObject({
      roleKeys: ["a:b"],
      wantsProjectRoles: true,
    });
  });

  test.each([
    `${iam}:org:id:8`,
    `${iam}:org:id:`,
    `${iam}:org:domain:primary:example.com`,
    'a"b',
    "a\\b",
    "a\tb",
    "a\nb",
    Array.from({ length: 101 }, (_, index) => `s${index}`).join(" "),
  ])("are refused: %j", (text) => {
    expect(() => read(text)).toThrow(OAuthError);
  });
});
