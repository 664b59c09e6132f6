import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { findAuthorization, isSessionLive } from "../../src/identity/logins/authorizations/repository.ts";
import { createSessionCommands } from "../../src/identity/logins/sessions/commands.ts";
import {
  findLiveSession,
  putSessionValue,
  touchSession,
} from "../../src/identity/logins/sessions/repository.ts";
import { sweepExpired } from "../../src/sites/oidc/sweep.ts";
import { lanes } from "../support/clients.ts";
import { type LoginAt, logIn, type MadeLogin } from "../support/logins.ts";
import { registerInSoftware, type CreationOptions } from "../support/software-authenticator.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createTrustedApplication,
  createServiceUser,
  createWorld,
  idOf,
  uniqueName,
  type World,
} from "../support/world.ts";

// What people do with their logins: sessions, refresh tokens, and the access tokens that our own API takes.

const users = UserService.method;
const sessions = SessionService.method;
let service: TestService;
let world: World;
let applicationId: string;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
  applicationId = await createTrustedApplication(service, world);
});
afterAll(() => service.stop());

interface Person extends MadeLogin {
  readonly userId: string;
}

async function createPerson(at: Partial<LoginAt> = {}): Promise<Person> {
  const userId = at.userId ?? (await createHumanUser(service, world.organizationId));
  return { userId, ...(await logIn(service.context, { applicationId, ...at, userId })) };
}

const reasonOf = (outcome: Parameters<typeof refusalOf>[0]): string =>
  idOf({ ...refusalOf(outcome) } as JsonObject, "reason");

/** Says how a call with the token ends. */
async function enter(token: string): Promise<string> {
  const outcome = await service.clients.json.call(users.getMyUser, {}, { token });
  return outcome.kind === "answer" ? "in" : reasonOf(outcome);
}

const tryCall = async (method: DescMethodUnary, request: JsonObject, token: string): Promise<string> => {
  const outcome = await service.clients.json.call(method, request, { token });
  return outcome.kind === "answer" ? "allowed" : reasonOf(outcome);
};

const isLive = async ({ valueHash }: MadeLogin): Promise<boolean> =>
  (await service.context.database.read((tx) => findLiveSession(tx, valueHash, service.clock.nowMs()))) !==
  undefined;

/** Says whether a code or a device that was approved in the login could still be redeemed. */
const mayRedeem = (login: MadeLogin): Promise<boolean> =>
  service.context.database.read((tx) => isSessionLive(tx, login, service.clock.nowMs()));

const holdsRefresh = async ({ authorizationId }: MadeLogin): Promise<boolean> => {
  const found = await service.context.database.read((tx) => findAuthorization(tx, authorizationId));
  return found !== undefined && !found.isEnded;
};

/** What of a login holds. */
const left = async (person: Person) => ({
  session: await isLive(person),
  access: (await enter(person.token)) === "in",
  refresh: await holdsRefresh(person),
});
const everything = { session: true, access: true, refresh: true };
const nothing = { session: false, access: false, refresh: false };

describe("an access token of a login", () => {
  test.each(lanes)("is taken over %s for its user, with the roles of the user", async (lane) => {
    const owner = await createServiceUser(service, world.organizationId, "ORGANIZATION_OWNER");
    const { token, userId } = await createPerson({ userId: owner.id });
    const { user } = answerOf(await service.clients[lane].call(users.getMyUser, {}, { token }));
    expect(user).toMatchObject({ id: userId });
    expect(await tryCall(users.listUsers, {}, token)).toBe("allowed");
    expect(await tryCall(users.listUsers, {}, (await createPerson()).token)).toBe("PERMISSION_DENIED");
  });

  test("is for our API only if its audience says so", async () => {
    const { token } = await createPerson({ audiences: [world.projectId] });
    expect(await enter(token)).toBe("TOKEN_INVALID");
  });

  test("ends after its hour", async () => {
    const { token } = await createPerson();
    service.clock.turn(3_599_999);
    expect(await enter(token)).toBe("in");
    service.clock.turn(1);
    expect(await enter(token)).toBe("TOKEN_INVALID");
  });
});

