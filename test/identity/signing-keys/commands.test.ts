import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createPublicKey, sign, verify } from "node:crypto";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type InstanceId, toId } from "../../../src/kernel/base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../../src/kernel/base/keyring.ts";
import { findSecret } from "../../../src/kernel/events/secret-store.ts";
import { requireOpenSecrets, resealSecrets } from "../../../src/identity/instance/sealed-secrets.ts";
import {
  createSigningKeyCommands,
  type SigningKeyCommands,
} from "../../../src/identity/signing-keys/commands.ts";
import { listSigningKeys } from "../../../src/identity/signing-keys/repository.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { largeTest } from "../../support/large.ts";

const instanceId = toId<InstanceId>("1");
const day = 24 * 3_600_000;

let fixture: FeatureFixture;
let commands: SigningKeyCommands;
let call: Call;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  commands = createSigningKeyCommands(fixture.context, instanceId);
  call = callAs(await fixture.addOrganization());
});
afterEach(() => fixture.close());

const stored = () => fixture.database.read((tx) => listSigningKeys(tx, instanceId));
const states = async (algorithm = "ES256") =>
  (await stored()).filter((key) => key.algorithm === algorithm).map(({ state }) => state);
const privateKeyOf = (id: string) => fixture.database.read((tx) => findSecret(tx, `signing-key:${id}`));

describe("the keys that sign", () => {
  test("are made when they are first asked for, once, by however many processes", async () => {
    const others = Array.from({ length: 4 }, () => createSigningKeyCommands(fixture.context, instanceId));
    await commands.rotateDue();
    expect(await stored()).toEqual([]);
    const published = await Promise.all([commands, ...others].map((each) => each.listPublished()));
    expect(await stored()).toHaveLength(3);
    for (const keys of published)
      expect(keys.map(({ id }) => id)).toEqual((await stored()).map(({ id }) => id));
  });

  test.each([
    ["RS256", "sha256", { kty: "RSA" }],
    ["ES256", "sha256", { kty: "EC", crv: "P-256" }],
    ["EDDSA", null, { kty: "OKP", crv: "Ed25519" }],
  ] as const)("sign with %s, as the published key verifies", async (algorithm, hash, members) => {
    const signer = await commands.getSigner(algorithm);
    const key = (await commands.listPublished()).find(({ id }) => id === signer.id);
    expect(key?.publicKey).toMatchObject(members);
    expect(Object.keys(key?.publicKey ?? {})).not.toContain("d");
    const signature = sign(hash, Buffer.from("text"), signer.privateKey);
    const publicKey = createPublicKey({ key: { ...key?.publicKey }, format: "jwk" });
    expect(verify(hash, Buffer.from("text"), publicKey, signature)).toBe(true);
  });

  test("are encrypted under the master key, and in no event", async () => {
    const { privateKey } = await commands.getSigner("ES256");
    const der = privateKey.export({ format: "der", type: "pkcs8" });
    const { d = "" } = privateKey.export({ format: "jwk" });
    const bytes = await fixture.place.bytes();
    expect(bytes.includes(der)).toBe(false);
    expect(bytes.includes(d)).toBe(false);
    expect(bytes.includes(Buffer.from(d, "base64url"))).toBe(false);
  });
});

largeTest("the private keys are encrypted anew when the master key is rotated", async () => {
  const { id } = await commands.getSigner("ES256");
  const { context } = fixture;
  await fixture.database.read((tx) => requireOpenSecrets(tx, context.keyring));
  const text = `${newMasterKeyText(context.random)}${fixture.masterKeyText}`;
  const keyring = createKeyring(parseMasterKeys(text), context.random);
  await fixture.database.write((tx) => resealSecrets(tx, keyring, ""));
  expect((await privateKeyOf(id))?.keyId).toBe(keyring.keyIds[0]);
  const again = createSigningKeyCommands({ ...context, keyring }, instanceId);
  expect(await again.getSigner("ES256")).toMatchObject({ id });
});

describe("a rotation", () => {
  test("on demand publishes new keys, which sign after a day; the former are published 13 hours longer", async () => {
    const former = await commands.getSigner("ES256");
    await commands.rotate(call, { revokeOld: false });
    await commands.rotate(call, { revokeOld: false });
    expect(await states()).toEqual(["ACTIVE", "NEXT"]);
    expect(await commands.getSigner("ES256")).toMatchObject({ id: former.id });
    expect(await commands.listPublished()).toHaveLength(6);
    fixture.clock.turn(day);
    await Promise.all([
      commands.rotateDue(),
      createSigningKeyCommands(fixture.context, instanceId).rotateDue(),
    ]);
    expect(await states()).toEqual(["RETIRED", "ACTIVE"]);
    const { id } = await commands.getSigner("ES256");
    expect(id).not.toBe(former.id);
    expect(await privateKeyOf(former.id)).toBeUndefined();
    expect((await commands.listPublished()).map((key) => key.id)).toContain(former.id);
    fixture.clock.turn(13 * 3_600_000);
    expect((await commands.listPublished()).map((key) => key.id)).not.toContain(former.id);
    await commands.rotateDue();
    expect(await states()).toEqual(["ACTIVE"]);
  });

  test("with revoke_old takes every former key away at once, and what it holds", async () => {
    const former = await commands.getSigner("ES256");
    await commands.rotate(call, { revokeOld: true });
    expect(await states()).toEqual(["ACTIVE"]);
    expect(await commands.getSigner("ES256")).not.toMatchObject({ id: former.id });
    expect((await commands.listPublished()).map(({ id }) => id)).not.toContain(former.id);
    expect(await privateKeyOf(former.id)).toBeUndefined();
  });

  largeTest("comes by itself before 90 days are over", async () => {
    const former = await commands.getSigner("RS256");
    fixture.clock.turn(89 * day);
    await commands.rotateDue();
    expect(await states("RS256")).toEqual(["ACTIVE", "NEXT"]);
    fixture.clock.turn(day);
    await commands.rotateDue();
    expect(await commands.getSigner("RS256")).not.toMatchObject({ id: former.id });
  });

  test("tells each step as an event, and a rebuild comes to the same", async () => {
    const former = await commands.getSigner("ES256");
    await commands.rotate(call, { revokeOld: false });
    fixture.clock.turn(day);
    await commands.rotateDue();
    const before = await stored();
    await fixture.rebuild();
    expect(await stored()).toEqual(before);
    expect((await fixture.events(former.id)).map(({ type }) => type)).toEqual([
      "signing_key.added",
      "signing_key.retired",
    ]);
    expect(await commands.getSigner("ES256")).toBeDefined();
  });
});
