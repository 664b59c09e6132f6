import { createRemoteJWKSet, jwtVerify } from "jose";
import { hash } from "node:crypto";
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { EmulatorService, SignInResult } from "../../gen/gatehouse/emulator/v1/emulator_service_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { SessionMethod } from "../../gen/gatehouse/v1/session_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { lanes } from "../support/clients.ts";
import { refusalOf } from "../support/service.ts";
import { startEmulator } from "./support/start-emulator.ts";

// What tests of applications do with an emulator. Each case begins with Reset, so they hold that as well.

const { advanceClock, listMessages, reset, setResetPoint, signIn } = EmulatorService.method;
const redirectUri = "http://localhost:3000/callback";

const emulator = await startEmulator();
const { call, http, token } = emulator;
const seed = await makeSeed();
await call(setResetPoint, {});
afterAll(() => emulator.stop());
beforeEach(() => call(reset, {}));

async function makeSeed() {
  const { id: projectId } = (await call(ProjectService.method.addProject, { name: "Shop" })) as {
    id: string;
  };
  const app = (await call(ApplicationService.method.createOidcApplication, {
    projectId,
    name: "Web",
    redirectUris: [redirectUri],
    devMode: true,
  })) as { clientId: string; clientSecret: string };
  const { userId } = (await call(UserService.method.addHumanUser, {
    username: "ada",
    givenName: "Ada",
    familyName: "Lovelace",
    email: "ada@example.com",
    emailVerification: { case: "isVerified", value: true },
  })) as { userId: string };
  return { projectId, ...app, userId };
}

/** Calls as SignIn does, and returns why it was refused. */
async function refused(request: Parameters<typeof call<typeof signIn>>[1]) {
  const { reason, fields } = refusalOf(await emulator.clients.json.call(signIn, request, { token }));
  return { reason, fields };
}

interface Answer {
  readonly userId: string;
  readonly cookie: { readonly name: string; readonly value: string };
  readonly code: string;
  readonly callbackUrl: string;
  readonly tokens?: Readonly<Record<string, string>>;
}

async function signedIn(request: Parameters<typeof call<typeof signIn>>[1] = {}): Promise<Answer> {
  return (await call(signIn, { user: "ada", application: "Web", ...request })) as unknown as Answer;
}

async function statusOfUserinfo(accessToken: string): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await http.send({ method: "GET", path: "/oidc/v1/userinfo", headers })).status;
}

