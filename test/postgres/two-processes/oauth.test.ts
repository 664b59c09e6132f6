import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createHash } from "node:crypto";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { OidcAppType, OidcAuthMethodType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { deviceGrant } from "../../sites/oidc/support/device.ts";
import {
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../../sites/oidc/support/login-place.ts";
import { apiScope, bySecret, createMachine, type Machine } from "../../sites/oidc/support/machine.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../sites/oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { engine } from "../../support/engine/engine.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { makeProofKey, signProof } from "../../support/proofs.ts";
import { refusalOf } from "../../support/service.ts";
import { createCaller } from "../../support/world.ts";
import { type Pair, startPair } from "./support/pair.ts";

// What one process has given out is taken at the other, and counts once, whichever process it comes to.

const issuer = "http://localhost:4711";
const redirectUri = "https://app.example/callback";
const verifier = "a-verifier-of-two-processes-that-is-long-enough-0123456789";
const scope = "openid offline_access";
const rounds = 5;
const accessVersionOf = {
  postgres: "SELECT access_version FROM log_position",
  sqlite: "SELECT user_version FROM pragma_user_version",
};

let pair: Pair;
let one: HttpClient;
let other: HttpClient;
let organizationId: string;
let application: TestApplication;
let deviceApplication: TestApplication;
let person: TestPerson;
let machine: Machine;
beforeAll(async () => {
  pair = await startPair({ issuer });
  [one, other] = [createHttpClient(pair.one.url), createHttpClient(pair.other.url)];
  const place = await createLoginPlace(pair.one);
  ({ organizationId } = place);
  person = await createPerson(pair.one, organizationId);
  machine = await createMachine(pair.one, organizationId);
  application = await createOidcApplication(pair.one, place, {
    redirectUris: [redirectUri],
    grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
    authMethodType: OidcAuthMethodType.POST,
  });
  deviceApplication = await createOidcApplication(pair.one, place, {
    grantTypes: [OidcGrantType.DEVICE_CODE, OidcGrantType.REFRESH_TOKEN],
    appType: OidcAppType.NATIVE,
  });
});
afterAll(async () => {
  one.close();
  other.close();
  await pair.close();
});

type Form = Readonly<Record<string, string>>;

/** Sends a form to a process. */
async function post(http: HttpClient, path: string, form: Form, headers: Form = {}) {
  const { text } = await http.send({
    method: "POST",
    path: `/oauth/v2/${path}`,
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(form).toString(),
  });
  const answer = JSON.parse(text) as Readonly<Record<string, string | boolean>>;
  for (const name of ["access_token", "refresh_token", "id_token"])
    canaries.add(name, String(answer[name] ?? ""));
  return answer;
}

/** Sends a form as the application. */
const ask = (http: HttpClient, path: string, form: Form) =>
  post(http, path, { client_id: application.clientId, client_secret: application.secret ?? "", ...form });

/** Does something at both processes, four times each, at once. */
const atBoth = <T>(work: (http: HttpClient, index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all([one, other, one, other, one, other, one, other].map(work));

/** One of eight answers has a token, and the others this error. */
function expectOne(answers: readonly Readonly<Record<string, string | boolean>>[], error: string) {
  const good = answers.filter((answer) => answer["access_token"] !== undefined);
  expect(good).toHaveLength(1);
  expect(answers.filter((answer) => answer["error"] === error)).toHaveLength(7);
  return good[0];
}

/** Logs in at the first process. */
async function getCode(): Promise<string> {
  const agent = openUserAgent({ origin: issuer, send: (request) => one.send(request) });
  const url = toAuthorizationUrl(
    issuer,
    Object.entries({
      client_id: application.clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      scope,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    }),
  );
  const code = (await logIn(agent, await agent.open(url), person)).searchParams.get("code") ?? "";
  canaries.add("code", code);
  return code;
}

const redeem = (http: HttpClient, code: string) =>
  ask(http, "token", {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
const refresh = (http: HttpClient, token: unknown) =>
  ask(http, "token", { grant_type: "refresh_token", refresh_token: String(token) });
/** Says at both processes whether a token holds. */
const areActive = async (token: unknown) => {
  const told = [one, other].map((http) => ask(http, "introspect", { token: String(token) }));
  return (await Promise.all(told)).map(({ active }) => active);
};

const invalid = { error: "invalid_grant" };

describe("a code that one process has given", () => {
  test("is redeemed at the other, once, and its repeat at the first ends what it gave at both", async () => {
    const code = await getCode();
    const given = await redeem(other, code);
    expect(given).toMatchObject({ scope });
    expect(await areActive(given["access_token"])).toEqual([true, true]);
    expect(await redeem(one, code)).toMatchObject(invalid);
    expect(await areActive(given["access_token"])).toEqual([false, false]);
    for (const http of [one, other])
      expect(await refresh(http, given["refresh_token"])).toMatchObject(invalid);
  });

  test("gets one answer when it is sent to both, four times each, at once", async () => {
    for (let round = 0; round < rounds; round++) {
      const code = await getCode();
      const good = expectOne(await atBoth((http) => redeem(http, code)), "invalid_grant");
      expect(await areActive(good?.["access_token"])).toEqual([false, false]);
    }
  });
});

describe("a refresh token that one process has given", () => {
  test("is used at the other, and its reuse at the first ends the family at both", async () => {
    const first = await redeem(one, await getCode());
    const second = await refresh(other, first["refresh_token"]);
    const third = await refresh(one, second["refresh_token"]);
    expect(await areActive(third["access_token"])).toEqual([true, true]);
    expect(await refresh(one, first["refresh_token"])).toMatchObject(invalid);
    expect(await areActive(third["access_token"])).toEqual([false, false]);
    for (const http of [one, other])
      expect(await refresh(http, third["refresh_token"])).toMatchObject(invalid);
  });

  test("makes one successor when it is sent to both, four times each, at once", async () => {
    let { refresh_token: token } = await redeem(one, await getCode());
    for (let round = 0; round < rounds; round++) {
      const answers = await atBoth((http) => refresh(http, token));
      const successors = new Set(answers.map((answer) => answer["refresh_token"]));
      expect([...successors]).toEqual([expect.stringMatching(/^gatehouse_rt_/)]);
      expect(successors.has(token)).toBe(false);
      [token] = successors;
    }
  });
});

test("neither a login nor a refresh makes other processes forget tokens and roles", async () => {
  const accessVersion = async () => (await pair.peek(accessVersionOf[engine.name]))[0];
  await redeem(one, await getCode()); // it has made the keys that sign
  const before = await accessVersion();
  const tokens = await redeem(one, await getCode());
  expect(await refresh(one, tokens["refresh_token"])).toMatchObject({ scope });
  expect(await accessVersion()).toEqual(before);
});

describe("a device", () => {
  const asDevice = (http: HttpClient, path: string, form: Form) =>
    post(http, path, { client_id: deviceApplication.clientId, ...form });
  const begin = async () => {
    const asked = await asDevice(one, "device_authorization", { scope });
    return { code: String(asked["device_code"]), link: String(asked["verification_uri_complete"]) };
  };
  const poll = (http: HttpClient, code: string) =>
    asDevice(http, "token", { grant_type: deviceGrant, device_code: code });

  /** Allows it in a browser each of whose requests comes to the process that did not get the one before. */
  async function allow(link: string): Promise<void> {
    let requests = 0;
    const agent = openUserAgent({
      origin: issuer,
      send: (request) => (requests++ % 2 === 0 ? one : other).send(request),
    });
    const { username, password } = person;
    const asked = await agent.submit(await agent.open(link), {});
    const shown = await agent.submit(asked, { username, password });
    expect((await agent.submit(shown, { choice: "allow" })).url.pathname).toBe("/device/allowed");
  }

  test("gets its tokens from a process that knew nothing of it", async () => {
    const { code, link } = await begin();
    await allow(link);
    expect(await poll(other, code)).toMatchObject({ scope, refresh_token: expect.any(String) });
  });

  test("has to slow down whichever process it asks", async () => {
    const { code } = await begin();
    expect(await poll(one, code)).toMatchObject({ error: "authorization_pending" });
    expect(await poll(other, code)).toMatchObject({ error: "slow_down" });
  });

  test("gets tokens once when it asks both, four times each, at once", async () => {
    const { code, link } = await begin();
    await allow(link);
    expectOne(await atBoth((http) => poll(http, code)), "invalid_grant");
  });
});

describe("what was pushed to one process", () => {
  const push = async (http: HttpClient) => {
    const request = { redirect_uri: redirectUri, response_type: "code", scope: "openid", prompt: "none" };
    return String((await ask(http, "par", request))["request_uri"]);
  };
  /** Brings a reference without a session. Returns the error that the application gets, or the status of a page. */
  const bring = async (http: HttpClient, requestUri: string): Promise<string> => {
    const fields = { client_id: application.clientId, request_uri: requestUri };
    const path = `/oauth/v2/authorize?${new URLSearchParams(fields).toString()}`;
    const headers = { host: new URL(issuer).host };
    const answer = await http.send({ method: "GET", path, headers });
    const location = answer.headers.get("location");
    return location === null
      ? String(answer.status)
      : (new URL(location).searchParams.get("error") ?? "none");
  };

  test("is known to the other, and used for both", async () => {
    const requestUri = await push(one);
    expect(await bring(other, requestUri)).toBe("login_required");
    expect(await bring(one, requestUri)).toBe("400");
    expect(await bring(other, requestUri)).toBe("400");
  });

  test("begins one login, brought 8 times at once to both", async () => {
    for (let round = 0; round < rounds; round++) {
      const requestUri = await push(other);
      const answers = await atBoth((http) => bring(http, requestUri));
      expect(answers.toSorted()).toEqual([...Array.from({ length: 7 }, () => "400"), "login_required"]);
    }
  });
});

describe("of eight requests with one proof of possession, at two processes at once, one is accepted", () => {
  const key = makeProofKey();
  const prove = (path: string, bound: { readonly accessToken?: string } = {}) =>
    signProof(key, { url: `${issuer}${path}`, nowMs: Date.now(), ...bound });
  const askForToken = (http: HttpClient, dpop: string) =>
    post(http, "token", { ...bySecret(machine), scope: apiScope }, { dpop });

  test("for tokens", async () => {
    for (let round = 0; round < rounds; round++) {
      const dpop = await prove("/oauth/v2/token");
      expectOne(await atBoth((http) => askForToken(http, dpop)), "invalid_dpop_proof");
    }
  });

  test("of our API", async () => {
    const tokens = await askForToken(one, await prove("/oauth/v2/token"));
    const accessToken = String(tokens["access_token"]);
    for (let round = 0; round < rounds; round++) {
      const dpop = await prove("/gatehouse.v1.UserService/GetMyUser", { accessToken });
      const headers = { authorization: `DPoP ${accessToken}`, dpop };
      const outcomes = await atBoth((_http, index) =>
        (index % 2 === 0 ? pair.one : pair.other).clients.grpc.call(
          UserService.method.getMyUser,
          {},
          { headers },
        ),
      );
      const refused = outcomes.filter(({ kind }) => kind === "error").map((each) => refusalOf(each).reason);
      expect(refused).toEqual(Array.from({ length: 7 }, () => "TOKEN_INVALID"));
    }
  });
});

const readAtOther = async (path: string) => (await other.send({ method: "GET", path, headers: {} })).text;

test("a page has the look that its organization was given, at the other process too", async () => {
  const path = `/account/signed-out?organization=${organizationId}`;
  expect(await readAtOther(path)).not.toContain("#123123");
  const inside = createCaller(pair.one, organizationId);
  const { updateLabelPolicy, activateLabelPolicy } = LabelPolicyService.method;
  await inside(updateLabelPolicy, { light: { primaryColor: "#123123" } });
  await inside(activateLabelPolicy, {});
  expect(await readAtOther(path)).toContain("#123123");
});

test("the page of devices says what the instance wants, at the other process too", async () => {
  expect(await readAtOther("/device")).toContain("<h1>Connect a device</h1>");
  const texts = [{ key: "login.device.codeTitle", text: "Connect a television" }];
  await pair.one.call(CustomTextService.method.setDefaultCustomTexts, { language: "en", texts });
  expect(await readAtOther("/device")).toContain("<h1>Connect a television</h1>");
});
