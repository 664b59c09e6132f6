import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import type { Call, Origin } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, SigningKeyId } from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { findSecret, putSecret } from "../../kernel/events/secret-store.ts";
import { type FeatureContext, write } from "../context.ts";
import { makeCertificate } from "./certificate.ts";
import { makeKeyPair } from "./key-pair.ts";
import { listSamlKeys } from "./saml-key-repository.ts";
import {
  addSamlKey,
  changeSamlKey,
  type EndingCertificate,
  endingCertificates,
  pairwiseSecretId,
  planExpiredSamlKeys,
  planFirstSamlKey,
  planSamlRotation,
  publishedSamlKeys,
  type SamlKey,
  samlKeySecretId,
  type SamlRotationStep,
} from "./saml-key.ts";
import { newSigningKeyId } from "./signing-key.ts";

/** The key that signs SAML messages now: RSA of 2048 bits, for rsa-sha256. */
export interface SamlSigner {
  readonly id: SigningKeyId;
  readonly privateKey: KeyObject;
  /** Self-signed X.509, as DER. */
  readonly certificate: Uint8Array;
}

/** The use cases of the keys that sign SAML messages. None of them is called inside a write, which they may begin themselves. */
export interface SamlKeys {
  /** Returns the key that signs now, whichever process made it so. Makes the first one if there is none yet. */
  getSigner(): Promise<SamlSigner>;
  /** Returns the keys that service providers may trust now, the one that signs first. Makes the first one if there is none yet. */
  listPublished(): Promise<readonly SamlKey[]>;
  /** Returns the private keys that we have, the one that signs first: with these we read what is encrypted for us. */
  openPrivateKeys(): Promise<readonly KeyObject[]>;
  /** Returns the 32 bytes from which persistent names of users follow, for ever the same. They are made with the first key. */
  readPairwiseSecret(): Promise<Uint8Array>;
  /** Does the same within a transaction, after the first key was made. */
  findPairwiseSecret(tx: ReadTransaction): Promise<Uint8Array>;
  /**
   * Takes the next step of a rotation (see `planSamlRotation`). Returns where the last change stands. Raises SAML_KEY_NOT_READY.
   */
  rotate(call: Call, how: { readonly revokeOld: boolean }): Promise<Details>;
  /** Removes the keys that are not published any more. Several processes may do it at once. */
  removeExpired(): Promise<void>;
  /** Says, at most once a day, which certificates end within 60 days. */
  warnOfEnding(): Promise<void>;
}

/** What else the commands are made of. */
export interface SamlKeysOptions {
  readonly onCertificateEnding?: (certificate: EndingCertificate) => void;
}

const background: Origin = { editor: "system", remoteAddress: undefined, requestId: "saml-keys" };
const pairwiseSecretBytes = 32;
const dayMs = 24 * 3_600_000;
const certificateYears = 10;

/** Creates the commands of the keys. What they know of keys is forgotten when the table changes. */
export function createSamlKeys(
  context: FeatureContext,
  instanceId: InstanceId,
  { onCertificateEnding = () => undefined }: SamlKeysOptions = {},
): SamlKeys {
  const { database, clock } = context;
  const watch = database.watch(["saml_keys"]);
  let known: KnownKeys | undefined;
  let making: Promise<void> | undefined;
  let warnedMs = Number.NEGATIVE_INFINITY;
  const knownKeys = async (): Promise<KnownKeys> => {
    await database.refresh(); // another process may have rotated
    const revision = watch.committed();
    if (known?.revision === revision && known.keys.length > 0) return known;
    const keys = await database.read((tx) => listSamlKeys(tx, instanceId));
    known = { revision, keys, signer: undefined };
    return known;
  };
  const keysWithFirst = async (): Promise<KnownKeys> => {
    const present = await knownKeys();
    if (planFirstSamlKey(present.keys).length === 0) return present;
    // However many requests are the first ones, this process makes one pair of keys.
    making ??= runPlan(context, instanceId, planFirstSamlKey).finally(() => (making = undefined));
    await making;
    return await knownKeys();
  };
  return {
    async getSigner() {
      const present = await keysWithFirst();
      present.signer ??= await database.read((tx) => openSigner(context, tx, instanceId));
      return present.signer;
    },
    async listPublished() {
      return publishedSamlKeys((await keysWithFirst()).keys, clock.nowMs());
    },
    async openPrivateKeys() {
      await keysWithFirst();
      return await database.read((tx) => openPrivateKeys(context, tx, instanceId));
    },
    findPairwiseSecret: (tx) => openPairwiseSecret(context, tx),
    async readPairwiseSecret() {
      await keysWithFirst();
      return await database.read((tx) => openPairwiseSecret(context, tx));
    },
    rotate: (call, how) => rotate(context, instanceId, { call, how }),
    async removeExpired() {
      const plan = (keys: readonly SamlKey[]) => planExpiredSamlKeys(keys, clock.nowMs());
      if (plan((await knownKeys()).keys).length > 0) await runPlan(context, instanceId, plan);
    },
    async warnOfEnding() {
      const nowMs = clock.nowMs();
      if (nowMs < warnedMs + dayMs) return;
      const ending = endingCertificates((await knownKeys()).keys, nowMs);
      if (ending.length > 0) warnedMs = nowMs;
      for (const certificate of ending) onCertificateEnding(certificate);
    },
  };
}

async function rotate(
  context: FeatureContext,
  instanceId: InstanceId,
  { call, how }: { readonly call: Call; readonly how: { readonly revokeOld: boolean } },
): Promise<Details> {
  const pair = await makePair(context);
  return await write(context, call, async ({ tx, append }) => {
    const keys = await listSamlKeys(tx, instanceId);
    const steps = planSamlRotation(keys, { ...how, nowMs: context.clock.nowMs() });
    const events = await takeSteps(context, tx, { keys, steps, pair, instanceId });
    return createdDetails(await append(events), instanceId);
  });
}

