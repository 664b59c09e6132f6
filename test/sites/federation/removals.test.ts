import { afterAll, describe, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createApplication, type TestApplication } from "../oidc/support/application.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import { askForTokens } from "../oidc/support/machine.ts";
import { getTokens, redemption, refresh, signIn } from "../oidc/support/signed-in.ts";
import type { UserAgent } from "../oidc/support/user-agent.ts";
import { startService } from "../../support/service.ts";
import { createCaller } from "../../support/world.ts";
import { addProvider, beginLogin, createFederationPlace, openBrowser, titleOf } from "./support/place.ts";
import { startProvider, type TestProvider } from "./support/provider.ts";

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
afterAll(async () => {
  provider.stop();
  await service.stop();
});

interface Place {
  readonly organizationId: string;
  readonly application: TestApplication;
  readonly idpId: string;
  readonly otherIdpId: string;
  readonly userId: string;
}

/** Two providers, and a user with a password and a link to each. The application hears of the end of sessions. */
async function createPlace(): Promise<Place> {
  const made = await createFederationPlace(service, provider);
  const application = await createApplication(service, made, {
    backChannelLogoutUri: "https://app.example/logout",
  });
  const otherIdpId = await addProvider(service, made.organizationId, provider);
  const { userId, username, password } = await createPerson(service, made.organizationId);
  credentials.set(userId, { username, password });
  for (const idpId of [made.idpId, otherIdpId]) await link(userId, idpId);
  return { ...made, application, otherIdpId, userId };
}

const credentials = new Map<string, { readonly username: string; readonly password: string }>();
const offline = { scope: "openid offline_access" } as const;

async function link(userId: string, idpId: string) {
  const externalUserId = provider.subject;
  await service.call(UserService.method.addIdpLink, { userId, idpId, externalUserId });
}

/** Logs in and redeems the code. `idpId`: by that provider, else by the password. */
async function logIn(
  { application, userId }: Pick<Place, "application" | "userId">,
  { idpId, browser = openBrowser(service), prompt }: LoggingIn = {},
) {
  const page = await beginLogin(service, { application }, browser, { ...offline, prompt });
  const back =
    idpId === undefined
      ? (await browser.submit(page, { ...credentials.get(userId) })).url
      : (await browser.open(provider.logIn((await browser.submit(page, { provider: idpId })).url).href)).url;
  const code = back.searchParams.get("code") ?? "";
  const { json } = await askForTokens(service, redemption(application, code));
  return {
    browser,
    accessToken: String(json["access_token"]),
    refreshToken: String(json["refresh_token"]),
    isIn: json["access_token"] !== undefined,
  };
}

interface LoggingIn {
  readonly idpId?: string;
  readonly browser?: UserAgent;
  readonly prompt?: string;
}

/** What is left of a login: whether the browser is in, the access token good, and the refresh token, in this order. */
async function lookAt(
  { application }: Pick<Place, "application">,
  login: Awaited<ReturnType<typeof logIn>>,
): Promise<readonly boolean[]> {
  const again = await beginLogin(service, { application }, login.browser, { prompt: "none" });
  const headers = { authorization: `Bearer ${login.accessToken}` };
  const { status } = await service.http.send({ method: "GET", path: "/oidc/v1/userinfo", headers });
  const renewed = await refresh(service, application, login.refreshToken);
  return [again.url.searchParams.has("code"), status === 200, renewed.status === 200];
}

const allOf = [true, true, true];
const none = [false, false, false];

async function listStates({
  organizationId,
  userId,
}: Pick<Place, "organizationId" | "userId">): Promise<readonly string[]> {
  const call = createCaller(service, organizationId);
  const { sessions } = await call(SessionService.method.listSessions, { userId });
  return (sessions as unknown as readonly { readonly state: string }[]).map(({ state }) => state).toSorted(); // a list of the contract
}

async function countNotices(userId: string): Promise<number> {
  const rows = await service.context.database.read((tx) =>
    tx.all("SELECT session_id FROM logout_notices WHERE user_id = ?", [userId]),
  );
  return rows.length;
}

const active = "SESSION_STATE_ACTIVE";
const terminated = "SESSION_STATE_TERMINATED";

