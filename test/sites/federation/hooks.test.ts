// Hooks of logins that make or bring accounts (rule H4): before registration, and after a login at a provider.
import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { HookKind } from "../../../gen/gatehouse/v1/hook_pb.ts";
import { HookService } from "../../../gen/gatehouse/v1/hook_service_pb.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import { createSamlIdp } from "./saml/support/saml-idp.ts";
import { createSamlPlace, logInBySaml } from "./saml/support/saml-place.ts";
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

const password = "an umbrella of purple cheese";

/** Registers at the application. */
async function registerAt(place: FederationPlace) {
  const browser = openBrowser(service);
  const page = await beginLogin(service, place, browser, { prompt: "create" });
  const username = uniqueName("new").replaceAll(" ", "-");
  const names = { username, given_name: "Ada", family_name: "Lovelace", email: `${username}@example.test` };
  return { username, visited: await browser.submit(page, { ...names, password, repeated: password }) };
}

const isIn = ({ url }: { readonly url: URL }) => url.searchParams.has("code");
const dataOf = () => receiver.calls.map(({ body }) => [body.type, body.data] as const);

async function refusalsOf({ organizationId }: FederationPlace, hookId: string) {
  const asked = { aggregateId: hookId, eventType: "hook.refused" };
  const { events } = await createCaller(service, organizationId)(EventService.method.listEvents, asked);
  return (events as JsonObject[]).map(({ payload }) => payload);
}

/** Comes from the provider to the console, which asks no hook: neither about the login nor about the account that it makes. */
async function expectSilenceFor(kind: HookKind): Promise<void> {
  const place = await openPlace();
  await addHookTo(place, kind, { failClosed: true });
  receiver.answer = withJson({ allow: false });
  const redirectUri = `http://localhost:${service.port}/console/callback`;
  const application = { ...place.application, clientId: "gatehouse-console", redirectUri };
  const scope = `openid urn:zitadel:iam:org:id:${place.organizationId}`;
  const browser = openBrowser(service);
  const url = await leaveForProvider(service, { ...place, application }, browser, { scope });
  await browser.open(provider.logIn(url).href);
  expect(await listUsers(service, place)).toHaveLength(1);
  expect(receiver.calls).toEqual([]);
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
    await expectSilenceFor(HookKind.BEFORE_REGISTRATION);
  });
});