describe("SignIn", () => {
  test.each(lanes)("returns tokens over %s", async (lane) => {
    const request = { user: "ada", application: "Web", nonce: "n-1" };
    const outcome = await emulator.clients[lane].call(signIn, request, { token });
    if (outcome.kind !== "answer") throw new Error(outcome.status.message);
    const { tokens, userId } = outcome.json as unknown as Answer;
    expect(userId).toBe(seed.userId);
    expect(await statusOfUserinfo(tokens?.["accessToken"] ?? "")).toBe(200);
    const keys = createRemoteJWKSet(new URL(`${emulator.url}/oauth/v2/keys`));
    const expected = { issuer: emulator.url, audience: seed.clientId };
    const { payload } = await jwtVerify(tokens?.["idToken"] ?? "", keys, expected);
    expect(payload).toMatchObject({ sub: seed.userId, nonce: "n-1", amr: ["pwd"] });
  });

  test("returns a code that the application redeems, once", async () => {
    const verifier = "a".repeat(43);
    const codeChallenge = hash("sha256", verifier, "base64url");
    const asked = { result: SignInResult.CODE, state: "s 1", codeChallenge, user: seed.userId };
    const { code, callbackUrl, tokens } = await signedIn({ ...asked, application: seed.clientId });
    expect(tokens).toBeUndefined();
    const url = new URL(callbackUrl);
    expect(url.origin + url.pathname).toBe(redirectUri);
    expect(Object.fromEntries(url.searchParams)).toEqual({ code, state: "s 1", iss: emulator.url });
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
    const redeem = async () => {
      const basic = Buffer.from(`${seed.clientId}:${seed.clientSecret}`).toString("base64");
      const headers = {
        authorization: `Basic ${basic}`,
        "content-type": "application/x-www-form-urlencoded",
      };
      const body = new URLSearchParams(form).toString();
      return (await http.send({ method: "POST", path: "/oauth/v2/token", headers, body })).status;
    };
    expect([await redeem(), await redeem()]).toEqual([200, 400]);
  });

  test("returns the cookie of a session with which a browser logs in without a page", async () => {
    const { cookie } = await signedIn();
    const query = new URLSearchParams({
      client_id: seed.clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid",
    });
    const path = `/oauth/v2/authorize?${query.toString()}`;
    const headers = { cookie: `${cookie.name}=${cookie.value}`, host: new URL(emulator.url).host };
    const answer = await http.send({ method: "GET", path, headers });
    expect(answer.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/callback\?code=/);
  });

  test("proves two factors where the policy demands them, or what the call names", async () => {
    const amrOf = async (request: Parameters<typeof signedIn>[0]) => {
      const { tokens } = await signedIn(request);
      const claims = tokens?.["idToken"]?.split(".")[1] ?? "";
      return (JSON.parse(Buffer.from(claims, "base64url").toString()) as { amr: unknown }).amr;
    };
    expect(await amrOf({ methods: [SessionMethod.PASSKEY] })).toContain("mfa");
    await call(LoginPolicyService.method.updateLoginPolicy, { allowPassword: true, forceMfa: true });
    expect(await amrOf({})).toEqual(["pwd", "otp", "mfa"]);
  });

  test("gives an application of another organization what a page would have asked for", async () => {
    const { organizationId: id } = (await call(OrganizationService.method.addOrganization, {
      name: "Elsewhere",
    })) as { organizationId: string };
    const headers = { "x-service-orgid": id };
    const made = await emulator.clients.json.call(
      UserService.method.addHumanUser,
      { username: "bob", givenName: "Bob", familyName: "B", email: "bob@example.com" },
      { token, headers },
    );
    expect(made.kind).toBe("answer");
    expect((await signedIn({ user: "bob" })).tokens?.["scope"]).toBe("openid profile email");
  });

  test("refuses what the pages and the application would refuse", async () => {
    expect(await refused({ user: "eve", application: "Web" })).toMatchObject({ reason: "NOT_FOUND" });
    expect(await refused({ user: "ada", application: "Wb" })).toMatchObject({ reason: "NOT_FOUND" });
    const elsewhere = { user: "ada", application: "Web", redirectUri: "http://localhost:3001/" };
    expect(await refused(elsewhere)).toEqual({ reason: "FIELD_INVALID", fields: ["redirect_uri"] });
    const second = { user: "ada", application: "Web", methods: [SessionMethod.TOTP] };
    expect(await refused(second)).toMatchObject({ reason: "SIGN_IN_REFUSED" });
    const withoutOpenid = { user: "ada", application: "Web", scopes: ["email"] };
    expect(await refused(withoutOpenid)).toMatchObject({ reason: "SIGN_IN_REFUSED" });
    await call(ProjectService.method.updateProject, {
      id: seed.projectId,
      name: "Shop",
      projectRoleCheck: true,
    });
    expect(await refused({ user: "ada", application: "Web" })).toMatchObject({ reason: "SIGN_IN_REFUSED" });
    await call(UserService.method.deactivateUser, { userId: seed.userId });
    expect(await refused({ user: "ada", application: "Web" })).toMatchObject({ reason: "SIGN_IN_REFUSED" });
  });

  test("needs the token, and takes no header for repeats and tries", async () => {
    const { json } = emulator.clients;
    const request = { user: "ada", application: "Web" };
    expect(refusalOf(await json.call(signIn, request)).reason).toBe("TOKEN_MISSING");
    const { tokens } = await signedIn();
    const asUser = { token: tokens?.["accessToken"] ?? "" };
    expect(refusalOf(await json.call(signIn, request, asUser)).reason).toBe("TOKEN_INVALID");
    for (const [name, value] of [
      ["idempotency-key", "k"],
      ["x-service-validate-only", "true"],
    ] as const) {
      const options = { token, headers: { [name]: value } };
      expect(refusalOf(await json.call(signIn, request, options)).reason).toBe("INVALID_REQUEST");
      expect(refusalOf(await json.call(reset, {}, options)).reason).toBe("INVALID_REQUEST");
      expect(refusalOf(await json.call(advanceClock, {}, options)).reason).toBe("INVALID_REQUEST");
    }
  });
});

