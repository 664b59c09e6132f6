// Apple answers by a form that comes from its own site, says the name of a person once, and wants a secret that its client signs.
import { generateKeyPairSync } from "node:crypto";
import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeProtectedHeader, jwtVerify } from "jose";
import { canaries } from "../../../support/canaries.ts";
import { uniqueName } from "../../../support/world.ts";
import type { Visited } from "../../oidc/support/user-agent.ts";
import { type FederationPlace, leaveForProvider, listUsers, openBrowser, titleOf } from "../support/place.ts";
import { startProvider } from "../support/provider.ts";
import { createTemplatePlace, livingAt, startBeside } from "./support/template-place.ts";

const apple = "https://appleid.apple.com";
const service = await startBeside(apple, () => provider.issuer);
const provider = await startProvider(service.clock);
const appleKey = generateKeyPairSync("ec", { namedCurve: "P-256" });
const privateKey = appleKey.privateKey.export({ format: "pem", type: "pkcs8" });
canaries.add("private key of a provider", privateKey);
afterAll(async () => {
  provider.stop();
  await service.stop();
});

const { clientId } = provider;
const callback = `http://localhost:${service.port}/idps/callback`;
const isIn = ({ page, url }: Visited) => page === undefined && url.searchParams.has("code");

describe("Apple", () => {
  const value = { clientId, teamId: "TEAM123456", privateKeyId: "KEY1234567", privateKey };
  const place = () => createTemplatePlace(service, { case: "apple", value });
  const methods = ["client_secret_post"];
  const living = livingAt(apple, {
    userinfo_endpoint: undefined,
    token_endpoint_auth_methods_supported: methods,
  });
  const claims = { ...living.claims, email_verified: "true" };
  const email = `${uniqueName("ada").replaceAll(" ", "-")}@relay.example`;
  const name = JSON.stringify({ name: { firstName: "Ada", lastName: "Lovelace" }, email: "evil@example" });
  const come = async (ground: FederationPlace, more: readonly (readonly [string, string])[] = []) => {
    provider.play({ ...living, claims: { ...claims, email } });
    const browser = openBrowser(service);
    const left = await leaveForProvider(service, ground, browser);
    return { browser, left, fields: [...provider.logIn(left).searchParams, ...more] };
  };

  test("is asked to answer by a form, with what it knows", async () => {
    const { left } = await come(await place());
    expect(left.origin).toBe(apple);
    expect(Object.fromEntries(left.searchParams)).toEqual({
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      client_id: clientId,
      response_type: "code",
      response_mode: "form_post",
      redirect_uri: callback,
      scope: "name email",
      code_challenge_method: "S256",
    });
  });

  test("gets a secret that we sign, and its form tells the name at the first login alone", async () => {
    const ground = await place();
    const first = await come(ground, [["user", name]]);
    provider.asked.length = 0;
    expect(isIn(await first.browser.post(callback, first.fields))).toBe(true);
    const form = provider.asked.find(({ path }) => path === "/token")?.form;
    const secret = form?.get("client_secret") ?? "";
    canaries.add("client secret", secret);
    expect(decodeProtectedHeader(secret)).toEqual({ alg: "ES256", kid: value.privateKeyId });
    const seconds = Math.floor(service.clock.nowMs() / 1000);
    const { payload } = await jwtVerify(secret, appleKey.publicKey, {
      currentDate: new Date(seconds * 1000),
    });
    expect(payload).toEqual({
      iss: value.teamId,
      sub: clientId,
      aud: apple,
      iat: seconds,
      exp: seconds + 300,
    });
    const again = await come(ground);
    expect(isIn(await again.browser.post(callback, again.fields))).toBe(true);
    expect(await listUsers(service, ground)).toMatchObject([
      {
        human: {
          givenName: "Ada",
          familyName: "Lovelace",
          email,
          isEmailVerified: true,
        },
      },
    ]);
  });

  test("that does not say the name has the page ask for it", async () => {
    const { browser, fields } = await come(await place(), [["user", '{"name": ["Eve"]}']]);
    const visited = await browser.post(callback, fields);
    expect(isIn(visited)).toBe(false);
    expect(visited.page?.text).toContain('name="given_name"');
  });

  test("that lets nobody in says so", async () => {
    const { browser, fields } = await come(await place());
    const state = fields.filter(([field]) => field === "state");
    const visited = await browser.post(callback, [...state, ["error", "user_cancelled_authorize"]]);
    expect(visited.page?.status).toBe(403);
  });

  describe("a form", () => {
    const begunAgain = [400, "Please begin again"];
    const post = async (fields: readonly (readonly [string, string])[]) => {
      const body = new URLSearchParams(fields.map(([field, text]) => [field, text])).toString();
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        host: `localhost:${service.port}`,
      };
      const answer = await service.http.send({ method: "POST", path: "/idps/callback", headers, body });
      return { ...answer, location: answer.headers.get("location") ?? "" };
    };

    test("is kept for a minute, under a handle that only the browser of the login can use", async () => {
      const { browser, fields } = await come(await place(), [["user", name]]);
      const posted = await post(fields);
      expect([posted.status, posted.headers.get("set-cookie")]).toEqual([303, null]);
      expect(posted.location).toMatch(/\/idps\/callback\?h=[\w-]{43}$/);
      expect(titleOf(await openBrowser(service).open(posted.location))).toEqual(begunAgain);
      expect(titleOf(await browser.open(posted.location))).toEqual(begunAgain); // the login has ended with it
    });

    test("is too old after a minute", async () => {
      const { browser, fields } = await come(await place());
      const { location } = await post(fields);
      service.clock.turn(60_000);
      expect(titleOf(await browser.open(location))).toEqual(begunAgain);
    });

    test("is used once, and its handle for nothing else", async () => {
      const { browser, fields } = await come(await place(), [["user", name]]);
      const { location } = await post(fields);
      expect((await browser.open(location.replace("/callback", "/saml/acs"))).page?.status).toBe(403);
      expect(titleOf(await browser.open(location))).toEqual(begunAgain);
    });

    test.each<[string, (state: string) => readonly (readonly [string, string])[]]>([
      ["without state", () => [["code", "c"]]],
      ["with a state of nobody", () => [["state", "A".repeat(43)]]],
    ])("%s is refused", async (_name, toFields) => {
      expect((await post(toFields(""))).status).toBe(400);
    });

    test("with two states, of another type, or too long is refused", async () => {
      const { fields } = await come(await place());
      expect((await post([...fields, ...fields])).status).toBe(400);
      expect((await post([...fields, ["user", "a".repeat(70_000)]])).status).toBe(413);
      const headers = { "content-type": "application/json", host: `localhost:${service.port}` };
      const answer = await service.http.send({ method: "POST", path: "/idps/callback", headers, body: "{}" });
      expect(answer.status).toBe(400);
    });
  });
});
