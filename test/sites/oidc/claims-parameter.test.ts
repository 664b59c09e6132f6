import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { startService } from "../../support/service.ts";
import { createHumanUser, createWorld } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import { askForTokens, postForm } from "./support/machine.ts";
import { broughtPath, push } from "./support/pushed.ts";
import {
  authorize,
  authorizeAndConfirm,
  browse,
  credentialsOf,
  getTokens,
  redemption,
  refresh,
  signIn,
  type TestBrowser,
} from "./support/signed-in.ts";

// The parameter `claims` of a request for a login (OpenID Connect Core §5.5). Its form: test/sites/oidc/login/claims-parameter.test.ts.

const service = await startService();
const world = await createWorld(service);
const application = await createApplication(service, world);
const browser = await signIn(service, await createHumanUser(service, world.organizationId));
afterAll(() => service.stop());

const mfa = "urn:gatehouse:acr:mfa";
const oneFactor = "urn:gatehouse:acr:1fa";

/** Asks for a code with that parameter, and returns what the application learns. */
const ask = async (
  claims: object | string,
  how: { readonly by?: TestBrowser; readonly prompt?: string } = {},
) => {
  const text = typeof claims === "string" ? claims : JSON.stringify(claims);
  const parameters = { claims: text, prompt: how.prompt };
  return (await authorize(service, application, { browser: how.by ?? browser, parameters })).back;
};
const userinfo = async (token: string): Promise<Record<string, unknown>> => {
  const headers = { authorization: `Bearer ${token}` };
  return JSON.parse((await browse(service, "/oidc/v1/userinfo", headers)).text);
};
const registered = new Set([
  "acr",
  "amr",
  "at_hash",
  "aud",
  "auth_time",
  "azp",
  "exp",
  "iat",
  "iss",
  "nonce",
  "sid",
  "sub",
]);
/** Lists the claims of an ID token that it has not anyway. */
const furtherOf = (idToken: unknown) =>
  Object.keys(decodeJwt(String(idToken))).filter((name) => !registered.has(name));

describe("claims that are asked for one by one", () => {
  const organization = "urn:zitadel:iam:user:resourceowner:id";
  const claims = JSON.stringify({
    userinfo: { given_name: { essential: true }, email: null, groups: null, [organization]: null },
    id_token: {
      email_verified: null,
      auth_time: { essential: true },
      "urn:zitadel:iam:org:project:roles": null,
    },
  });
  const told = { userinfo: ["sub", "given_name", "email", organization], idToken: ["email_verified"] };

  test("are told where they are asked for, without the others of their scope, and nowhere else", async () => {
    const { json } = await getTokens(service, application, { browser, parameters: { claims } });
    const accessToken = String(json["access_token"]);
    expect(Object.keys(await userinfo(accessToken)).toSorted()).toEqual(told.userinfo.toSorted());
    expect(furtherOf(json["id_token"])).toEqual(told.idToken);
    expect(json["scope"]).toBe("openid offline_access");
    const introspected = await postForm(service, "/oauth/v2/introspect", {
      token: accessToken,
      ...credentialsOf(application),
    });
    expect(Object.keys(JSON.parse(introspected.text))).not.toContain("given_name");
  });

  test("are kept at a refresh, also of a part of the scopes", async () => {
    const { refreshToken } = await getTokens(service, application, { browser, parameters: { claims } });
    const { json } = await refresh(service, application, refreshToken, { scope: "openid" });
    expect(furtherOf(json["id_token"])).toEqual(told.idToken);
    expect(Object.keys(await userinfo(String(json["access_token"]))).toSorted()).toEqual(
      told.userinfo.toSorted(),
    );
  });

  test("are not told to an application that exchanged the token, and did not ask", async () => {
    const grantTypes = [OidcGrantType.TOKEN_EXCHANGE];
    const gateway = await createApplication(service, world, { grantTypes, redirectUris: [] });
    const { accessToken } = await getTokens(service, application, { browser, parameters: { claims } });
    const { json } = await askForTokens(service, {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token: accessToken,
      subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
      scope: "openid",
      ...credentialsOf(gateway),
    });
    expect(Object.keys(await userinfo(String(json["access_token"])))).toEqual(["sub"]);
  });

  test("may be pushed", async () => {
    const { requestUri } = await push(service, application, { claims });
    const answer = await browse(service, broughtPath(application, requestUri), { cookie: browser.cookie });
    const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
    const { json } = await askForTokens(service, redemption(application, code));
    expect(furtherOf(json["id_token"])).toEqual(told.idToken);
  });
});

