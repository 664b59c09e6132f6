import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { toId } from "../../../src/kernel/base/ids.ts";
import { findSecret } from "../../../src/kernel/events/secret-store.ts";
import { findUser, findUserById } from "../../../src/identity/people/user/repository.ts";
import { findToken, listLineages } from "../../../src/identity/programs/tokens/repository.ts";
import { hashToken, parseToken, removeToken } from "../../../src/identity/programs/tokens/token.ts";
import { type Fixture, openFixture } from "./fixture.ts";
import { outcomeOf, problemOf } from "../../support/problems.ts";
import { serviceProfile } from "../../support/samples.ts";

const hour = 3_600_000;
let fixture: Fixture;

beforeEach(async () => {
  fixture = await openFixture();
});
afterEach(() => fixture.close());

describe("users", () => {
  test("a human user is read back as they were added, with the phone in E.164 and unverified", async () => {
    const id = await fixture.addHuman("Ada", "+41 79 123 45 67");
    const user = await fixture.commands.get(fixture.call(), id);
    expect(user).toMatchObject({
      kind: "human",
      id,
      state: "ACTIVE",
      username: "Ada",
      givenName: "Ada",
      phone: "+41791234567",
      isPhoneVerified: false,
      isEmailVerified: false,
    });
    expect(user.details.sequence).toBe(user.details.creationDate);
    expect(user.details.resourceOwner).toBe(fixture.organizationId);
    expect(fixture.sms.sent).toEqual([]);
  });

  test("a service user is read back as it was added", async () => {
    const profile = serviceProfile({
      description: "Does things.",
      accessTokenType: "JWT",
      signingAlgorithm: "ES256",
    });
    const { id, details } = await fixture.commands.addService(fixture.call(), profile);
    const user = await fixture.commands.get(fixture.call(), id);
    expect(user).toMatchObject({ kind: "service", ...profile });
    expect(user.details).toEqual(details);
  });

  test("a username that folds to the same is taken, for both kinds, and named as the caller wrote it", async () => {
    await fixture.addHuman("Ada");
    const problem = await problemOf(fixture.addHuman(" ＡＤＡ "));
    expect(problem.reason).toBe("ALREADY_EXISTS");
    expect(problem.resource).toEqual({ type: "user", name: " ＡＤＡ " });
    const service = fixture.commands.addService(fixture.call(), serviceProfile({ username: "ada" }));
    expect(await outcomeOf(service)).toBe("ALREADY_EXISTS");
  });

  test("a phone that is none is refused on the field phone", async () => {
    const problem = await problemOf(fixture.addHuman("ada", "0791234567"));
    expect(problem.reason).toBe("FIELD_INVALID");
    expect(problem.violations.map(({ field }) => field)).toEqual(["phone"]);
  });

  test.each(["1", "x", "'; --"])("a user %s does not exist", async (id) => {
    const problem = await problemOf(fixture.commands.get(fixture.call(), id));
    expect(problem.resource).toEqual({ type: "user", name: id });
  });

  test("a user of another organization is not found in this one, only by their id", async () => {
    const id = await fixture.addHuman();
    expect(await fixture.read((tx) => findUser(tx, toId("1"), id))).toBeUndefined();
    expect(await fixture.read((tx) => findUserById(tx, id))).toMatchObject({ id });
  });
});

