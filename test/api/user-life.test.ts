import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { UserState } from "../../gen/gatehouse/v1/user_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { type Lane, lanes, type Outcome } from "../support/clients.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createServiceUser,
  idOf,
  nextPhone,
  type TestUser,
  uniqueName,
} from "../support/world.ts";

const { method } = UserService;

let service: TestService;
let organizationId: string;
let owner: TestUser;
let manager: TestUser;
/** The owner of another organization. */
let foreigner: TestUser;

beforeAll(async () => {
  service = await startService();
  organizationId = await addOrganization();
  owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  manager = await createServiceUser(service, organizationId, "ORGANIZATION_USER_MANAGER");
  foreigner = await createServiceUser(service, await addOrganization(), "ORGANIZATION_OWNER");
});
afterAll(() => service.stop());

async function addOrganization(): Promise<string> {
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Organization"),
  });
  return idOf(added, "organizationId");
}

/** What a test of one lane works with. Reads go over another lane than changes do. */
function createActors(lane: Lane) {
  const other = lanes[(lanes.indexOf(lane) + 1) % lanes.length] ?? "json";
  const ask = <M extends DescMethodUnary>(
    rpc: M,
    request: MessageInitShape<M["input"]>,
    token = owner.token,
  ): Promise<Outcome> => service.clients[lane].call(rpc, request, { token });
  const read = async <M extends DescMethodUnary>(rpc: M, request: MessageInitShape<M["input"]>) =>
    answerOf(await service.clients[other].call(rpc, request, { token: owner.token }));
  return {
    ask,
    read,
    change: async <M extends DescMethodUnary>(
      rpc: M,
      request: MessageInitShape<M["input"]>,
      token?: string,
    ) => {
      const answer = answerOf(await ask(rpc, request, token));
      expect(Object.keys(answer)).toEqual(rpc.output.fields.map(({ jsonName }) => jsonName));
      return answer["details"] as JsonObject; // the contract has it
    },
    refuse: async <M extends DescMethodUnary>(
      rpc: M,
      request: MessageInitShape<M["input"]>,
      token?: string,
    ) => refusalOf(await ask(rpc, request, token)).reason,
    user: async (userId: string) => (await read(method.getUser, { userId }))["user"] as JsonObject,
    enters: async (token: string) => {
      const outcome = await service.clients[lane].call(method.getMyUser, {}, { token });
      return outcome.kind === "answer" ? "in" : refusalOf(outcome).reason;
    },
    makeToken: async (userId: string, token = owner.token) => {
      const made = await service.call(method.addPersonalAccessToken, { userId }, token);
      return { id: idOf(made, "tokenId"), token: idOf(made, "token") };
    },
  };
}

const human = () => createHumanUser(service, organizationId);

const profileOf = (userId: string) => ({
  userId,
  username: uniqueName("ada"),
  givenName: "Augusta",
  familyName: "King",
  displayName: "Countess",
  preferredLanguage: "en-GB",
  email: "augusta@example.com",
});

/** Every call about a user that is new here, with a request that names them and nothing that exists. */
const calls = [
  [method.updateHumanUser, profileOf],
  [method.updateServiceUser, (userId: string) => ({ userId, username: uniqueName("bot"), name: "Bot" })],
  [method.deactivateUser, (userId: string) => ({ userId })],
  [method.reactivateUser, (userId: string) => ({ userId })],
  [method.lockUser, (userId: string) => ({ userId })],
  [method.unlockUser, (userId: string) => ({ userId })],
  [method.removeUser, (userId: string) => ({ userId })],
  [method.removePhone, (userId: string) => ({ userId })],
  [method.removeU2f, (userId: string) => ({ userId, u2fId: "1" })],
  [method.listPersonalAccessTokens, (userId: string) => ({ userId })],
  [method.removePersonalAccessToken, (userId: string) => ({ userId, tokenId: "1" })],
] as const satisfies readonly (readonly [DescMethodUnary, (userId: string) => object])[];

