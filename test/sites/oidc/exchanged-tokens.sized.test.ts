import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { sized } from "../../support/size.ts";
import { answerOf, refusalOf } from "../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { credentialsOf, getTokens } from "./support/signed-in.ts";
import { actorOf, createGateway, scopeFor, tokenTypes } from "./support/exchange.ts";
import { startExchangeGround } from "./support/exchange-ground.ts";
import { apiScope, createMachine, getAccessToken, issuerOf, postForm } from "./support/machine.ts";

const ground = await startExchangeGround();
afterAll(() => ground.service.stop());

/** Grants the project of a gateway to the organization of the portals, whose tokens may be for it then. */
async function grantToGround(owner: string, { projectId }: TestApplication): Promise<void> {
  const grant = { projectId, grantedOrganizationId: ground.organizationId, roleKeys: [] };
  await createCaller(ground.service, owner)(ProjectService.method.addProjectGrant, grant);
}

const jwtForm = { requested_token_type: `${tokenTypes}jwt` };
/** The forms of a first and of a second token: both are judged by what they have come of. */
const forms = [
  ["a JWT and then an opaque token", jwtForm, {}],
  ["an opaque token and then a JWT", {}, jwtForm],
] as const;

describe.each(forms.slice(0, sized({ small: 1, full: 2 })))("an exchange for %s", (_name, type, next) => {
  /** A login, two gateways, and the tokens of a chain: of the portal, the first and the second. */
  async function chain() {
    const user = await ground.createUser();
    const first = await createGateway(ground.service, ground.organizationId);
    const second = await createGateway(ground.service, ground.organizationId);
    const scope = `openid offline_access ${scopeFor(first)} ${scopeFor(second)}`;
    const tokens = await getTokens(ground.service, ground.portal, { browser: user, scope });
    const one = await ground.swap(first, tokens.accessToken, type);
    const two = await ground.swap(second, one, next);
    const state = async () => {
      const told = await Promise.all(
        [tokens.accessToken, one, two].map((token) => ground.introspect(token, second)),
      );
      const statuses = await Promise.all(
        [one, two].map(async (token) => (await ground.userinfo(token)).status),
      );
      return [...told.map(({ active }) => active), ...statuses];
    };
    expect(await state()).toEqual(all);
    return { user, first, second, tokens, one, two, state };
  }

  const all = [true, true, true, 200, 200];
  const none = [false, false, false, 401, 401];
  const onlyFirst = [true, false, false, 401, 401];
  const revoke = (by: TestApplication, token: string) =>
    postForm(ground.service, "/oauth/v2/revoke", { token, ...credentialsOf(by) });

  test("ends with the token that was exchanged, and with no later one", async () => {
    const { first, second, tokens, one, two, state } = await chain();
    expect((await revoke(first, two)).status).toBe(400); // it belongs to the second
    await revoke(second, two);
    expect(await state()).toEqual([true, true, false, 200, 401]);
    await revoke(first, one);
    expect(await state()).toEqual(onlyFirst);
    await revoke(ground.portal, tokens.accessToken);
    expect(await state()).toEqual(none);
  });

  test("ends when a token before it is revoked", async () => {
    const middle = await chain();
    await revoke(middle.first, middle.one);
    expect(await middle.state()).toEqual(onlyFirst);
    expect((await ground.ask(middle.second, middle.one)).error).toBe("invalid_request");
    expect((await ground.ask(middle.second, middle.two)).error).toBe("invalid_request");
    const start = await chain();
    await revoke(ground.portal, start.tokens.accessToken);
    expect(await start.state()).toEqual(none);
    const family = await chain();
    await revoke(ground.portal, family.tokens.refreshToken);
    expect(await family.state()).toEqual(none);
  });

  test("ends with the session, and with a lock", async () => {
    const ended = await chain();
    await ground.service.call(SessionService.method.terminateSession, { sessionId: ended.user.sessionId });
    expect(await ended.state()).toEqual(none);
    const locked = await chain();
    const { userId } = locked.user;
    await ground.service.call(UserService.method.lockUser, { userId });
    await ground.service.call(UserService.method.unlockUser, { userId });
    expect(await locked.state()).toEqual(none);
  });

  test("rests while an application on its way, its project or its organization is not active", async () => {
    const { first, one, two, state } = await chain();
    const inside = createCaller(ground.service, ground.organizationId);
    const app = { projectId: first.projectId, appId: first.clientId };
    const { method: apps } = ApplicationService;
    for (const [off, on] of [
      [() => inside(apps.deactivateApplication, app), () => inside(apps.reactivateApplication, app)],
      [
        () => inside(ProjectService.method.deactivateProject, { id: first.projectId }),
        () => inside(ProjectService.method.reactivateProject, { id: first.projectId }),
      ],
    ] as const) {
      await off();
      expect(await state()).toEqual(onlyFirst);
      expect((await ground.ask(first, one)).error).toBe("invalid_client");
      await on();
      expect(await state()).toEqual(all);
    }
    const id = ground.organizationId;
    await ground.service.call(OrganizationService.method.deactivateOrganization, { id });
    for (const token of [one, two]) expect((await ground.userinfo(token)).status).toBe(401);
    await ground.service.call(OrganizationService.method.reactivateOrganization, { id });
    expect(await state()).toEqual(all);
    await inside(apps.removeApplication, app);
    expect(await state()).toEqual(onlyFirst);
  });

  test("rests while the application of the login is not active", async () => {
    const inside = createCaller(ground.service, ground.organizationId);
    const at = await createApplication(ground.service, {
      organizationId: ground.organizationId,
      projectId: ground.portal.projectId,
    });
    const subject = await ground.subjectFor([ground.gateway], { at });
    const token = await ground.swap(ground.gateway, subject, type);
    const app = { projectId: at.projectId, appId: at.clientId };
    await inside(ApplicationService.method.deactivateApplication, app);
    expect(await ground.introspect(token)).toEqual({ active: false });
    expect((await ground.ask(ground.gateway, subject)).error).toBe("invalid_request");
    expect((await ground.ask(ground.gateway, token)).error).toBe("invalid_request");
    await inside(ApplicationService.method.reactivateApplication, app);
    expect((await ground.ask(ground.gateway, token)).status).toBe(200);
  });

  test("calls our API for its user, if its client may, until the client may not", async () => {
    const owner = await ground.createOrganization();
    const by = await createGateway(ground.service, owner, { apiAccess: true });
    await grantToGround(owner, by);
    const user = await ground.createUser();
    const subject = await ground.subjectFor([by, ground.gateway], { as: user, more: apiScope });
    const token = await ground.swap(by, subject, type);
    expect(await ground.enter(token)).toBe("in");
    expect(
      await ground.enter(await ground.swap(by, subject, { ...type, resource: issuerOf(ground.service) })),
    ).toBe("in");
    expect(await ground.enter(await ground.swap(by, subject, { ...type, audience: by.projectId }))).toBe(
      "TOKEN_INVALID",
    );
    const dropped = await ground.swap(ground.gateway, subject, type); // which has no access to our API
    expect([await ground.enter(dropped), (await ground.introspect(dropped))["scope"]]).toEqual([
      "TOKEN_INVALID",
      `openid ${scopeFor(by)} ${scopeFor(ground.gateway)}`,
    ]);
    const app = { projectId: by.projectId, appId: by.clientId };
    const inside = createCaller(ground.service, owner);
    await inside(ApplicationService.method.deactivateApplication, app);
    expect(await ground.enter(token)).toBe("TOKEN_INVALID");
    await inside(ApplicationService.method.reactivateApplication, app);
    expect(await ground.enter(token)).toBe("in");
    for (const apiAccess of [false, true]) {
      const settings = { ...app, redirectUris: [by.redirectUri], apiAccess };
      await inside(ApplicationService.method.updateOidcConfig, settings);
      expect(await ground.enter(token)).toBe(apiAccess ? "in" : "TOKEN_INVALID");
    }
    await revoke(ground.portal, subject);
    expect(await ground.enter(token)).toBe("TOKEN_INVALID");
  });

  test("of a program carries what the program may do, and ends with its secret and with its client", async () => {
    const owner = await ground.createOrganization();
    const by = await createGateway(ground.service, owner, { apiAccess: true });
    await grantToGround(owner, by);
    const machine = await createMachine(ground.service, ground.organizationId);
    const scope = `openid ${apiScope} ${scopeFor(by)}`;
    const subject = await getAccessToken(ground.service, machine, scope);
    const token = await ground.swap(by, subject, next);
    expect(await ground.introspect(token, by)).toMatchObject({
      sub: machine.userId,
      client_id: by.clientId,
      scope,
    });
    expect(await ground.enter(token)).toBe("in");
    const app = { projectId: by.projectId, appId: by.clientId };
    await createCaller(ground.service, owner)(ApplicationService.method.deactivateApplication, app);
    expect(await ground.enter(token)).toBe("TOKEN_INVALID");
    await createCaller(ground.service, owner)(ApplicationService.method.reactivateApplication, app);
    expect(await ground.enter(token)).toBe("in");
    await ground.service.call(UserService.method.removeServiceUserSecret, { userId: machine.userId });
    expect(await ground.enter(token)).toBe("TOKEN_INVALID");
    expect(await ground.introspect(token, by)).toEqual({ active: false });
  });

  test("tells who acts, and who acted before", async () => {
    const last = await createGateway(ground.service, ground.organizationId);
    const machine = await createMachine(ground.service, ground.organizationId);
    const other = await ground.createUser();
    const subject = await ground.subjectFor([ground.gateway, last]);
    const actor = await getAccessToken(ground.service, machine, scopeFor(ground.gateway));
    const one = await ground.swap(ground.gateway, subject, { ...type, ...actorOf(actor) });
    const act = { sub: machine.userId };
    const plain = await ground.swap(last, one, next);
    for (const token of [one, plain]) expect((await ground.introspect(token))["act"]).toEqual(act);
    const two = actorOf(await ground.subjectFor([last], { as: other }));
    const nested = { sub: other.userId, client_id: ground.portal.clientId, act };
    const acting = await ground.swap(last, one, { ...next, ...two });
    expect((await ground.introspect(acting))["act"]).toEqual(nested);
    expect(decodeJwt(await ground.swap(last, one, { ...jwtForm, ...two }))["act"]).toEqual(nested);
    expect((await ground.userinfo(acting)).text).not.toContain('"act"');
    // A token that somebody else uses does not say that its user acts.
    expect((await ground.ask(ground.gateway, subject, actorOf(one))).error).toBe("invalid_request");
    // The client's own token is one whoever it is for.
    const own = await ground.swap(ground.gateway, await ground.subjectFor(), {
      ...type,
      audience: ground.portal.clientId,
    });
    expect((await ground.ask(ground.gateway, subject, actorOf(own))).status).toBe(200);
    expect((await ground.ask(ground.gateway, own)).error).toBe("invalid_request"); // but no subject
  });

  test("is no recent login, though the login was a moment ago", async () => {
    const by = await createGateway(ground.service, ground.organizationId, { apiAccess: true });
    const user = await ground.createUser();
    const { userId } = user;
    const subject = await ground.subjectFor([by], { as: user, more: apiScope });
    const actor = actorOf(await ground.subjectFor([by], { as: user }));
    const one = await ground.swap(by, subject, type);
    const exchanged = [
      one,
      await ground.swap(by, subject, { ...type, ...actor }),
      await ground.swap(by, one, next),
      await ground.swap(by, one, { ...next, ...actor }),
    ];
    const { json } = ground.service.clients;
    const { addPersonalAccessToken, registerU2f, removePassword, setPassword } = UserService.method;
    const verification = { case: "currentPassword" as const, value: "none of theirs" };
    const newPassword = { userId, password: uniqueName("a long phrase"), verification };
    const waysFor = (token: string) => [
      () => json.call(setPassword, newPassword, { token }),
      () => json.call(removePassword, { userId }, { token }),
      () => json.call(registerU2f, { userId }, { token }),
      () => json.call(addPersonalAccessToken, { userId }, { token }),
    ];
    for (const token of exchanged) {
      expect(await ground.enter(token)).toBe("in");
      for (const add of waysFor(token))
        expect(refusalOf(await add()).reason).toBe("REAUTHENTICATION_REQUIRED");
    }
    expect(answerOf(await json.call(addPersonalAccessToken, { userId }, { token: subject }))).toHaveProperty(
      "token",
    );
  });
});