describe("a login", () => {
  test("shows its session to its user, and to nobody else without the permission", async () => {
    const [person, other] = [await createPerson(), await createPerson()];
    const { sessionId } = person;
    const { session } = await service.call(sessions.getSession, { sessionId }, person.token);
    expect(session).toMatchObject({
      id: sessionId,
      userId: person.userId,
      state: "SESSION_STATE_ACTIVE",
      checks: [{ method: "SESSION_METHOD_PASSWORD" }],
      userAgent: "Browser/1",
      remoteAddress: "192.0.2.7",
    });
    const own = await service.call(sessions.listSessions, {}, person.token);
    expect((own["sessions"] as readonly JsonObject[]).map(({ id }) => id)).toEqual([sessionId]);
    const asked = { userId: person.userId };
    expect((await service.call(sessions.listSessions, asked, other.token))["sessions"]).toEqual([]);
    for (const method of [sessions.getSession, sessions.terminateSession])
      for (const id of [sessionId, "7"])
        expect(await tryCall(method, { sessionId: id }, other.token)).toBe("PERMISSION_DENIED");
    expect(await isLive(person)).toBe(true);
  });

  test("loses session and access token when its session ends, and keeps the refresh token", async () => {
    const person = await createPerson({ hasRefresh: true });
    const sibling = await createPerson({ userId: person.userId });
    await service.call(sessions.terminateSession, { sessionId: person.sessionId }, sibling.token);
    expect(await left(person)).toEqual({ session: false, access: false, refresh: true });
    expect(await left(sibling)).toEqual(everything);
    expect([await mayRedeem(person), await mayRedeem(sibling)]).toEqual([false, true]);
    const { session } = await service.call(sessions.getSession, { sessionId: person.sessionId });
    expect(session).toMatchObject({ state: "SESSION_STATE_TERMINATED" });
  });

  test("ends for good with all of its user, but for the one that is spared", async () => {
    const person = await createPerson({ hasRefresh: true });
    const { userId } = person;
    const [gone, spared] = [await createPerson({ userId, hasRefresh: true }), await createPerson({ userId })];
    await service.call(sessions.terminateSession, { sessionId: gone.sessionId });
    const request = { userId, exceptSessionId: spared.sessionId };
    await service.call(sessions.terminateUserSessions, request, person.token);
    expect([await left(person), await left(gone), await left(spared)]).toEqual([
      nothing,
      nothing,
      everything,
    ]);
  });

  test("ends for good when its user is locked, and rests while the user or the organization is inactive", async () => {
    const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("O") });
    const id = idOf(added, "organizationId");
    const person = await createPerson({ userId: await createHumanUser(service, id), hasRefresh: true });
    const { userId } = person;
    const rests = { ...nothing, refresh: true };
    await service.call(users.deactivateUser, { userId });
    expect(await left(person)).toEqual(rests);
    await service.call(users.reactivateUser, { userId });
    expect(await left(person)).toEqual(everything);
    await service.call(OrganizationService.method.deactivateOrganization, { id });
    expect(await left(person)).toEqual(rests);
    await service.call(OrganizationService.method.reactivateOrganization, { id });
    expect(await left(person)).toEqual(everything);
    await service.call(users.lockUser, { userId });
    await service.call(users.unlockUser, { userId });
    expect(await left(person)).toEqual(nothing);
    const { session } = await service.call(sessions.getSession, { sessionId: person.sessionId });
    expect(session).toMatchObject({ state: "SESSION_STATE_TERMINATED" });
  });

  test("rests while its user is locked by wrong passwords, and loses nothing", async () => {
    const person = await createPerson({ hasRefresh: true });
    const { database, log } = service.context;
    const about = { aggregateId: person.userId, resourceOwner: world.organizationId };
    const origin = { editor: "system", remoteAddress: undefined, requestId: "tries" } as const;
    const locked = { ...about, type: "user.locked", payload: { cause: "wrong_passwords" } } as const;
    await database.write((tx) => log.append(tx, origin, [locked]));
    expect(await left(person)).toEqual({ ...nothing, refresh: true });
    await service.call(users.unlockUser, { userId: person.userId });
    expect(await left(person)).toEqual(everything);
  });

  test("rests while the application is inactive, and ends with it", async () => {
    const appId = await createTrustedApplication(service, world);
    const person = await createPerson({ applicationId: appId });
    const inside = createCaller(service, world.organizationId);
    const application = { projectId: world.projectId, appId };
    await inside(ApplicationService.method.deactivateApplication, application);
    expect(await enter(person.token)).toBe("TOKEN_INVALID");
    await inside(ApplicationService.method.reactivateApplication, application);
    expect(await enter(person.token)).toBe("in");
    await inside(ApplicationService.method.removeApplication, application);
    expect(await left(person)).toEqual({ session: true, access: false, refresh: false });
    expect(await rowsOf("authorizations", `application_id = '${appId}'`)).toEqual([]);
  });

  test.each(["the user", "the organization", "the project"])(
    "leaves nothing behind when %s is removed",
    async (what) => {
      const added = await service.call(OrganizationService.method.addOrganization, { name: uniqueName("O") });
      const id = idOf(added, "organizationId");
      const inside = createCaller(service, id);
      const projectId = idOf(await inside(ProjectService.method.addProject, { name: uniqueName("P") }), "id");
      const person = await createPerson({
        userId: await createHumanUser(service, id),
        applicationId: await createTrustedApplication(service, { organizationId: id, projectId }),
        hasRefresh: true,
      });
      const { userId } = person;
      if (what === "the user") await service.call(users.removeUser, { userId });
      if (what === "the organization")
        await service.call(OrganizationService.method.removeOrganization, { id });
      if (what === "the project") await inside(ProjectService.method.removeProject, { id: projectId });
      const ofSession = what === "the project" ? 1 : 0;
      expect(await rowsOf("authorizations", `user_id = '${userId}'`)).toEqual([]);
      expect(await rowsOf("access_tokens", `user_id = '${userId}'`)).toEqual([]);
      expect(await rowsOf("sessions", `user_id = '${userId}'`)).toHaveLength(ofSession);
      expect(await rowsOf("session_values", `session_id = '${person.sessionId}'`)).toHaveLength(ofSession);
    },
  );

  test("loses one refresh token by a call about it, with its access token", async () => {
    const person = await createPerson({ hasRefresh: true });
    await createPerson({ userId: person.userId });
    const { refreshTokens } = await service.call(
      users.listRefreshTokens,
      { userId: person.userId },
      person.token,
    );
    expect(refreshTokens).toMatchObject([
      { id: person.authorizationId, clientId: applicationId, scopes: ["openid"] },
    ]);
    const request = { userId: person.userId, tokenId: person.authorizationId };
    await service.call(users.removeRefreshToken, request);
    expect(await left(person)).toEqual({ session: true, access: false, refresh: false });
    expect(await tryCall(users.removeRefreshToken, request, service.adminToken)).toBe("NOT_FOUND");
  });

  test("holds through a rebuild as it did before", async () => {
    const [kept, ended] = [
      await createPerson({ hasRefresh: true }),
      await createPerson({ hasRefresh: true }),
    ];
    await service.call(sessions.terminateSession, { sessionId: ended.sessionId });
    const { database, log } = service.context;
    await database.write((tx) => log.rebuild(tx));
    expect(await left(kept)).toEqual(everything);
    expect(await left(ended)).toEqual({ session: false, access: false, refresh: true });
    const after = await database.read((tx) => findAuthorization(tx, ended.authorizationId));
    expect(after?.generation).toBe(1); // or the access tokens that refreshes have made since would end
  });
});