describe("over REST", () => {
  const lane = "rest";
  const { ask, read, change, refuse, user, enters, makeToken } = createActors(lane);

  test("a human user is replaced but for their phone", async () => {
    const userId = await human();
    const phone = nextPhone();
    await service.call(method.setPhone, { userId, phone, verification: { case: "isVerified", value: true } });
    const before = await user(userId);
    const profile = profileOf(userId);
    const details = await change(method.updateHumanUser, profile);
    const { userId: _id, username, ...fields } = profile;
    const none = { hasPassword: false, passwordChangeRequired: false };
    const shown = { ...fields, isEmailVerified: false, phone, isPhoneVerified: true, ...none };
    expect(await user(userId)).toEqual({ ...before, username, human: shown, details });
    expect(await change(method.updateHumanUser, profile)).toEqual(details);
  });

  test("a service user is replaced, and what is left out is empty afterwards", async () => {
    const bot = await createServiceUser(service, organizationId);
    const username = uniqueName("bot");
    const request = { userId: bot.id, username, name: "Worker", description: "Works." };
    await change(method.updateServiceUser, request);
    expect(await user(bot.id)).toMatchObject({
      username,
      service: { name: "Worker", description: "Works." },
    });
    await change(method.updateServiceUser, { userId: bot.id, username, name: "Worker" });
    expect(await user(bot.id)).toMatchObject({ username, service: { name: "Worker", description: "" } });
  });

  test("an update is refused for the other kind, for a username that is taken and for one that is blank", async () => {
    const userId = await human();
    const bot = await createServiceUser(service, organizationId);
    expect(await refuse(method.updateHumanUser, profileOf(bot.id))).toBe("WRONG_KIND");
    const ofService = { userId, username: uniqueName("bot"), name: "Bot" };
    expect(await refuse(method.updateServiceUser, ofService)).toBe("WRONG_KIND");
    const username = idOf(await user(userId), "username").toUpperCase();
    const taken = { userId: bot.id, username, name: "Bot" };
    expect(await refuse(method.updateServiceUser, taken)).toBe("ALREADY_EXISTS");
    const blank = refusalOf(
      await ask(method.updateHumanUser, { ...profileOf(userId), username: " ", preferredLanguage: "x" }),
    );
    expect([blank.reason, blank.fields]).toEqual(["FIELD_INVALID", ["preferred_language", "username"]]);
  });

  test("states change as decided, and tokens end and work again in the very next call", async () => {
    const userId = await human();
    const { token } = await makeToken(userId);
    const states: unknown[] = [];
    for (const [rpc, state, entering] of [
      [method.lockUser, "USER_STATE_LOCKED", "TOKEN_INVALID"],
      [method.unlockUser, "USER_STATE_ACTIVE", "in"],
      [method.deactivateUser, "USER_STATE_INACTIVE", "TOKEN_INVALID"],
      [method.reactivateUser, "USER_STATE_ACTIVE", "in"],
      [method.lockUser, "USER_STATE_LOCKED", "TOKEN_INVALID"],
      [method.deactivateUser, "USER_STATE_INACTIVE", "TOKEN_INVALID"],
    ] as const) {
      const details = await change(rpc, { userId });
      expect([rpc.name, await enters(token)]).toEqual([rpc.name, entering]);
      expect(await user(userId)).toMatchObject({ state, details });
      expect(await change(rpc, { userId })).toEqual(details);
      states.push(state);
    }
    expect(states).toHaveLength(6);
  });

  test("a way that there is not is a conflict", async () => {
    const userId = await human();
    await change(method.deactivateUser, { userId });
    expect(await refuse(method.lockUser, { userId })).toBe("STATE_CONFLICT");
    expect(await refuse(method.unlockUser, { userId })).toBe("STATE_CONFLICT");
    await change(method.reactivateUser, { userId });
    await change(method.lockUser, { userId });
    expect(await refuse(method.reactivateUser, { userId })).toBe("STATE_CONFLICT");
  });

  test("a removed user is gone at once, with their tokens and those made with them, and their name is free", async () => {
    const userId = await human();
    const before = await user(userId);
    const own = await makeToken(userId);
    const child = await makeToken(userId, own.token);
    const details = await change(method.removeUser, { userId });
    expect(details).toMatchObject({ resourceOwner: organizationId });
    expect(BigInt(idOf(details, "sequence"))).toBeGreaterThan(
      BigInt(idOf(before["details"] as JsonObject, "sequence")),
    );
    expect([await enters(own.token), await enters(child.token)]).toEqual(["TOKEN_INVALID", "TOKEN_INVALID"]);
    expect(await refuse(method.getUser, { userId })).toBe("NOT_FOUND");
    expect(await refuse(method.removeUser, { userId })).toBe("NOT_FOUND");
    const again = await service.call(
      method.addServiceUser,
      { username: idOf(before, "username"), name: "Other" },
      owner.token,
    );
    expect(idOf(again, "userId")).not.toBe(userId);
  });

  test("a removed phone is gone with its code", async () => {
    const userId = await human();
    const phone = { userId, phone: nextPhone() };
    const set = await service.call(method.setPhone, {
      ...phone,
      verification: { case: "returnCode", value: {} },
    });
    const details = await change(method.removePhone, { userId });
    expect(await user(userId)).toMatchObject({ human: { phone: "", isPhoneVerified: false }, details });
    const verification = { userId, verificationCode: idOf(set, "verificationCode") };
    expect(await refuse(method.verifyPhone, verification)).toBe("CODE_NOT_PENDING");
    expect(await change(method.removePhone, { userId })).toEqual(details);
    const bot = await createServiceUser(service, organizationId);
    expect(await refuse(method.removePhone, { userId: bot.id })).toBe("WRONG_KIND");
  });

  test("a removed registration is gone, and cannot be removed again", async () => {
    const userId = await human();
    const u2f = await service.call(method.registerU2f, { userId });
    const request = { userId, u2fId: idOf(u2f, "u2fId") };
    await change(method.removeU2f, request);
    expect((await read(method.listSecondFactors, { userId }))["secondFactors"]).toEqual([]);
    expect(await refuse(method.removeU2f, request)).toBe("NOT_FOUND");
  });

  // 9999-12-31T23:59:59.9999999Z is what .NET writes for never. In microseconds it is beyond 2^53.
  test("a token may last until the last instant that there is, kept to the millisecond", async () => {
    const userId = await human();
    const expirationDate = { seconds: 253_402_300_799n, nanos: 999_999_900 };
    const made = await service.call(method.addPersonalAccessToken, { userId, expirationDate });
    expect(await enters(idOf(made, "token"))).toBe("in");
    const listed = answerOf(await ask(method.listPersonalAccessTokens, { userId }));
    expect(listed["personalAccessTokens"]).toMatchObject([{ expirationDate: "9999-12-31T23:59:59.999Z" }]);
  });

  test("tokens are listed without what makes them usable, and removed with those made with them", async () => {
    const userId = await human();
    const first = await makeToken(userId);
    const child = await makeToken(userId, first.token);
    const expirationDate = { seconds: BigInt(Math.ceil(service.clock.nowMs() / 1000) + 3600), nanos: 0 };
    const last = await service.call(method.addPersonalAccessToken, { userId, expirationDate });
    const list = async () => {
      const answer = answerOf(await ask(method.listPersonalAccessTokens, { userId, countTotal: true }));
      return { answer, tokens: answer["personalAccessTokens"] as readonly JsonObject[] };
    };
    const listed = await list();
    expect(listed.tokens.map(({ id }) => id)).toEqual([first.id, child.id, last["tokenId"]]);
    expect(listed.tokens.map(({ expirationDate: date }) => date)).toEqual([
      undefined,
      undefined,
      new Date(Number(expirationDate.seconds) * 1000).toISOString().replace(".000Z", "Z"),
    ]);
    expect(Object.keys(listed.tokens[2] ?? {})).toEqual([
      "id",
      "details",
      "expirationDate",
      "isLimited",
      "leftOutMembershipIds",
    ]);
    expect(listed.answer["details"]).toMatchObject({ totalResult: "3" });

    const details = await change(method.removePersonalAccessToken, { userId, tokenId: first.id });
    expect(listed.tokens[0]).toMatchObject({ details: { creationDate: details["creationDate"] } });
    expect([await enters(first.token), await enters(child.token)]).toEqual([
      "TOKEN_INVALID",
      "TOKEN_INVALID",
    ]);
    expect((await list()).tokens.map(({ id }) => id)).toEqual([last["tokenId"]]);
    const elsewhere = { userId: await human(), tokenId: idOf(last, "tokenId") };
    expect(await refuse(method.removePersonalAccessToken, elsewhere)).toBe("NOT_FOUND");
  });

  test("users are listed with filters and in pages", async () => {
    const inside = await addOrganization();
    const reader = await createServiceUser(service, inside, "ORGANIZATION_VIEWER");
    const ids = [reader.id];
    for (let index = 0; index < 3; index++) ids.push(await createHumanUser(service, inside));
    const [, first = "", second = ""] = ids;
    await service.call(method.updateHumanUser, { ...profileOf(first), email: "One@Example.com" });
    await service.call(method.lockUser, { userId: second });
    const list = async (request: MessageInitShape<typeof method.listUsers.input>) => {
      const answer = answerOf(await ask(method.listUsers, request, reader.token));
      return { answer, ids: (answer["users"] as readonly JsonObject[]).map(({ id }) => id) };
    };
    expect((await list({})).ids).toEqual(ids);
    expect((await list({ email: "oNE@example.com" })).ids).toEqual([first]);
    expect((await list({ state: UserState.LOCKED })).ids).toEqual([second]);
    const { user: locked } = await service.call(method.getUser, { userId: second });
    const username = idOf(locked as JsonObject, "username");
    expect((await list({ username: ` ${username.toUpperCase()} ` })).ids).toEqual([second]);
    const page = await list({ pageSize: 3, countTotal: true });
    expect([page.ids, page.answer["details"]]).toEqual([
      ids.slice(0, 3),
      expect.objectContaining({ totalResult: "4" }),
    ]);
    const pageToken = idOf(page.answer, "nextPageToken");
    expect((await list({ pageSize: 3, pageToken })).ids).toEqual(ids.slice(3));
    const misused = await refuse(method.listUsers, { pageToken, username: "x" }, reader.token);
    expect(misused).toBe("PAGE_TOKEN_INVALID");
    expect(await refuse(method.listUsers, { pageToken })).toBe("PAGE_TOKEN_INVALID");
  });

  test("nobody changes who holds more than they: not their state, their credentials, their username", async () => {
    const mightier = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
    const guarded = calls.filter(([rpc]) => {
      const isOfHumans = rpc === method.updateHumanUser; // of the other kind: WRONG_KIND
      return !isOfHumans && rpc !== method.listPersonalAccessTokens;
    });
    const seen: Record<string, unknown> = {};
    for (const [rpc, request] of guarded)
      seen[rpc.name] = await refuse(rpc as DescMethodUnary, request(mightier.id), manager.token);
    expect(seen).toEqual(Object.fromEntries(guarded.map(([rpc]) => [rpc.name, "PERMISSION_DENIED"])));
    const username = idOf(await user(mightier.id), "username");
    const renamed = { userId: mightier.id, username, name: "Another name" };
    await change(method.updateServiceUser, renamed, manager.token);
    expect(await enters(mightier.token)).toBe("in");
  });

  test("the last active owner of the instance stays", async () => {
    const admin = await service.call(method.getMyUser, {});
    const userId = idOf(admin["user"] as JsonObject, "id");
    for (const rpc of [method.lockUser, method.deactivateUser, method.removeUser])
      expect(await refuse(rpc, { userId }, service.adminToken)).toBe("LAST_INSTANCE_OWNER");
    expect(await enters(service.adminToken)).toBe("in");
  });

  test("who is nobody's manager may use their own credentials, and nothing else of themselves", async () => {
    const userId = await human();
    const { id: tokenId, token } = await makeToken(userId);
    const u2f = answerOf(await ask(method.registerU2f, { userId }, token));
    const own = [
      [method.removePhone, { userId }],
      [method.removeU2f, { userId, u2fId: idOf(u2f, "u2fId") }],
      [method.listPersonalAccessTokens, { userId }],
      [method.removePersonalAccessToken, { userId, tokenId }],
    ] as const;
    const others = calls.filter(([rpc]) => !own.some(([mine]) => mine.name === rpc.name));
    for (const [rpc, request] of others)
      expect([rpc.name, await refuse(rpc as DescMethodUnary, request(userId), token)]).toEqual([
        rpc.name,
        "PERMISSION_DENIED",
      ]);
    expect(await refuse(method.listUsers, {}, token)).toBe("PERMISSION_DENIED");
    for (const [rpc, request] of own)
      expect([rpc.name, (await ask(rpc as DescMethodUnary, request, token)).kind]).toEqual([
        rpc.name,
        "answer",
      ]);
    expect(await enters(token)).toBe("TOKEN_INVALID"); // it was the last that they removed
  });

  test("a user of another organization and one who never existed look the same", async () => {
    const userId = await human();
    const before = await user(userId);
    for (const [rpc, request] of calls) {
      const refused = async (id: string) => {
        const { message, ...refusal } = refusalOf(
          await ask(rpc as DescMethodUnary, request(id), foreigner.token),
        );
        return { ...refusal, message: message.replaceAll(id, "<id>") };
      };
      expect([rpc.name, await refused(userId)]).toEqual([rpc.name, await refused("900000000000000001")]);
      expect([rpc.name, (await refused(userId)).reason]).toEqual([rpc.name, "NOT_FOUND"]);
    }
    expect(await user(userId)).toEqual(before);
  });
});

test("the header that selects an organization is read by ListUsers and by no other", async () => {
  const userId = await human();
  const headers = { "x-service-orgid": await addOrganization() };
  const ask = <M extends DescMethodUnary>(rpc: M, request: MessageInitShape<M["input"]>) =>
    service.clients.json.call(rpc, request, { token: owner.token, headers });
  expect(refusalOf(await ask(method.listUsers, {})).reason).toBe("PERMISSION_DENIED");
  expect((await ask(method.lockUser, { userId })).kind).toBe("answer");
  const elsewhere = createCaller(service, headers["x-service-orgid"]);
  expect((await elsewhere(method.listUsers, {}))["users"]).toEqual([]);
});
