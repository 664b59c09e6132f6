// Hooks of logins that make or bring accounts (rule H4): before registration, and after a login at a provider.
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { silent, startHookReceiver, withJson } from "../../support/hook-receiver.ts";
import { startService } from "../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import {
  createFederationPlace,
  beginLogin,
  type FederationPlace,
  leaveForProvider,
  listUsers,
  openBrowser,
  titleOf,
} from "./support/place.ts";
import { startProvider } from "./support/provider.ts";

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
const receiver = await startHookReceiver();
afterAll(async () => {
  provider.stop();
  await receiver.stop();
  await service.stop();
});
beforeEach(() => {
  receiver.answer = silent;
  receiver.calls.length = 0;
  provider.play({ userinfo: { preferred_username: uniqueName("ada") } });
});

/** Adds a hook to the organization, and returns its id. */
async function addHookTo({ organizationId }: FederationPlace, kind: HookKind, settings: object = {}) {
  const request = { name: uniqueName("Hook"), kind, url: receiver.url, timeoutMs: 2000, ...settings };
  return idOf(await createCaller(service, organizationId)(HookService.method.addHook, request), "hookId");
}

async function openPlace(): Promise<FederationPlace> {
  const place = await createFederationPlace(service, provider, { autoRegister: true });
  const policy = { allowPassword: true, allowRegistration: true, allowExternalIdps: true };
  await createCaller(service, place.organizationId)(LoginPolicyService.method.updateLoginPolicy, policy);
  await createCaller(service, place.organizationId)(LoginPolicyService.method.addIdpToLoginPolicy, {
    idpId: place.idpId,
  });
  return place;
}

/** Comes back from the provider to a login at the application. */
async function comeFromProvider(place: FederationPlace, as?: string) {
  const browser = openBrowser(service);
  return await browser.open(provider.logIn(await leaveForProvider(service, place, browser), as).href);
}

/** Registers at the application. */
async function registerAt(place: FederationPlace) {
  const browser = openBrowser(service);
  const page = await beginLogin(service, place, browser, { prompt: "create" });
  const username = uniqueName("new").replaceAll(" ", "-");
  const names = { username, given_name: "Ada", family_name: "Lovelace", email: `${username}@example.test` };
  const password = "an umbrella of purple cheese";
  return { username, visited: await browser.submit(page, { ...names, password, repeated: password }) };
}

const isIn = ({ url }: { readonly url: URL }) => url.searchParams.has("code");
const dataOf = () => receiver.calls.map(({ body }) => [body.type, body.data] as const);

async function refusalsOf({ organizationId }: FederationPlace, hookId: string) {
  const asked = { aggregateId: hookId, eventType: "hook.refused" };
  const { events } = await createCaller(service, organizationId)(EventService.method.listEvents, asked);
  return (events as JsonObject[]).map(({ payload }) => payload);
}

describe("a hook before registration", () => {
  test("learns who registers, and changes the names; tokens are asked about for the same user", async () => {
    const place = await openPlace();
    await addHookTo(place, HookKind.BEFORE_REGISTRATION);
    await addHookTo(place, HookKind.BEFORE_TOKEN, { failClosed: true });
    receiver.answer = (response, call) => {
      service.clock.turn(1000); // an answer takes its time
      const profile = { given_name: "Augusta", display_name: "Countess" };
      withJson(call.body.type === "hook.before_registration" ? { profile } : {})(response, call);
    };
    const { username, visited } = await registerAt(place);
    expect(isIn(visited)).toBe(true);
    const [[type, data] = [], [, token] = []] = dataOf();
    expect([type, data]).toEqual([
      "hook.before_registration",
      {
        organization_id: place.organizationId,
        project_id: place.projectId,
        application_id: place.application.clientId,
        username,
        email: `${username}@example.test`,
        email_verified: false,
        given_name: "Ada",
        family_name: "Lovelace",
        display_name: "",
        preferred_language: "en",
      },
    ]);
    expect(receiver.calls).toHaveLength(2);
    const [user] = await listUsers(service, place);
    const names = { givenName: "Augusta", familyName: "Lovelace", displayName: "Countess" };
    expect(user).toMatchObject({ id: token?.["sub"], human: names });
  });

  test("is asked about accounts that a provider makes, and can refuse them", async () => {
    const place = await openPlace();
    const hookId = await addHookTo(place, HookKind.BEFORE_REGISTRATION);
    receiver.answer = withJson({ allow: false, message: "Only staff" });
    const refused = await comeFromProvider(place);
    expect([titleOf(refused)[0], refused.page?.text]).toEqual([403, expect.stringContaining("Only staff")]);
    expect(await listUsers(service, place)).toEqual([]);
    const about = { application_id: place.application.clientId };
    expect(await refusalsOf(place, hookId)).toEqual([{ cause: "refused", ...about }]);
    receiver.answer = withJson({ profile: { family_name: "King" } });
    expect(isIn(await comeFromProvider(place))).toBe(true);
    expect(dataOf().at(-1)?.[1]).toMatchObject({
      identity_provider_id: place.idpId,
      email: "ada@provider.example",
      email_verified: true,
    });
    expect(await listUsers(service, place)).toMatchObject([
      { human: { givenName: "Ada", familyName: "King" } },
    ]);
    expect(isIn(await comeFromProvider(place))).toBe(true);
    expect(receiver.calls).toHaveLength(2); // the account is there now
  });

  test.each([{ given_name: "" }, { family_name: 1 }, { display_name: "a\u202eb" }, "Ada"])(
    "answers nothing that can be used with the profile %j",
    async (profile) => {
      const place = await openPlace();
      await addHookTo(place, HookKind.BEFORE_REGISTRATION, { failClosed: true });
      receiver.answer = withJson({ profile });
      expect((await registerAt(place)).visited.page?.status).toBe(503);
      expect(await listUsers(service, place)).toEqual([]);
    },
  );

  test("is not asked by the console", async () => {
    const place = await openPlace();
    await addHookTo(place, HookKind.BEFORE_REGISTRATION, { failClosed: true });
    const redirectUri = `http://localhost:${service.port}/console/callback`;
    const application = { ...place.application, clientId: "gatehouse-console", redirectUri };
    const scope = `openid urn:zitadel:iam:org:id:${place.organizationId}`;
    const browser = openBrowser(service);
    const url = await leaveForProvider(service, { ...place, application }, browser, { scope });
    await browser.open(provider.logIn(url).href);
    expect(await listUsers(service, place)).toHaveLength(1);
    expect(receiver.calls).toEqual([]);
  });
});
