import { beforeAll, expect, test } from "@jest/globals";
import type { OrganizationId } from "../../src/kernel/base/ids.ts";
import { openZitadel } from "../../src/importing/zitadel/source.ts";
import { openImportGround } from "./support/import-ground.ts";

const { fixture, run, apply, rows, write } = await openImportGround();
let organization: OrganizationId;
beforeAll(async () => {
  organization = await fixture.addOrganization();
});

const other = {
  orgId: "200",
  org: { name: "Other" },
  humanUsers: [{ userId: "9", user: { userName: "nobody" } }],
};
const acme = {
  orgId: "100",
  org: { name: "Acme" },
  loginPolicy: { allowUsernamePassword: true },
  projects: [{ projectId: "11", project: { name: "Portal" } }],
  projectRoles: [{ projectId: "11", roleKey: "reader", displayName: "Reader", group: "" }],
  oidcApps: [
    {
      appId: "12",
      app: {
        projectId: "11",
        name: "Web",
        redirectUris: ["https://portal.example/cb"],
        grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_IMPLICIT"],
        appType: "OIDC_APP_TYPE_WEB",
        authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC",
        accessTokenType: "OIDC_TOKEN_TYPE_JWT",
      },
    },
  ],
  oidcIdps: [
    {
      idpId: "13",
      idp: {
        name: "Corp",
        clientId: "x",
        clientSecret: "y",
        issuer: "https://corp.example",
        scopes: ["openid"],
      },
    },
  ],
  humanUsers: [
    {
      userId: "14",
      user: {
        userName: "zitadel-ada",
        profile: { firstName: "Ada", lastName: "Byron", preferredLanguage: "de" },
        email: { email: "zitadel-ada@example.com", isEmailVerified: true },
        hashedPassword: { value: "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy" },
        otpCode: "JBSWY3DPEHPK3PXPJBSWY3DP",
      },
    },
  ],
  machineUsers: [{ userId: "15", user: { userName: "robot" } }],
  userGrants: [{ userId: "14", projectId: "11", roleKeys: ["reader", "gone"] }],
  userLinks: [{ userId: "14", idpId: "13", providedUserId: "c1", providedUserName: "corp.ada" }],
  userMetadata: [{ id: "14", key: "shoe", value: "Mzg=" }],
};
const open = (content: object | string, from?: string) =>
  openZitadel(write({ "export.json": typeof content === "string" ? content : JSON.stringify(content) }), {
    name: undefined,
    from,
    keepsSubjects: false,
  });

test("one organization of an export comes, with all that stands in several places", async () => {
  const { lines } = await apply(organization, await open({ orgs: [other, acme] }, "Acme"));
  expect(lines.map((line) => line.replaceAll(/\b\d{15,}\b/g, "<id>"))).toEqual([
    '+ project 1: new project "Portal"',
    '+ identity provider "Corp": new identity provider "Corp"',
    '~ application "Web": comes without the grant "IMPLICIT"',
    '+ application "Web": new application "Web", whose client id is <id> now',
    '~ application "Web": application "Web" comes without its secret; generate one',
    '~ export.json: "loginPolicy" does not come along',
    '~ export.json: "machineUsers" does not come along',
    '+ export.json humanUsers[0]: new user "14" with a password and an authenticator app',
    '! export.json humanUsers[0]: user "14" comes without the role "gone", which the project "11" lacks',
    "import: 4 added, 0 there already, 4 notes, 1 problems",
  ]);
  const [user] = await rows<{ id: string }>(
    "SELECT id FROM users WHERE imported_id = '14' AND is_email_verified = 1",
  );
  const of = (sql: string) => rows(sql, user?.id ?? "");
  expect(await of("SELECT external_user_id FROM idp_links WHERE user_id = ?")).toEqual([
    { external_user_id: "c1" },
  ]);
  expect(await of("SELECT key FROM metadata WHERE object_id = ?")).toEqual([{ key: "shoe" }]);
  expect(await of("SELECT state FROM second_factors WHERE user_id = ?")).toEqual([{ state: "READY" }]);
  expect(await of("SELECT 1 FROM user_grants WHERE user_id = ?")).toHaveLength(1);
});

test("an export of several organizations is refused without a choice, and one that is cut off says so", async () => {
  await expect(open({ orgs: [other, acme] })).rejects.toThrow(
    'name one organization of the file with --from; it has 200 ("Other"), 100 ("Acme")',
  );
  await expect(open({ orgs: [] })).rejects.toThrow("it has none");
  const cut = JSON.stringify({ orgs: [acme] }).slice(0, -20);
  const { lines } = await run(organization, await open(cut));
  expect(lines).toContain("! export.json: cannot be read to its end: it is cut off");
});
