import type { JsonObject } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { createHash } from "node:crypto";
import { LabelImageKind } from "../../../gen/gatehouse/v1/label_policy_pb.ts";
import { LabelPolicyService } from "../../../gen/gatehouse/v1/label_policy_service_pb.ts";
import { pngOf } from "../../support/images.ts";
import { CustomTextService } from "../../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import {
  addApplicationKey,
  createLoginPlace,
  createOidcApplication,
  createPerson,
  type TestApplication,
  type TestPerson,
} from "../../sites/oidc/support/login-place.ts";
import { basic } from "../../sites/oidc/support/machine.ts";
import { logIn, openUserAgent, toAuthorizationUrl } from "../../sites/oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { createCaller, idOf } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

const users = UserService.method;
const returnCode = { case: "returnCode", value: {} } as const;
const redirectUri = "https://app.example/callback";
const verifier = "a-verifier-of-the-life-that-is-long-enough-0123456789";

/** Has people log in and out, with passwords, addresses and policies that change. Needs --dev. */
export async function liveLogins(service: ConnectedService): Promise<void> {
  await livePolicies(service);
  const place = await createLoginPlace(service);
  const { organizationId } = place;
  const application = await createOidcApplication(service, place, {
    redirectUris: [redirectUri],
    grantTypes: [OidcGrantType.AUTHORIZATION_CODE, OidcGrantType.REFRESH_TOKEN],
  });
  await addApplicationKey(service, application, "EdDSA");
  const person = await createPerson(service, organizationId);
  const { userId } = person;
  await liveAddresses(service, userId);
  await enter(service, application, person);
  await enter(service, application, person);
  const inside = createCaller(service, organizationId);
  const [session] = itemsOf(await inside(SessionService.method.listSessions, { userId }), "sessions");
  await inside(SessionService.method.terminateSession, { sessionId: session ?? "" });
  const [family] = itemsOf(await service.call(users.listRefreshTokens, { userId }), "refreshTokens");
  await service.call(users.removeRefreshToken, { userId, tokenId: family ?? "" });
  // Somebody of another organization is asked first whether the application may know them.
  const elsewhere = await createLoginPlace(service);
  const stranger = await createPerson(service, elsewhere.organizationId);
  await enter(service, application, stranger);
  await livePasswords(service, stranger.userId);
}

function itemsOf(answer: JsonObject, name: string): readonly string[] {
  return (answer[name] as JsonObject[]).map((item) => idOf(item, "id")); // a list of objects
}

/** Has the default policy and the one of an organization changed, and one of another removed. */
async function livePolicies(service: ConnectedService): Promise<void> {
  const { method } = LoginPolicyService;
  const settings = { allowPassword: true, minPasswordLength: 12 };
  await service.call(method.updateDefaultLoginPolicy, settings);
  await service.call(method.updateDefaultLoginPolicy, { ...settings, maxPasswordAttempts: 50 });
  for (const isReset of [false, true]) {
    const { organizationId } = await createLoginPlace(service);
    const inside = createCaller(service, organizationId);
    await inside(method.updateLoginPolicy, { ...settings, sessionIdleSeconds: 600 });
    if (isReset) await inside(method.resetLoginPolicy, {});
    const { method: labels } = LabelPolicyService;
    const kind = LabelImageKind.LOGO_LIGHT;
    const image = pngOf(2, 2);
    await inside(labels.setLabelPolicyImage, { kind, image });
    await inside(labels.activateLabelPolicy, {});
    await inside(labels.updateLabelPolicy, { hideProductName: true });
    if (isReset) await inside(labels.resetLabelPolicy, {});
    const { setCustomTexts, resetCustomTexts } = CustomTextService.method;
    await inside(setCustomTexts, { language: "de" });
    await inside(setCustomTexts, {
      language: "de",
      texts: [{ key: "login.password.title", text: "Willkommen" }],
    });
    if (isReset) await inside(resetCustomTexts, { language: "de" });
  }
}

async function liveAddresses(service: ConnectedService, userId: string): Promise<void> {
  const email = "grace.hopper@example.com";
  await service.call(users.setEmail, { userId, email, verification: returnCode });
  const again = await service.call(users.resendEmailCode, { userId, verification: returnCode });
  await service.call(users.verifyEmail, { userId, verificationCode: idOf(again, "verificationCode") });
}

async function livePasswords(service: ConnectedService, userId: string): Promise<void> {
  await service.call(users.requestPasswordReset, { userId, medium: returnCode });
  await service.call(users.removePassword, { userId });
}

/** Logs somebody in, at the second try, and once more, to an application, which gets a refresh token. */
async function enter(
  service: ConnectedService,
  application: TestApplication,
  person: TestPerson,
): Promise<void> {
  const issuer = `http://localhost:${new URL(service.url).port}`;
  const http = createHttpClient(service.url);
  try {
    const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
    const asked = { client_id: application.clientId, redirect_uri: redirectUri, response_type: "code" };
    const challenge = {
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
    };
    const url = toAuthorizationUrl(
      issuer,
      Object.entries({ ...asked, ...challenge, scope: "openid offline_access" }),
    );
    const mistyped = { username: person.username, password: `${person.password}?` };
    await logIn(agent, await agent.submit(await agent.open(url), mistyped), person);
    const back = await logIn(agent, await agent.open(`${url}&prompt=login`), person);
    const answer = await http.send({
      method: "POST",
      path: "/oauth/v2/token",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...basic(application.clientId, application.secret ?? ""),
      },
      body: new URLSearchParams({
        grant_type: "authorization_code",
        code: back.searchParams.get("code") ?? "",
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }).toString(),
    });
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 200 });
    const tokens = JSON.parse(answer.text) as Record<"access_token" | "refresh_token", string>;
    canaries.add("access token", tokens.access_token);
    canaries.add("refresh token", tokens.refresh_token);
  } finally {
    http.close();
  }
}