describe("a hook after a login at a provider", () => {
  const kind = HookKind.AFTER_EXTERNAL_LOGIN;

  async function readUser(place: FederationPlace) {
    const inside = createCaller(service, place.organizationId);
    const [user] = (await listUsers(service, place)) as readonly { id: string; human: JsonObject }[];
    const userId = user?.id ?? "";
    const { metadata } = await inside(MetadataService.method.listUserMetadata, { userId });
    const { groups } = await inside(GroupService.method.listGroups, { userId });
    return {
      userId,
      names: [user?.human["givenName"], user?.human["familyName"], user?.human["displayName"]],
      metadata: (metadata as JsonObject[]).map(({ key, value }) => [key, atob(value as string)]),
      groups: (groups as JsonObject[]).map(({ name }) => name),
    };
  }

  test("learns what the provider says, and maps it to names, metadata and groups, each time", async () => {
    const place = await openPlace();
    const hookId = await addHookTo(place, kind, { metadataKeys: ["department", "_rank"] });
    const inside = createCaller(service, place.organizationId);
    const { addGroup } = GroupService.method;
    const source = { case: "sourceHookId" as const, value: hookId };
    const sales = await inside(addGroup, { name: "Sales", externalId: "sales", source });
    await inside(addGroup, { name: "Staff", externalId: "staff", source });
    await inside(addGroup, { name: "Others", externalId: "staff" });
    const userinfo = { preferred_username: uniqueName("ada"), department: "Sales", nonce: "n" };
    provider.play({ userinfo });
    receiver.answer = withJson({
      profile: { given_name: "Augusta", display_name: "Countess", preferred_language: "de-CH" },
      metadata: { department: "Sales", _rank: "3" },
      groups: [idOf(sales, "id"), "staff", "none"],
    });
    expect(isIn(await comeFromProvider(place))).toBe(true);
    const [[type, data] = []] = dataOf();
    expect([type, data]).toEqual([
      "hook.after_external_login",
      {
        organization_id: place.organizationId,
        project_id: place.projectId,
        application_id: place.application.clientId,
        identity_provider_id: place.idpId,
        issuer: provider.issuer,
        subject: provider.subject,
        claims: expect.objectContaining({ department: "Sales", sub: provider.subject }),
      },
    ]);
    expect(JSON.stringify(data)).not.toContain('"nonce"');
    const first = await readUser(place);
    expect(first).toMatchObject({
      names: ["Augusta", "Lovelace", "Countess"],
      metadata: [
        ["_rank", "3"],
        ["department", "Sales"],
      ],
      groups: ["Sales", "Staff"],
    });
    receiver.answer = withJson({ profile: { family_name: "King" }, metadata: { _rank: null }, groups: [] });
    expect(isIn(await comeFromProvider(place))).toBe(true);
    expect(dataOf()[1]?.[1]).toMatchObject({ user_id: first.userId });
    expect(await readUser(place)).toMatchObject({
      names: ["Augusta", "King", "Countess"],
      metadata: [["department", "Sales"]],
      groups: [],
    });
    receiver.answer = silent;
    await comeFromProvider(place);
    expect(receiver.calls).toHaveLength(3);
    expect((await readUser(place)).names).toEqual(["Augusta", "King", "Countess"]);
  });

  test("refuses, but no holder of a role on the instance, who also keeps the names", async () => {
    const place = await openPlace();
    expect(isIn(await comeFromProvider(place))).toBe(true);
    const hookId = await addHookTo(place, kind);
    receiver.answer = withJson({ allow: false, message: "Not you" });
    expect((await comeFromProvider(place)).page?.text).toContain("Not you");
    const { userId, names } = await readUser(place);
    const about = { user_id: userId, application_id: place.application.clientId };
    expect(await refusalsOf(place, hookId)).toEqual([{ cause: "refused", ...about }]);
    await service.call(UserService.method.setPassword, { userId, password });
    await service.call(MembershipService.method.addMembership, {
      userId,
      roles: ["INSTANCE_VIEWER"],
      scope: { case: "instance", value: true },
    });
    const notEnough = [403, "This is not enough to sign in"]; // without a factor of ours
    expect(titleOf(await comeFromProvider(place))).toEqual(notEnough);
    receiver.answer = withJson({ profile: { given_name: "Nobody" } });
    expect(titleOf(await comeFromProvider(place))).toEqual(notEnough);
    expect((await readUser(place)).names).toEqual(names);
  });

  test("sets what it may when an identity is linked to an account that was there", async () => {
    const place = await openPlace();
    await addHookTo(place, kind, { metadataKeys: ["department"] });
    const person = await createPerson(service, place.organizationId);
    receiver.answer = withJson({ metadata: { department: "Sales" }, profile: { given_name: "Augusta" } });
    provider.play({ userinfo: { preferred_username: person.username } });
    const browser = openBrowser(service);
    const url = await leaveForProvider(service, place, browser);
    const page = await browser.open(provider.logIn(url).href);
    const login = await browser.submit(page, { choice: "link" });
    const linking = await browser.submit(login, { ...person, text: person.username });
    expect(isIn(await browser.submit(linking, { choice: "link" }))).toBe(true);
    expect(receiver.calls).toHaveLength(1);
    expect((await readUser(place)).metadata).toEqual([["department", "Sales"]]);
  });

  test.each([
    ["a key that it may not set", { metadata: { other: "x" } }],
    ["a value that is no text", { metadata: { department: 1 } }],
    ["too long a value", { metadata: { department: "x".repeat(10_241) } }],
    ["metadata that are a list", { metadata: ["department"] }],
    ["groups that are no list", { groups: "staff" }],
    ["groups that are numbers", { groups: [1] }],
    ["a language that is none", { profile: { preferred_language: "not a language" } }],
  ])("answers nothing that can be used with %s", async (_what, answer) => {
    const place = await openPlace();
    await addHookTo(place, kind, { failClosed: true, metadataKeys: ["department"] });
    receiver.answer = withJson(answer);
    expect((await comeFromProvider(place)).page?.status).toBe(503);
    expect(await listUsers(service, place)).toEqual([]);
  });

  test("learns the attributes of an assertion", async () => {
    const idp = createSamlIdp(`http://localhost:${service.port}`, service.clock);
    const place = await createSamlPlace(service, idp);
    await addHookTo(place, kind, { failClosed: true });
    expect(isIn(await logInBySaml(service, { place, idp }))).toBe(true);
    const [[, data] = []] = dataOf();
    expect(data?.["claims"]).toMatchObject({ sn: ["Lovelace"] });
  });

  test("is not asked by the console", async () => {
    await expectSilenceFor(kind);
  });
});