describe("the time of a session", () => {
  test("is over when it rests too long, and goes on when it is used", async () => {
    const person = await createPerson();
    const { database, clock } = service.context;
    const touch = () =>
      database.write((tx) =>
        touchSession(tx, { sessionId: person.sessionId, nowMs: clock.nowMs(), idleMs: 3_600_000 }),
      );
    service.clock.turn(3_500_000);
    await touch();
    service.clock.turn(3_599_999);
    expect([await isLive(person), await mayRedeem(person)]).toEqual([true, true]);
    service.clock.turn(1);
    expect([await isLive(person), await mayRedeem(person)]).toEqual([false, false]);
  });

  test("is noted at most once a minute", async () => {
    const person = await createPerson();
    const { database, clock } = service.context;
    service.clock.turn(59_999);
    const touched = { sessionId: person.sessionId, nowMs: clock.nowMs(), idleMs: 7_200_000 };
    await database.write((tx) => touchSession(tx, touched));
    service.clock.turn(3_600_000 - 59_999);
    expect(await isLive(person)).toBe(false);
  });

  test("is over at its end however it is used, and the background says so, ending no token", async () => {
    const person = await createPerson({ hasRefresh: true });
    const { database, clock } = service.context;
    await database.write((tx) =>
      putSessionValue(tx, {
        sessionId: person.sessionId,
        hash: person.valueHash,
        nowMs: clock.nowMs(),
        idleMs: 100 * 3_600_000,
      }),
    );
    service.clock.turn(10 * 3_600_000 - 1);
    expect([await isLive(person), await mayRedeem(person)]).toEqual([true, true]);
    service.clock.turn(1);
    expect([await isLive(person), await mayRedeem(person)]).toEqual([false, false]);
    await createSessionCommands(service.context).terminateExpired();
    const { session } = await service.call(sessions.getSession, { sessionId: person.sessionId });
    expect(session).toMatchObject({ state: "SESSION_STATE_TERMINATED" });
    const authorization = await database.read((tx) => findAuthorization(tx, person.authorizationId));
    expect(authorization).toMatchObject({ generation: 0, isEnded: false });
    service.clock.turn(24 * 3_600_000);
    await sweepExpired(service.context);
    expect(await rowsOf("authorizations", `id = '${person.authorizationId}'`)).toEqual([]);
  });

  test("has one value: a new one ends the former", async () => {
    const person = await createPerson();
    const { database, clock } = service.context;
    const value = { sessionId: person.sessionId, hash: "another", nowMs: clock.nowMs(), idleMs: 1000 };
    await database.write((tx) => putSessionValue(tx, value));
    expect(await isLive(person)).toBe(false);
    expect(await isLive({ ...person, valueHash: "another" })).toBe(true);
  });
});