describe("AdvanceClock", () => {
  const advance = async (seconds: bigint) => {
    const { date } = (await call(advanceClock, { seconds })) as { readonly date: string };
    return Date.parse(date);
  };

  test("lets tokens and sessions end, and shows its time until Reset", async () => {
    const { tokens, cookie } = await signedIn();
    const accessToken = tokens?.["accessToken"] ?? "";
    const before = Date.now();
    expect((await advance(3601n)) - before).toBeGreaterThanOrEqual(3_601_000);
    expect(await statusOfUserinfo(accessToken)).toBe(401);
    await call(advanceClock, { seconds: BigInt(400 * 86_400) });
    const path = `/oauth/v2/authorize?${new URLSearchParams({
      client_id: seed.clientId,
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid",
      prompt: "none",
    }).toString()}`;
    const headers = { cookie: `${cookie.name}=${cookie.value}`, host: new URL(emulator.url).host };
    const { headers: answered } = await http.send({ method: "GET", path, headers });
    expect(answered.get("location")).toContain("error=login_required");
    await call(reset, {});
    expect((await advance(0n)) - Date.now()).toBeLessThan(1000);
  });

  test("does not lead beyond the year 2200", async () => {
    await call(advanceClock, { seconds: 3_153_600_000n });
    const { reason } = refusalOf(
      await emulator.clients.json.call(advanceClock, { seconds: 3_153_600_000n }, { token }),
    );
    expect(reason).toBe("FIELD_INVALID");
  });
});

describe("ListMessages", () => {
  interface Sent {
    readonly messages: readonly Readonly<Record<string, string>>[];
  }
  const list = async (request: Parameters<typeof call<typeof listMessages>>[1] = {}) =>
    ((await call(listMessages, request)) as unknown as Sent).messages;

  test("has the code and the links of emails and text messages, newest first", async () => {
    await call(UserService.method.setEmail, {
      userId: seed.userId,
      email: "new@example.com",
      verification: { case: "sendCode", value: {} },
    });
    const [mail] = await list({ recipient: "New@example.com", waitMs: 10_000 });
    expect(mail).toMatchObject({ kind: "MESSAGE_KIND_EMAIL", recipient: "new@example.com" });
    const code = mail?.["code"] ?? "";
    expect(code).toMatch(/^\d{8}$/);
    await call(UserService.method.verifyEmail, { userId: seed.userId, verificationCode: code });
    await call(UserService.method.setPhone, {
      userId: seed.userId,
      phone: "+41446681800",
      verification: { case: "sendCode", value: {} },
    });
    const [sms] = await list({ recipient: "+41446681800", waitMs: 10_000 });
    expect(sms).toMatchObject({ kind: "MESSAGE_KIND_SMS", subject: "", html: "" });
    await call(advanceClock, { seconds: 60n }); // not so many messages at a time
    await call(UserService.method.requestPasswordReset, {
      userId: seed.userId,
      medium: { case: "sendLink", value: {} },
    });
    const [resetMail] = await list({ recipient: "new@example.com", limit: 1, waitMs: 10_000 });
    expect(resetMail?.["links"]?.[0]).toMatch(new RegExp(`^${emulator.url}/`));
  });

  test("waits no longer than it is told, and forgets everything with Reset", async () => {
    expect(await list({ recipient: "nobody@example.com", waitMs: 50 })).toEqual([]);
  });
});

test("Reset brings back what was changed, removes what was made, and gives no id twice", async () => {
  const add = () => call(ProjectService.method.addProject, { name: "Another" });
  const { id: first } = await add();
  await call(UserService.method.deactivateUser, { userId: seed.userId });
  await call(reset, {});
  const { projects } = (await call(ProjectService.method.listProjects, {})) as {
    projects: { name: string }[];
  };
  expect(projects.map(({ name }) => name)).toEqual(["Shop"]);
  const { id: second } = await add();
  expect(second).not.toBe(first);
  const again = await signedIn();
  const accessToken = again.tokens?.["accessToken"] ?? "";
  expect(await statusOfUserinfo(accessToken)).toBe(200);
  await call(reset, {});
  expect(await statusOfUserinfo(accessToken)).toBe(401);
});