test("an application that is removed leaves no tokens, nor does one whose project is removed", async () => {
  const [one, other] = [
    await createGateway(ground.service, ground.organizationId),
    await createGateway(ground.service, ground.organizationId),
  ];
  const subject = await ground.subjectFor([one, other]);
  const tokens = [
    await ground.swap(one, subject),
    await ground.swap(other, subject),
    await ground.swap(ground.gateway, await ground.subjectFor()),
  ];
  const inside = createCaller(ground.service, ground.organizationId);
  const app = { projectId: one.projectId, appId: one.clientId };
  await inside(ApplicationService.method.removeApplication, app);
  await inside(ProjectService.method.removeProject, { id: other.projectId });
  const areActive = await Promise.all(
    tokens.map(async (token) => (await ground.userinfo(token)).status === 200),
  );
  expect(areActive).toEqual([false, false, true]);
  const left = await ground.service.context.database.read((tx) =>
    tx.all<{ id: string }>(
      "SELECT DISTINCT client_id AS id FROM access_tokens WHERE client_id IN (?, ?, ?)",
      [one, other, ground.gateway].map(({ clientId }) => clientId),
    ),
  );
  expect(left.map(({ id }) => id)).toEqual([ground.gateway.clientId]);
});

test("what is done with an exchanged token is done by its user", async () => {
  const by = await createGateway(ground.service, ground.organizationId, { apiAccess: true });
  const user = await ground.createUser();
  const scope = { case: "organizationId" as const, value: ground.organizationId };
  const roles = ["ORGANIZATION_OWNER"];
  await ground.service.call(MembershipService.method.addMembership, { userId: user.userId, scope, roles });
  const machine = await createMachine(ground.service, ground.organizationId);
  const actor = await getAccessToken(ground.service, machine, scopeFor(by));
  const token = await ground.swap(
    by,
    await ground.subjectFor([by], { as: user, more: apiScope }),
    actorOf(actor),
  );
  const addProject = createCaller(ground.service, ground.organizationId, token);
  const added = await addProject(ProjectService.method.addProject, { name: uniqueName("Project") });
  const asked = { aggregateId: idOf(added, "id") };
  const { events } = await createCaller(ground.service, ground.organizationId)(
    EventService.method.listEvents,
    asked,
  );
  expect(events).toMatchObject([{ eventType: "project.added", editor: user.userId }]);
});