describe("a user with an access token", () => {
  const addToken = ({ userId, token }: Person) => tryCall(users.addPersonalAccessToken, { userId }, token);

  test("makes a lasting token within ten minutes of the login, and not later", async () => {
    const person = await createPerson();
    service.clock.turn(599_999);
    const made = await service.call(users.addPersonalAccessToken, { userId: person.userId }, person.token);
    service.clock.turn(1);
    expect(await addToken(person)).toBe("REAUTHENTICATION_REQUIRED");
    // It has no bound, and stays when the session ends.
    await service.call(sessions.terminateUserSessions, { userId: person.userId }, person.token);
    expect(await enter(idOf(made, "token"))).toBe("in");
  });

  test("needs two factors for that who has them", async () => {
    const person = await createPerson();
    const { userId } = person;
    const begun = await service.call(users.registerU2f, { userId }, person.token);
    const credential = registerInSoftware(
      begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions,
    );
    const u2fId = idOf(begun, "u2fId");
    const publicKeyCredential = credential as unknown as JsonObject;
    await service.call(
      users.verifyU2f,
      { userId, u2fId, publicKeyCredential, tokenName: "Key" },
      person.token,
    );
    expect(await addToken(person)).toBe("REAUTHENTICATION_REQUIRED");
    expect(await tryCall(users.removeU2f, { userId, u2fId }, person.token)).toBe("REAUTHENTICATION_REQUIRED");
    const strong = await createPerson({ userId, methods: ["PASSWORD", "U2F"] });
    expect(await addToken(strong)).toBe("allowed");
    service.clock.turn(600_000);
    expect(await tryCall(users.registerU2f, { userId }, strong.token)).toBe("REAUTHENTICATION_REQUIRED");
    expect(await tryCall(users.removeU2f, { userId, u2fId }, strong.token)).toBe("REAUTHENTICATION_REQUIRED");
  });

  test("changes the own email within ten minutes of the login only, and never with a token that lasts", async () => {
    const userId = await createHumanUser(service, world.organizationId);
    const scope = { case: "organizationId" as const, value: world.organizationId };
    await service.call(MembershipService.method.addMembership, {
      userId,
      scope,
      roles: ["ORGANIZATION_OWNER"],
    });
    const person = await createPerson({ userId });
    const made = await service.call(users.addPersonalAccessToken, { userId }, person.token);
    const change = (email: string, token: string) => {
      const names = { username: uniqueName("ada"), givenName: "Ada", familyName: "Lovelace" };
      return tryCall(users.updateHumanUser, { userId, ...names, email }, token);
    };
    expect(await change("first@example.com", idOf(made, "token"))).toBe("REAUTHENTICATION_REQUIRED");
    expect(await change("first@example.com", person.token)).toBe("allowed");
    service.clock.turn(600_000);
    expect(await change("second@example.com", person.token)).toBe("REAUTHENTICATION_REQUIRED");
    expect(await change("first@example.com", person.token)).toBe("allowed");
    expect(await change("second@example.com", service.adminToken)).toBe("allowed");
  });

  test("makes tokens for others without that", async () => {
    const owner = await createServiceUser(service, world.organizationId, "ORGANIZATION_OWNER");
    const person = await createPerson({ userId: owner.id });
    service.clock.turn(1_800_000);
    const added = await tryCall(users.addPersonalAccessToken, { userId: world.userId }, person.token);
    expect(added).toBe("allowed");
  });
});

const rowsOf = async (table: string, where: string): Promise<readonly object[]> =>
  await service.place.raw.peek(`SELECT 1 AS one FROM ${table} WHERE ${where}`);