interface KnownKeys {
  readonly revision: number;
  readonly keys: readonly SamlKey[];
  /** Undefined until somebody asks for it. */
  signer: SamlSigner | undefined;
}

/** A new pair of keys with its certificate. The private key is PKCS #8 (DER). */
interface CertifiedPair {
  readonly publicKey: object;
  readonly privateKey: Uint8Array;
  readonly certificate: Uint8Array;
}

/**
 * Takes the steps that the plan asks for, in one write. The pair of keys is made before it, and the plan is asked again in it:
 * steps that another process has taken meanwhile are not repeated.
 */
async function runPlan(
  context: FeatureContext,
  instanceId: InstanceId,
  plan: (keys: readonly SamlKey[]) => readonly SamlRotationStep[],
): Promise<void> {
  const expected = plan(await context.database.read((tx) => listSamlKeys(tx, instanceId)));
  if (expected.length === 0) return;
  const pair = expected.some(({ kind }) => kind === "add") ? await makePair(context) : undefined;
  await context.database.write(async (tx) => {
    const keys = await listSamlKeys(tx, instanceId);
    const events = await takeSteps(context, tx, { keys, steps: plan(keys), pair, instanceId });
    if (events.length > 0) await context.log.append(tx, background, events);
  });
}

async function makePair({ clock, random }: FeatureContext): Promise<CertifiedPair> {
  const { publicKey, privateKey } = await makeKeyPair("RS256");
  const now = new Date(clock.nowMs());
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(now.getUTCFullYear() + certificateYears);
  const certificate = await makeCertificate(
    {
      commonName: "gatehouse saml",
      serial: random.bytes(16),
      notBeforeMs: now.getTime(),
      notAfterMs: notAfter.getTime(),
      publicKey: createPublicKey({ key: { ...publicKey }, format: "jwk" }),
    },
    toPrivateKey(privateKey),
  );
  return { publicKey, privateKey, certificate };
}

/** Stores the private keys of the steps and returns their events. A key without a pair waits for the next time. */
async function takeSteps(
  context: FeatureContext,
  tx: WriteTransaction,
  plan: {
    readonly keys: readonly SamlKey[];
    readonly steps: readonly SamlRotationStep[];
    readonly pair: CertifiedPair | undefined;
    readonly instanceId: InstanceId;
  },
): Promise<readonly NewEvent[]> {
  const { keyring, random, clock } = context;
  const events: NewEvent[] = [];
  for (const step of plan.steps) {
    if (step.kind !== "add") {
      events.push(changeSamlKey(step.kind, step.key, clock.nowMs()));
      continue;
    }
    if (plan.pair === undefined) continue;
    const { publicKey, privateKey, certificate } = plan.pair;
    const id = newSigningKeyId(random);
    await putSecret(tx, samlKeySecretId(id), keyring.encrypt("saml-key", privateKey, id));
    if (plan.keys.length === 0) await makePairwiseSecret(context, tx);
    events.push(addSamlKey({ id, instanceId: plan.instanceId, state: step.state, publicKey, certificate }));
  }
  return events;
}

/** Makes the secret unless there is one: another one would make a stranger of each user at each service provider. */
async function makePairwiseSecret({ keyring, random }: FeatureContext, tx: WriteTransaction): Promise<void> {
  if ((await findSecret(tx, pairwiseSecretId)) !== undefined) return;
  const sealed = keyring.encrypt("saml-pairwise", random.bytes(pairwiseSecretBytes), pairwiseSecretId);
  await putSecret(tx, pairwiseSecretId, sealed);
}

async function openPairwiseSecret({ keyring }: FeatureContext, tx: ReadTransaction): Promise<Uint8Array> {
  const sealed = await findSecret(tx, pairwiseSecretId);
  if (sealed === undefined) throw new Error(`the secret ${pairwiseSecretId} is missing`);
  return keyring.decrypt("saml-pairwise", sealed, pairwiseSecretId);
}

async function openSigner(
  { keyring }: FeatureContext,
  tx: ReadTransaction,
  instanceId: InstanceId,
): Promise<SamlSigner> {
  // Of this moment, as the secret is: what is remembered of the keys may be older.
  const keys = await listSamlKeys(tx, instanceId);
  const key = keys.find(({ state }) => state === "ACTIVE");
  if (key === undefined) throw new Error("no key signs SAML messages");
  return { id: key.id, privateKey: await openPrivateKey(keyring, tx, key), certificate: key.certificate };
}

async function openPrivateKeys(
  { keyring }: FeatureContext,
  tx: ReadTransaction,
  instanceId: InstanceId,
): Promise<readonly KeyObject[]> {
  const keys = (await listSamlKeys(tx, instanceId)).filter(({ state }) => state !== "RETIRED");
  const signerFirst = keys.toSorted((a, b) => Number(b.state === "ACTIVE") - Number(a.state === "ACTIVE"));
  const opened: KeyObject[] = [];
  for (const key of signerFirst) opened.push(await openPrivateKey(keyring, tx, key));
  return opened;
}

async function openPrivateKey(
  keyring: FeatureContext["keyring"],
  tx: ReadTransaction,
  { id }: Pick<SamlKey, "id">,
): Promise<KeyObject> {
  const sealed = await findSecret(tx, samlKeySecretId(id));
  if (sealed === undefined) throw new Error(`the private key of ${id} is missing`);
  return toPrivateKey(keyring.decrypt("saml-key", sealed, id));
}

function toPrivateKey(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
}
