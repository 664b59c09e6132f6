import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";
import { toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { createMembershipCommands } from "../../../../src/identity/memberships/commands.ts";
import { listVerificationKeys } from "../../../../src/identity/programs/keys/repository.ts";
import { maxKeys } from "../../../../src/identity/client-keys/client-key.ts";
import { findToken } from "../../../../src/identity/programs/tokens/repository.ts";
import { serviceProfile } from "../../../support/samples.ts";
import { publicKeySample } from "../../../support/world.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf, problemOf } from "../../../support/problems.ts";

const page = { pageSize: 0, pageToken: "", countTotal: true };
let fixture: Fixture;
let userId: UserId;
beforeEach(async () => {
  fixture = await openFixture();
  userId = (await fixture.commands.addService(fixture.call(), serviceProfile())).id;
});
afterEach(() => fixture.close());

const add = (fields: { readonly expirationMs?: number; readonly publicKey?: Uint8Array } = {}) =>
  fixture.commands.keys.add(fixture.call(), {
    userId,
    expirationMs: fields.expirationMs,
    publicKey: fields.publicKey ?? publicKeySample,
  });
const list = async () => (await fixture.commands.keys.list(fixture.call(), userId, page)).page;
const verifying = () => fixture.read((tx) => listVerificationKeys(tx, userId, fixture.clock.nowMs()));

describe("a key of a service user", () => {
  test("that the service makes is handed over once, and its public half verifies", async () => {
    const { id, file } = await add({ publicKey: new Uint8Array() });
    const read = JSON.parse(file?.reveal() ?? "") as Record<string, string>;
    expect(read).toMatchObject({ type: "serviceaccount", keyId: id, userId });
    expect(read["key"]).toMatch(/^-----BEGIN RSA PRIVATE KEY-----/);
    const signature = sign("sha256", Buffer.from("text"), createPrivateKey(read["key"] ?? ""));
    const [key] = await verifying();
    const publicKey = createPublicKey({ key: { ...key?.publicKey }, format: "jwk" });
    expect(verify("sha256", Buffer.from("text"), publicKey, signature)).toBe(true);
  });

  test("that the caller brings is taken as it is, and there is nothing to hand over", async () => {
    const { id, file } = await add();
    expect(file).toBeUndefined();
    expect(await verifying()).toMatchObject([{ id, publicKey: { kty: "OKP", crv: "Ed25519" } }]);
  });

  test("is shown with its own details, and leaves those of the user", async () => {
    const before = await fixture.commands.get(fixture.call(), userId);
    const expirationMs = fixture.clock.nowMs() + 1000;
    const { id, details } = await add({ expirationMs });
    expect(await fixture.commands.keys.get(fixture.call(), { userId, keyId: id })).toEqual({
      id,
      details,
      expirationMs,
    });
    expect(await list()).toMatchObject({ items: [{ id }], totalResult: 1 });
    expect((await fixture.commands.get(fixture.call(), userId)).details).toEqual(before.details);
  });

  test("verifies until it expires or is removed, and stays in the list until then", async () => {
    const { id } = await add({ expirationMs: fixture.clock.nowMs() + 1000 });
    fixture.clock.advance(1000);
    expect(await verifying()).toEqual([]);
    expect((await list()).items).toHaveLength(1);
    await fixture.commands.keys.remove(fixture.call(), { userId, keyId: id });
    expect((await list()).items).toEqual([]);
    expect(await outcomeOf(fixture.commands.keys.remove(fixture.call(), { userId, keyId: id }))).toBe(
      "NOT_FOUND",
    );
  });

  test("is not a token, and a token is not a key", async () => {
    const { id } = await add();
    const tokenId = await fixture.addSystemToken(userId);
    const tokens = await fixture.commands.tokens.list(fixture.call(), userId, page);
    expect(tokens.page).toMatchObject({ items: [{ id: tokenId }], totalResult: 1 });
    expect((await list()).items.map((key) => key.id)).toEqual([id]);
    const removed = fixture.commands.tokens.remove(fixture.call(), { userId, tokenId: id });
    expect(await outcomeOf(removed)).toBe("NOT_FOUND");
    const wrong = fixture.commands.keys.remove(fixture.call(), { userId, keyId: tokenId });
    expect(await outcomeOf(wrong)).toBe("NOT_FOUND");
  });

  test("is refused when it cannot verify, has expired, or belongs to a human user", async () => {
    expect(await problemOf(add({ publicKey: Buffer.from("no key") }))).toMatchObject({
      reason: "KEY_INVALID",
    });
    expect(await problemOf(add({ expirationMs: fixture.clock.nowMs() }))).toMatchObject({
      reason: "FIELD_INVALID",
    });
    userId = await fixture.addHuman();
    expect(await outcomeOf(add())).toBe("WRONG_KIND");
  });

  test("is one of at most twenty, those that have expired included", async () => {
    for (let index = 0; index < maxKeys; index++) await add({ expirationMs: fixture.clock.nowMs() + 1000 });
    fixture.clock.advance(1000);
    expect(await problemOf(add())).toMatchObject({
      reason: "LIMIT_REACHED",
      metadata: { type: "key", limit: "20" },
    });
  });

  test("that a user adds with a token expires with it, and goes with it", async () => {
    const tokenId = await fixture.addSystemToken(userId, fixture.clock.nowMs() + 5000);
    const own = fixture.call({ userId, tokenId });
    const made = await fixture.commands.keys.add(own, {
      userId,
      expirationMs: undefined,
      publicKey: publicKeySample,
    });
    expect((await list()).items).toMatchObject([{ id: made.id, expirationMs: fixture.clock.nowMs() + 5000 }]);
    await fixture.commands.tokens.remove(fixture.call(), { userId, tokenId });
    expect((await list()).items).toEqual([]);
  });

  test("does not carry roles that its user gains later and that who made it does not hold", async () => {
    const manager = (await fixture.commands.addService(fixture.call(), serviceProfile({ username: "m" }))).id;
    await fixture.addRole(manager, "ORGANIZATION_USER_MANAGER");
    const tokenId = await fixture.addSystemToken(manager);
    const byManager = { userId, expirationMs: undefined, publicKey: publicKeySample };
    const { id } = await fixture.commands.keys.add(fixture.call({ userId: manager, tokenId }), byManager);
    const isLimited = async () => (await fixture.read((tx) => findToken(tx, id)))?.isLimited;
    expect(await isLimited()).toBe(false);
    const memberships = createMembershipCommands(fixture.context, toId("1"));
    const scope = { kind: "organization", id: fixture.organizationId } as const;
    await memberships.add(fixture.call(), { userId, scope, roles: ["ORGANIZATION_OWNER"] });
    expect(await isLimited()).toBe(true);
  });
});
