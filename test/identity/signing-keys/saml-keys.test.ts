import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { sign, X509Certificate } from "node:crypto";
import type { Call } from "../../../src/kernel/base/call.ts";
import { type InstanceId, toId } from "../../../src/kernel/base/ids.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../../src/kernel/base/keyring.ts";
import { checkCertificates } from "../../../src/cli/doctor/certificate-check.ts";
import { findSecret, putSecret, removeSecret } from "../../../src/kernel/events/secret-store.ts";
import { putInstanceId } from "../../../src/identity/instance/repository.ts";
import { requireOpenSecrets, resealSecrets } from "../../../src/identity/instance/sealed-secrets.ts";
import { createSigningKeyCommands } from "../../../src/identity/signing-keys/commands.ts";
import { listSamlKeys } from "../../../src/identity/signing-keys/saml-key-repository.ts";
import { createSamlKeys, type SamlKeys } from "../../../src/identity/signing-keys/saml-keys.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";
import { largeTest } from "../../support/large.ts";

const instanceId = toId<InstanceId>("1");
const day = 24 * 3_600_000;

let fixture: FeatureFixture;
let keys: SamlKeys;
let call: Call;

beforeEach(async () => {
  fixture = await openFeatureFixture();
  keys = createSamlKeys(fixture.context, instanceId);
  call = callAs(await fixture.addOrganization());
});
afterEach(() => fixture.close());

const stored = () => fixture.database.read((tx) => listSamlKeys(tx, instanceId));
const states = async () => (await stored()).map(({ state }) => state);
const published = async () => (await keys.listPublished()).map(({ id }) => id);
const secretOf = (id: string) => fixture.database.read((tx) => findSecret(tx, id));
const rotate = (revokeOld = false) => keys.rotate(call, { revokeOld });
const typesOf = async (id: string) => (await fixture.events(id)).map(({ type }) => type);