describe.each([
  [
    "a provider",
    ({ organizationId, idpId }: Place) =>
      createCaller(service, organizationId)(IdentityProviderService.method.removeIdentityProvider, { idpId }),
  ],
  [
    "a link",
    ({ userId, idpId }: Place) =>
      service.call(UserService.method.removeIdpLink, {
        userId,
        idpId,
        externalUserId: provider.subject,
      }),
  ],
])("the removal of %s", (what, remove) => {
  // The link is one that the user has made: what others have made ends all logins.
  const isLink = what === "a link";

  test("ends what was begun with it alone, and nothing else", async () => {
    const place = await createPlace();
    const { idpId, otherIdpId, userId } = place;
    if (isLink) await makeOwn(userId, idpId);
    const begun = await logIn(place, { idpId });
    const elsewhere = await logIn(place, { idpId: otherIdpId });
    const own = await logIn(place);
    const before = await logIn(place, { idpId });
    const after = await logIn(place, { browser: before.browser, prompt: "login" });
    for (const { isIn } of [begun, elsewhere, own, before, after]) expect(isIn).toBe(true);
    await remove(place);
    expect(await listStates(place)).toEqual([active, active, active, terminated]);
    expect(await countNotices(userId)).toBe(1);
    expect(await lookAt(place, begun)).toEqual(none);
    for (const login of [elsewhere, own, after]) expect(await lookAt(place, login)).toEqual(allOf);
    // In a session in which the password was typed later, too.
    expect(await lookAt(place, before)).toEqual([true, false, false]);
  });
});

/** Lets the link be one that the user has made. */
async function makeOwn(userId: string, idpId: string): Promise<void> {
  await service.context.database.write((tx) =>
    tx.run(
      "UPDATE idp_links SET creator = user_id, made_with_token_id = NULL WHERE user_id = ? AND idp_id = ?",
      [userId, idpId],
    ),
  );
}

test("the removal of a provider ends the login of somebody who got an account by it", async () => {
  const place = await createFederationPlace(service, provider, { autoRegister: true });
  const login = await logIn({ ...place, userId: "" }, { idpId: place.idpId });
  expect(login.isIn).toBe(true);
  const call = createCaller(service, place.organizationId);
  await call(IdentityProviderService.method.removeIdentityProvider, { idpId: place.idpId });
  expect(await lookAt(place, login)).toEqual(none);
});

test("a login of which no link was recorded, as of earlier versions, ends with any link of its user", async () => {
  const place = await createPlace();
  const { application, otherIdpId, userId } = place;
  await makeOwn(userId, otherIdpId);
  const browser = await signIn(service, userId, ["IDP"]);
  const tokens = await getTokens(service, application, { browser });
  await service.call(UserService.method.removeIdpLink, {
    userId,
    idpId: otherIdpId,
    externalUserId: provider.subject,
  });
  expect((await refresh(service, application, tokens.refreshToken)).status).toBe(400);
  expect(await listStates(place)).toEqual([terminated]);
});

test("a link of a former issuer lets nobody in at the new one, and does again when the former is back", async () => {
  const place = await createPlace();
  const { idpId, organizationId } = place;
  const call = createCaller(service, organizationId);
  const imposter = await startProvider(service.clock);
  imposter.play({ userinfo: { sub: provider.subject } });
  const moveTo = ({ issuer, clientId, clientSecret }: TestProvider) =>
    call(IdentityProviderService.method.updateIdentityProvider, {
      idpId,
      name: `Provider of ${idpId}`,
      config: { case: "oidc", value: { issuer, clientId, clientSecret } },
    });
  await moveTo(imposter);
  const browser = openBrowser(service);
  const { url } = await browser.submit(await beginLogin(service, place, browser), { provider: idpId });
  expect(url.origin).toBe(imposter.issuer);
  const page = await browser.open(imposter.logIn(url, provider.subject).href);
  expect(titleOf(page)).toEqual([200, "Do you have an account here?"]);
  imposter.stop();
  await moveTo(provider);
  expect((await logIn(place, { idpId })).isIn).toBe(true);
});

test("an inactive provider takes no login with it, and begins none", async () => {
  const place = await createPlace();
  const { idpId, organizationId } = place;
  const login = await logIn(place, { idpId });
  const waiting = openBrowser(service);
  const page = await beginLogin(service, place, waiting);
  const call = createCaller(service, organizationId);
  await call(IdentityProviderService.method.deactivateIdentityProvider, { idpId });
  expect(titleOf(await waiting.submit(page, { provider: idpId }))[0]).toBe(403);
  expect((await beginLogin(service, place, openBrowser(service))).page?.text).not.toContain(`"${idpId}"`);
  expect(await lookAt(place, login)).toEqual(allOf);
  await call(IdentityProviderService.method.reactivateIdentityProvider, { idpId });
  expect((await logIn(place, { idpId })).isIn).toBe(true);
});
