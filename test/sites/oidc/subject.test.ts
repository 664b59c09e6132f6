import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { OidcSubject, OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, idOf, uniqueName } from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { createGateway, exchange, jwtTokens, scopeFor } from "./support/exchange.ts";
import { createLoginPlace } from "./support/login-place.ts";
import { claimsOf, startLogoutReceiver } from "./support/logout-receiver.ts";
import { postForm } from "./support/machine.ts";
import { authorize, browse, credentialsOf, getTokens, refresh, signIn } from "./support/signed-in.ts";

// Applications that know their users by the ids that these had in another system (M2).

const receiver = await startLogoutReceiver();
const service = await startService({ dev: true }); // so that it may post to loopback
const place = await createLoginPlace(service);
afterAll(async () => {
  receiver.close();
  await service.stop();
});

const byImportedId = { subject: OidcSubject.IMPORTED_ID };
const importedId = "f:8a1b:ada|4711";
const inside = createCaller(service, place.organizationId);
const userId = idOf(
  await inside(UserService.method.addHumanUser, {
    username: uniqueName("moved"),
    givenName: "Ada",
    familyName: "Lovelace",
    email: "ada@example.com",
    importedId,
  }),
  "userId",
);
const browser = await signIn(service, userId);
const opaque = await createApplication(service, place, byImportedId);
const withJwts = await createApplication(service, place, {
  ...byImportedId,
  accessTokenType: OidcTokenType.JWT,
  apiAccess: true,
});
const plain = await createApplication(service, place);

const userinfo = async (token: string): Promise<Record<string, unknown>> =>
  JSON.parse((await browse(service, "/oidc/v1/userinfo", { authorization: `Bearer ${token}` })).text);
const introspect = async (application: TestApplication, token: string): Promise<Record<string, unknown>> =>
  JSON.parse(
    (await postForm(service, "/oauth/v2/introspect", { token, ...credentialsOf(application) })).text,
  );
const askFor = async (application: TestApplication, parameters: Readonly<Record<string, string>>) =>
  (await authorize(service, application, { browser, parameters: { prompt: "none", ...parameters } })).back;
const subOf = (token: unknown) => decodeJwt(String(token)).sub;

describe.each([
  ["opaque tokens", opaque],
  ["JWTs", withJwts],
])("an application by imported ids, with %s", (_kind, application) => {
  test("learns nothing but the imported id, in each token and answer, also after a refresh", async () => {
    const first = await getTokens(service, application, { browser });
    const again = await refresh(service, application, first.refreshToken);
    for (const tokens of [first.json, again.json]) {
      const accessToken = String(tokens["access_token"]);
      expect(subOf(tokens["id_token"])).toBe(importedId);
      expect((await userinfo(accessToken))["sub"]).toBe(importedId);
      expect((await introspect(application, accessToken))["sub"]).toBe(importedId);
    }
    const refreshToken = String(again.json["refresh_token"]);
    expect(await introspect(application, refreshToken)).toMatchObject({ active: true, sub: importedId });
  });

  test("names the user by it in id_token_hint and claims, or by an older hint", async () => {
    const { idToken } = await getTokens(service, application, { browser });
    const { idToken: ofOther } = await getTokens(service, application, {
      browser: await signIn(service, await createHumanUser(service, place.organizationId)),
    });
    const claims = (value: string) => JSON.stringify({ id_token: { sub: { value } } });
    expect(await askFor(application, { id_token_hint: idToken })).toHaveProperty("code");
    expect(await askFor(application, { claims: claims(importedId) })).toHaveProperty("code");
    expect(await askFor(application, { claims: claims(userId), id_token_hint: idToken })).toHaveProperty(
      "code",
    );
    expect((await askFor(application, { id_token_hint: ofOther }))["error"]).toBe("login_required");
    expect((await askFor(application, { claims: claims("f:8a1b:eve|1") }))["error"]).toBe("login_required");
  });

  test("knows a user without one by the id", async () => {
    const other = await signIn(service, await createHumanUser(service, place.organizationId));
    const { json } = await getTokens(service, application, { browser: other });
    expect(subOf(json["id_token"])).toBe(other.userId);
    expect((await userinfo(String(json["access_token"])))["sub"]).toBe(other.userId);
  });
});

test("an application without the setting knows the user by the id alone, and reads nothing else", async () => {
  const { json } = await getTokens(service, plain, { browser });
  expect(subOf(json["id_token"])).toBe(userId);
  expect((await userinfo(String(json["access_token"])))["sub"]).toBe(userId);
  const claims = JSON.stringify({ id_token: { sub: { value: importedId } } });
  expect((await askFor(plain, { claims }))["error"]).toBe("login_required");
});

test("our own API takes such a JWT, and knows its user by the id", async () => {
  const scope = "openid urn:zitadel:iam:org:project:id:zitadel:aud";
  const { accessToken } = await getTokens(service, withJwts, { browser, parameters: { scope } });
  expect(subOf(accessToken)).toBe(importedId);
  const { user } = await service.call(UserService.method.getMyUser, {}, accessToken);
  expect(user).toMatchObject({ id: userId, importedId });
});

test("a token that was exchanged says what its own client knows the user by", async () => {
  const { organizationId } = place;
  const [gateway, knowing] = [
    await createGateway(service, organizationId, jwtTokens),
    await createGateway(service, organizationId, { ...jwtTokens, ...byImportedId }),
  ];
  const scope = `openid ${scopeFor(gateway)} ${scopeFor(knowing)}`;
  for (const application of [withJwts, opaque]) {
    const { accessToken } = await getTokens(service, application, { browser, parameters: { scope } });
    expect(subOf(await exchange(service, gateway, accessToken))).toBe(userId);
    const exchanged = await exchange(service, knowing, accessToken);
    expect(subOf(exchanged)).toBe(importedId);
    expect(await introspect(knowing, exchanged)).toMatchObject({ active: true, sub: importedId });
  }
});

test("a logout token names the user as the ID token did, also once the user is removed", async () => {
  const url = receiver.open();
  const heard = { devMode: true, backChannelLogoutUri: url, ...byImportedId };
  const application = await createApplication(service, place, heard);
  const add = async (old: string) =>
    idOf(
      await inside(UserService.method.addHumanUser, {
        username: uniqueName("moved"),
        givenName: "Ada",
        familyName: "Lovelace",
        email: "ada@example.com",
        importedId: old,
      }),
      "userId",
    );
  const leaving = await signIn(service, await add("leaving"));
  const removed = await signIn(service, await add("removed"));
  for (const by of [leaving, removed]) await getTokens(service, application, { browser: by });
  await service.call(SessionService.method.terminateSession, { sessionId: leaving.sessionId });
  await inside(UserService.method.removeUser, { userId: removed.userId });
  const received = await receiver.untilAt(url, 2);
  expect(received.map((each) => claimsOf(each).sub)).toEqual(expect.arrayContaining(["leaving", "removed"]));
});