describe("the key that signs SAML messages", () => {
  test("is made when it is first asked for, once, by however many processes, with one pairwise secret", async () => {
    const all = [keys, ...Array.from({ length: 3 }, () => createSamlKeys(fixture.context, instanceId))];
    await keys.removeExpired();
    await keys.warnOfEnding();
    expect(await stored()).toEqual([]);
    const [signers, secrets] = await Promise.all([
      Promise.all(all.map((each) => each.getSigner())),
      Promise.all(all.map((each) => each.readPairwiseSecret())),
    ]);
    expect(await states()).toEqual(["ACTIVE"]);
    expect(new Set(signers.map(({ id }) => id)).size).toBe(1);
    expect(new Set(secrets.map((secret) => Buffer.from(secret).toString("hex"))).size).toBe(1);
    expect(secrets[0]).toHaveLength(32);
  });

  test("is an RSA key of 2048 bits with a certificate of ten years", async () => {
    const { privateKey, certificate } = await keys.getSigner();
    expect(privateKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
    const x509 = new X509Certificate(certificate);
    expect(x509.checkPrivateKey(privateKey)).toBe(true);
    expect(x509.verify(x509.publicKey)).toBe(true);
    expect(x509.subject).toBe("CN=gatehouse saml");
    const nowMs = fixture.clock.nowMs();
    expect(x509.validFromDate.getTime()).toBe(Math.floor(nowMs / 1000) * 1000);
    expect(x509.validToDate.getUTCFullYear()).toBe(new Date(nowMs).getUTCFullYear() + 10);
    expect((await keys.listPublished())[0]?.certificate).toEqual(certificate);
  });

  test("is encrypted under the master key, as the pairwise secret is, and in no event", async () => {
    const { id, privateKey } = await keys.getSigner();
    const secret = await keys.readPairwiseSecret();
    const { d = "", p = "" } = privateKey.export({ format: "jwk" });
    const bytes = await fixture.place.bytes();
    for (const text of [d, p]) {
      expect(bytes.includes(text)).toBe(false);
      expect(bytes.includes(Buffer.from(text, "base64url"))).toBe(false);
    }
    expect(bytes.includes(secret)).toBe(false);
    expect(await fixture.events(id)).toMatchObject([
      {
        type: "signing_key.added",
        editor: "system",
        resource_owner: "1",
        payload: { use: "saml", algorithm: "RS256", state: "ACTIVE", certificate: expect.any(String) },
      },
    ]);
  });

  test("is encrypted anew when the master key is rotated, as the pairwise secret is, which stays the same", async () => {
    const { id } = await keys.getSigner();
    const secret = await keys.readPairwiseSecret();
    const { context } = fixture;
    await fixture.database.read((tx) => requireOpenSecrets(tx, context.keyring));
    const text = `${newMasterKeyText(context.random)}${fixture.masterKeyText}`;
    const keyring = createKeyring(parseMasterKeys(text), context.random);
    await fixture.database.write((tx) => resealSecrets(tx, keyring, ""));
    for (const name of [`saml-key:${id}`, "saml-pairwise"])
      expect((await secretOf(name))?.keyId).toBe(keyring.keyIds[0]);
    const again = createSamlKeys({ ...context, keyring }, instanceId);
    expect(await again.getSigner()).toMatchObject({ id });
    expect(await again.readPairwiseSecret()).toEqual(secret);
  });

  largeTest("and the keys of tokens do not know each other", async () => {
    const tokenKeys = createSigningKeyCommands(fixture.context, instanceId);
    const { id } = await keys.getSigner();
    expect((await tokenKeys.listPublished()).map((key) => key.id)).not.toContain(id);
    const { id: tokenKeyId } = await tokenKeys.getSigner("RS256");
    expect(tokenKeyId).not.toBe(id);
    expect(await tokenKeys.findEver(id)).toBeUndefined();
    await tokenKeys.rotate(call, { revokeOld: true });
    expect(await published()).toEqual([id]);
    await rotate(true);
    expect((await tokenKeys.listPublished()).map(({ state }) => state)).toEqual(Array(3).fill("ACTIVE"));
    const { page } = await tokenKeys.list(call, { pageToken: "", pageSize: 2, countTotal: true });
    expect(page.totalResult).toBe(5);
    const others = await tokenKeys.list(call, {
      pageToken: page.nextPageToken,
      pageSize: 10,
      countTotal: false,
    });
    expect([...page.items, ...others.page.items].map(({ use, state }) => `${use} ${state}`)).toEqual([
      "SAML RETIRED",
      "OIDC ACTIVE",
      "OIDC ACTIVE",
      "OIDC ACTIVE",
      "SAML ACTIVE",
    ]);
    expect(page.items[0]?.certificate).toBeDefined();
    expect(page.items[1]?.certificate).toBeUndefined();
  });
});

test("a pairwise secret that is lost is not made anew: every user would be a stranger", async () => {
  await keys.getSigner();
  await fixture.database.write((tx) => removeSecret(tx, "saml-pairwise"));
  await expect(keys.readPairwiseSecret()).rejects.toThrow("the secret saml-pairwise is missing");
  await rotate();
  await expect(keys.readPairwiseSecret()).rejects.toThrow("the secret saml-pairwise is missing");
});

test("a pairwise secret that is there is kept", async () => {
  const { keyring } = fixture.context;
  const secret = new Uint8Array(32).fill(7);
  const sealed = keyring.encrypt("saml-pairwise", secret, "saml-pairwise");
  await fixture.database.write((tx) => putSecret(tx, "saml-pairwise", sealed));
  expect(await keys.readPairwiseSecret()).toEqual(secret);
});

describe("a rotation", () => {
  test("takes two calls with a day between them, and the former key is published for a day more", async () => {
    const former = await keys.getSigner();
    const secret = await keys.readPairwiseSecret();
    await rotate();
    const [, next] = await published();
    expect(await states()).toEqual(["ACTIVE", "NEXT"]);
    expect(await keys.getSigner()).toMatchObject({ id: former.id });
    fixture.clock.turn(day - 60_000);
    await expect(rotate()).rejects.toMatchObject({
      reason: "SAML_KEY_NOT_READY",
      retryAfterMs: expect.any(Number),
    });
    await expect(rotate()).rejects.toHaveProperty("retryAfterMs", 60_000);
    fixture.clock.turn(60_000);
    await rotate();
    expect(await keys.getSigner()).toMatchObject({ id: next });
    expect(await states()).toEqual(["RETIRED", "ACTIVE"]);
    expect(await published()).toEqual([next, former.id]);
    expect(await secretOf(`saml-key:${former.id}`)).toBeUndefined();
    fixture.clock.turn(day - 1);
    await keys.removeExpired();
    expect(await published()).toEqual([next, former.id]);
    fixture.clock.turn(1);
    expect(await published()).toEqual([next]);
    await Promise.all([keys.removeExpired(), createSamlKeys(fixture.context, instanceId).removeExpired()]);
    expect(await states()).toEqual(["ACTIVE"]);
    expect(await keys.readPairwiseSecret()).toEqual(secret);
    expect(await typesOf(former.id)).toEqual([
      "signing_key.added",
      "signing_key.retired",
      "signing_key.removed",
    ]);
    expect((await fixture.events(next ?? "")).map(({ type, payload }) => [type, payload])).toMatchObject([
      ["signing_key.added", { use: "saml", state: "NEXT" }],
      ["signing_key.activated", { use: "saml" }],
    ]);
  });

  largeTest("that revokes makes the next key sign at once, and no other key is published", async () => {
    const first = await keys.getSigner();
    await rotate();
    fixture.clock.turn(day);
    await rotate(); // the first one is retired
    await rotate(); // a third one waits
    const [second, third] = await published();
    await rotate(true);
    expect(await published()).toEqual([third]);
    expect(await keys.getSigner()).toMatchObject({ id: third });
    expect(await typesOf(first.id)).toContain("signing_key.removed");
    expect(await secretOf(`saml-key:${second}`)).toBeUndefined();
    await keys.removeExpired();
    expect(await states()).toEqual(["ACTIVE"]);
  });

  test("that revokes makes a new key if none waits", async () => {
    const former = await keys.getSigner();
    await rotate(true);
    const { id } = await keys.getSigner();
    expect(id).not.toBe(former.id);
    expect(await published()).toEqual([id]);
    expect(await secretOf(`saml-key:${former.id}`)).toBeUndefined();
  });

  test("before there is any key makes the first one, which signs", async () => {
    await rotate();
    expect(await states()).toEqual(["ACTIVE"]);
    expect(await keys.readPairwiseSecret()).toHaveLength(32);
  });

  largeTest(
    "never comes by itself, also when the certificate has ended; a rebuild comes to the same",
    async () => {
      const { id } = await keys.getSigner();
      const secret = await keys.readPairwiseSecret();
      await rotate();
      fixture.clock.turn(11 * 366 * day);
      await keys.removeExpired();
      expect(await states()).toEqual(["ACTIVE", "NEXT"]);
      const before = await stored();
      await fixture.rebuild();
      expect(await stored()).toEqual(before);
      const signer = await createSamlKeys(fixture.context, instanceId).getSigner();
      expect(signer.id).toBe(id);
      expect(sign("sha256", Buffer.from("text"), signer.privateKey)).toHaveLength(256);
      expect(await keys.readPairwiseSecret()).toEqual(secret);
    },
  );
});

test("from 60 days before the end of the certificate there is a warning, once a day, and doctor says so", async () => {
  const ending: string[] = [];
  const watched = createSamlKeys(fixture.context, instanceId, {
    onCertificateEnding: ({ keyId }) => ending.push(keyId),
  });
  const doctor = () => fixture.database.read((tx) => checkCertificates(tx, fixture.clock.nowMs()));
  await fixture.database.write((tx) => putInstanceId(tx, instanceId));
  expect(await doctor()).toEqual({ state: "ok", check: "SAML certificates", detail: "none yet" });
  const { id, certificate } = await watched.getSigner();
  const { validToDate } = new X509Certificate(certificate);
  fixture.clock.turn(validToDate.getTime() - 60 * day - fixture.clock.nowMs() - 1000);
  await watched.warnOfEnding();
  expect(ending).toEqual([]);
  expect(await doctor()).toMatchObject({ state: "ok" });
  fixture.clock.turn(1000);
  await watched.warnOfEnding();
  await watched.warnOfEnding();
  expect(ending).toEqual([id]);
  expect(await doctor()).toMatchObject({ state: "warning", detail: expect.stringContaining(id) });
  fixture.clock.turn(day);
  await watched.warnOfEnding();
  expect(ending).toEqual([id, id]);
});
