// The same code, device code, refresh token and reference, sent many times at once (RFC 6749 §4.1.2, RFC 9700 §4.14, RFC 9126 §4).
import { afterAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { startService } from "../../support/service.ts";
import { sized } from "../../support/size.ts";
import { createLoginPlace, createOidcApplication, createPerson } from "./support/login-place.ts";
import { deviceGrant, openBrowser } from "./support/device.ts";
import { askForTokens, basic, postForm } from "./support/machine.ts";
import { logIn, toAuthorizationUrl } from "./support/user-agent.ts";

const rounds = sized({ small: 3, full: 100 });
const atOnce = 8;
const redirectUri = "https://app.example/callback";
const verifier = "a-verifier-of-the-races-that-is-long-enough-0123456789";
const challenge = createHash("sha256").update(verifier).digest("base64url");

const service = await startService();
const place = await createLoginPlace(service);
const person = await createPerson(service, place.organizationId);
const application = await createOidcApplication(service, place, {
  redirectUris: [redirectUri],
  grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN, OidcGrantType.DEVICE_CODE],
});
afterAll(() => service.stop());

const issuer = () => `http://localhost:${service.port}`;
const agent = openBrowser(service);

const authenticated = () => basic(application.clientId, application.secret ?? "");

async function getCode(): Promise<string> {
  const url = toAuthorizationUrl(
    issuer(),
    Object.entries({
      client_id: application.clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid offline_access",
      code_challenge: challenge,
      code_challenge_method: "S256",
    }),
  );
  const visited = await agent.open(url);
  return (await logIn(agent, visited, person)).searchParams.get("code") ?? "";
}

const redeem = (code: string) =>
  askForTokens(
    service,
    { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier },
    authenticated(),
  );

const refresh = (token: unknown) =>
  askForTokens(service, { grant_type: "refresh_token", refresh_token: String(token) }, authenticated());

async function isActive(token: unknown): Promise<boolean> {
  const { text } = await postForm(service, "/oauth/v2/introspect", { token: String(token) }, authenticated());
  return (JSON.parse(text) as { active: boolean }).active;
}

const all = <T>(act: () => Promise<T>) => Promise.all(Array.from({ length: atOnce }, act));

describe(`${atOnce} at once`, () => {
  test("of a code get one answer, and the others end what it gave", async () => {
    for (let round = 0; round < rounds; round++) {
      const code = await getCode();
      const answers = await all(() => redeem(code));
      const good = answers.filter(({ status }) => status === 200);
      expect(good).toHaveLength(1);
      expect(answers.filter(({ error }) => error === "invalid_grant")).toHaveLength(atOnce - 1);
      const given = good[0]?.json;
      expect(await isActive(given?.["access_token"])).toBe(false);
      expect(await refresh(given?.["refresh_token"])).toMatchObject({ status: 400, error: "invalid_grant" });
    }
  }, 120_000);

  test("of a device code that was allowed get one answer, and the others end what it gave", async () => {
    await getCode(); // the browser has a session
    for (let round = 0; round < rounds; round++) {
      const scope = "openid offline_access";
      const path = "/oauth/v2/device_authorization";
      const { text } = await postForm(service, path, { scope }, authenticated());
      const asked = JSON.parse(text) as Readonly<Record<string, string>>;
      const question = await agent.submit(await agent.open(asked["verification_uri_complete"] ?? ""), {});
      await agent.submit(question, { choice: "allow" });
      const form = { grant_type: deviceGrant, device_code: asked["device_code"] };
      const answers = await all(() => askForTokens(service, form, authenticated()));
      const good = answers.filter(({ status }) => status === 200);
      expect(good).toHaveLength(1);
      expect(answers.filter(({ error }) => error === "invalid_grant")).toHaveLength(atOnce - 1);
      expect(await isActive(good[0]?.json["access_token"])).toBe(false);
    }
  }, 120_000);

  test("of a refresh token make one successor, which goes on", async () => {
    let { json } = await redeem(await getCode());
    for (let round = 0; round < rounds; round++) {
      const token = json["refresh_token"];
      const answers = await all(() => refresh(token));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(new Set(answers.map((answer) => answer.json["refresh_token"])).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.json["access_token"])).size).toBe(atOnce);
      json = answers[0]?.json ?? {};
      expect(json["refresh_token"]).not.toBe(token);
    }
  }, 120_000);

  test("of a reference to a pushed request begin one login, and the others are pages", async () => {
    const form = {
      client_id: application.clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid",
      prompt: "none",
    };
    for (let round = 0; round < rounds; round++) {
      const { text } = await postForm(service, "/oauth/v2/par", form, authenticated());
      const { request_uri: reference } = JSON.parse(text) as { request_uri: string };
      const brought = [
        ["client_id", application.clientId],
        ["request_uri", reference],
      ] as const;
      const visits = await all(() => openBrowser(service).open(toAuthorizationUrl(issuer(), brought)));
      const back = visits.filter(({ page }) => page === undefined);
      expect(back.map(({ url }) => url.searchParams.get("error"))).toEqual(["login_required"]);
      expect(visits.filter(({ page }) => page?.status === 400)).toHaveLength(atOnce - 1);
    }
  }, 120_000);

  test("of a refresh token that was used, and whose successor was, end the family", async () => {
    const { json: first } = await redeem(await getCode());
    const { json: second } = await refresh(first["refresh_token"]);
    const { json: third } = await refresh(second["refresh_token"]);
    const answers = await all(() => refresh(first["refresh_token"]));
    expect(answers.map(({ error }) => error)).toEqual(answers.map(() => "invalid_grant"));
    expect(await refresh(third["refresh_token"])).toMatchObject({ error: "invalid_grant" });
    for (const { access_token: token } of [first, second, third]) expect(await isActive(token)).toBe(false);
  });
});
