// What an update does to logins that an older release has let applications have without asking.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createPageBrowser } from "../../../sites/login/support/browser.ts";
import { askFrozen, type FrozenClient, frozenPassword, frozenRedirectUri } from "./play-logins.ts";
import { type FrozenFolder, layFrozen } from "./served.ts";

let folder: FrozenFolder;
beforeEach(() => {
  folder = layFrozen("schema-37-2ebb061");
});
afterEach(() => folder.remove());

const worthless = { refresh: "invalid_grant", isActive: false };

test("ends what a page would have asked for, and keeps the rest", async () => {
  const { clients, given, code } = folder.logins();
  const found = await folder.serve(async (_api, url) => {
    const looks = Object.entries(given).map(async ([name, { client, accessToken, refreshToken }]) => {
      const at = clients[client] as FrozenClient; // written by `playLogins`
      const seen = await askFrozen(url, "introspect", at, { token: accessToken });
      const refreshed = await askFrozen(url, "token", at, {
        grant_type: "refresh_token",
        refresh_token: refreshToken,
      });
      const { active: isActive, aud = [] } = seen.json;
      const audiences = aud as readonly string[];
      return [
        name,
        {
          refresh: refreshed.json["error"] ?? refreshed.json["scope"],
          isActive,
          ...(audiences.length > 0 ? { isForOthers: audiences.length > 2 } : {}),
        },
      ] as const;
    });
    const at = clients[code.client] as FrozenClient;
    const form = { grant_type: "authorization_code", code: code.value, redirect_uri: frozenRedirectUri };
    return {
      ...Object.fromEntries(await Promise.all(looks)),
      code: (await askFrozen(url, "token", at, form)).json["error"],
    };
  });
  const kept = { refresh: "openid offline_access", isActive: true, isForOthers: false };
  expect(found).toEqual({
    "at home": kept,
    "at home, for a project of the organization": worthless,
    "at home, for a project of another organization": kept,
    "elsewhere, after a page": worthless,
    "elsewhere, by a project grant": worthless,
    "elsewhere, by a grant of the user's organization": kept,
    code: "invalid_grant",
  });
});

test("asks again where a page was confirmed, but not where the user's organization connects them", async () => {
  const { clients, cookie } = folder.logins();
  const ends = await folder.serve(async (_api, url) => {
    const browser = createPageBrowser(url, `http://localhost:${new URL(url).port}`);
    for (const pair of cookie.split("; "))
      browser.cookies.set(pair.split("=")[0] ?? "", pair.split("=")[1] ?? "");
    const ask = async ({ clientId }: FrozenClient) => {
      const asked = {
        client_id: clientId,
        redirect_uri: frozenRedirectUri,
        response_type: "code",
        scope: "openid",
      };
      const query = new URLSearchParams({ ...asked, prompt: "none" }).toString();
      const { searchParams } = new URL((await browser.open(`/oauth/v2/authorize?${query}`)).location ?? "");
      return searchParams.get("error") ?? "code";
    };
    const found: Record<string, string> = {};
    for (const [name, client] of Object.entries(clients)) found[name] = await ask(client);
    browser.close();
    return found;
  });
  expect(ends).toEqual({
    own: "code",
    sister: "code",
    confirmed: "consent_required",
    granted: "consent_required",
    connected: "code",
  });
});

test("lets an INSTANCE_OWNER in whose organization has a policy that lets nobody in, and nobody else there", async () => {
  const { owner, other } = await folder.serve(async (api, url) => {
    const listed = await api.find({
      rpc: "OrganizationService/ListOrganizations",
      request: { pageSize: 1000 },
    });
    const organizations = listed?.["organizations"] as never as readonly {
      readonly id: string;
      readonly name: string;
    }[];
    const organizationId = organizations.find(({ name }) => name === "Closed")?.id ?? "";
    const profile = {
      username: "other",
      givenName: "Ada",
      familyName: "Lovelace",
      email: "other@example.com",
    };
    const rpc = "UserService/AddHumanUser";
    const added = await api.find({ rpc, request: profile, organizationId });
    const request = { userId: added?.["userId"] as string, password: frozenPassword };
    await api.find({ rpc: "UserService/SetPassword", request, organizationId });
    const logIn = async (username: string) => {
      const browser = createPageBrowser(url, `http://localhost:${new URL(url).port}`);
      let page = await browser.open("/account");
      page = await page.submit({ username, password: frozenPassword });
      browser.close();
      return page.title;
    };
    return { owner: await logIn("owner"), other: await logIn("other") };
  });
  expect({ owner, other }).toEqual({ owner: "Your account", other: "Sign in" });
});