describe("tokens", () => {
  const add = (userId: string, expirationMs?: number, caller?: Parameters<Fixture["call"]>[0]) =>
    fixture.commands.tokens.add(fixture.call(caller), { userId, expirationMs });

  test("a token leads to its user, and only its hash is stored", async () => {
    const userId = await fixture.addHuman();
    const expirationMs = fixture.clock.nowMs() + hour;
    const { id, token } = await add(userId, expirationMs);
    expect(parseToken(token.reveal())).toBe(id);
    expect(await fixture.read((tx) => findToken(tx, id))).toEqual({
      tokenId: id,
      userId,
      organizationId: fixture.organizationId,
      username: expect.any(String),
      expirationMs,
      userState: "ACTIVE",
      organizationState: "ACTIVE",
      lockCount: 0,
      isLimited: false,
    });
    const secret = await fixture.read((tx) => findSecret(tx, `token:${id}`));
    expect(secret).toEqual({ keyId: "", value: Buffer.from(hashToken(token.reveal())) });
  });

  test("its own token limits what a user makes for themselves", async () => {
    const userId = await fixture.addHuman();
    const ownMs = fixture.clock.nowMs() + hour;
    const self = { userId, tokenId: await fixture.addSystemToken(userId, ownMs) };
    const problem = await problemOf(add(userId, ownMs + 1, self));
    expect(problem.violations.map(({ field }) => field)).toEqual(["expiration_date"]);
    const { id } = await add(userId, undefined, self);
    expect(await fixture.read((tx) => findToken(tx, id))).toMatchObject({ expirationMs: ownMs });
  });

  test("somebody else's token does not limit it", async () => {
    const userId = await fixture.addHuman();
    const { id } = await add(userId);
    expect(await fixture.read((tx) => findToken(tx, id))).toMatchObject({ expirationMs: undefined });
  });

  test("an expiration in the past is refused, before the user is looked for", async () => {
    expect(await outcomeOf(add("1", fixture.clock.nowMs()))).toBe("FIELD_INVALID");
    expect(await outcomeOf(add("1", fixture.clock.nowMs() + 1))).toBe("NOT_FOUND");
  });

  test("a token that was removed while the call ran makes no other", async () => {
    const userId = await fixture.addHuman();
    expect(await outcomeOf(add(userId, undefined, { userId, tokenId: toId("1") }))).toBe("TOKEN_INVALID");
  });

  test("say who made them, and with which token", async () => {
    const userId = await fixture.addHuman();
    const self = { userId, tokenId: await fixture.addSystemToken(userId) };
    const own = await add(userId, undefined, self);
    const { id } = await add(userId);
    const { administrator } = fixture;
    const parent = { isParentLimited: false };
    expect(await fixture.read((tx) => listLineages(tx, userId))).toEqual([
      { ...parent, id: self.tokenId, creator: "system", madeWithTokenId: undefined, parentUserId: undefined },
      { ...parent, id: own.id, creator: userId, madeWithTokenId: self.tokenId, parentUserId: userId },
      {
        ...parent,
        id,
        creator: administrator.userId,
        madeWithTokenId: administrator.tokenId,
        parentUserId: administrator.userId,
      },
    ]);
  });

  test("a removed token takes those that its user made with it for themselves along, with their hashes, and a rebuild says the same", async () => {
    const userId = await fixture.addHuman();
    const another = await fixture.addHuman("bea");
    const first = await add(userId);
    const second = await add(userId, undefined, { userId, tokenId: first.id });
    const third = await add(userId, undefined, { userId, tokenId: second.id });
    const ofAnother = await add(another, undefined, { userId, tokenId: second.id });
    const other = await add(userId);
    const event = removeToken({ tokenId: first.id, userId, organizationId: fixture.organizationId });
    await fixture.record(event);
    const left = () =>
      fixture.read(async (tx) => {
        const ids = [first.id, second.id, third.id, ofAnother.id, other.id];
        const tokens = await Promise.all(ids.map((id) => findToken(tx, id)));
        const secrets = await Promise.all(ids.map((id) => findSecret(tx, `token:${id}`)));
        return {
          tokens: tokens.map((each) => each?.tokenId),
          secrets: secrets.map((each) => each !== undefined),
        };
      });
    const expected = {
      tokens: [undefined, undefined, undefined, ofAnother.id, other.id],
      secrets: [false, false, false, true, true],
    };
    expect(await left()).toEqual(expected);
    await fixture.rebuild();
    expect(await left()).toEqual(expected);
  });
});