test("a claim counts as its scope on the page that asks the user (S2), and is told only once the user has said yes", async () => {
  const theirs = await createApplication(service, await createWorld(service));
  const claims = JSON.stringify({ userinfo: { email: null } });
  const askSilently = async (parameters: Readonly<Record<string, string>>) =>
    (await authorize(service, theirs, { browser, parameters: { ...parameters, prompt: "none" } })).back;
  const { accessToken: before } = await getTokens(service, theirs, { browser });
  expect(await askSilently({})).toHaveProperty("code");
  expect((await askSilently({ claims }))["error"]).toBe("consent_required");
  const { back: _back, ...page } = await authorizeAndConfirm(service, theirs, {
    browser,
    parameters: { claims },
  });
  expect(page).toHaveProperty("page", expect.stringContaining("<strong>New:</strong>"));
  const { accessToken } = await getTokens(service, theirs, {
    browser,
    parameters: { claims, prompt: "none" },
  });
  expect(Object.keys(await userinfo(accessToken))).toEqual(["sub", "email"]);
  expect(Object.keys(await userinfo(before))).toEqual(["sub"]);
  expect(await askSilently({ scope: "openid email" })).toHaveProperty("code");
  expect((await askSilently({ scope: "openid profile" }))["error"]).toBe("consent_required");
});

test("what is no JSON of that form, or too long, is refused, in a push as well", async () => {
  for (const claims of ["{", "[]", '{"userinfo":{"name":1}}', `{"a":"${"x".repeat(8192)}"}`]) {
    expect((await ask(claims))["error"]).toBe("invalid_request");
    expect((await push(service, application, { claims })).error).toBe("invalid_request");
  }
});

describe("sub with a value (§5.5.1)", () => {
  const idOf = (...values: readonly string[]) => ({ id_token: { sub: { values } } });

  test("lets that user log in, or one of several", async () => {
    expect(await ask(idOf(browser.userId))).toHaveProperty("code");
    expect(await ask({ userinfo: { sub: { value: browser.userId } } })).toHaveProperty("code");
    expect(await ask(idOf("1", browser.userId))).toHaveProperty("code");
  });

  test("lets nobody else log in", async () => {
    for (const claims of [idOf("1"), idOf("1", "2")])
      expect((await ask(claims, { prompt: "none" }))["error"]).toBe("login_required");
    const contrary = { userinfo: { sub: { value: browser.userId } }, id_token: { sub: { value: "1" } } };
    expect((await ask(contrary))["error"]).toBe("login_required");
    // Without prompt=none somebody else may still log in, so there is a page and no answer yet.
    expect(await ask(idOf("1"))).toEqual({});
  });

  test("goes together with id_token_hint", async () => {
    const { idToken: hint } = await getTokens(service, application, { browser });
    const both = async (sub: string) => {
      const parameters = { claims: JSON.stringify(idOf(sub)), id_token_hint: hint };
      return (await authorize(service, application, { browser, parameters })).back;
    };
    expect(await both(browser.userId)).toHaveProperty("code");
    expect((await both("1"))["error"]).toBe("login_required");
  });
});

describe("acr with a value (§5.5.1.1)", () => {
  const acr = (wish: object) => ({ id_token: { acr: wish } });
  const acrOf = async (wish: object, by: TestBrowser) => {
    const parameters = { claims: JSON.stringify(acr(wish)) };
    const { idToken } = await getTokens(service, application, { browser: by, parameters });
    return decodeJwt(idToken)["acr"];
  };

  test("asks for two factors, and lets in those who have them", async () => {
    for (const wish of [{ essential: true, value: mfa }, { values: [mfa] }]) {
      expect(await ask(acr(wish), { prompt: "none" })).toHaveProperty("error");
      expect(await ask(acr(wish))).toEqual({});
    }
    const by = await signIn(service, browser.userId, ["PASSWORD", "TOTP"]);
    expect(await acrOf({ essential: true, value: mfa }, by)).toBe(mfa);
    expect(await acrOf({ essential: true, value: oneFactor }, by)).toBe(oneFactor);
    expect(await acrOf({ value: oneFactor }, by)).toBe(mfa);
  });

  test("that is essential and nobody has here ends the login", async () => {
    expect((await ask(acr({ essential: true, values: ["urn:other"] })))["error"]).toBe("access_denied");
    expect(await ask(acr({ values: ["urn:other"] }))).toHaveProperty("code");
  });
});
