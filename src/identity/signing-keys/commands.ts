import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Call, Origin } from "../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { createdDetails, type Details } from "../../kernel/base/details.ts";
import type { InstanceId, SigningKeyId } from "../../kernel/base/ids.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { findSecret, putSecret } from "../../kernel/events/secret-store.ts";
import { type FeatureContext, write } from "../context.ts";
import { type ListedPage, readList } from "../list.ts";
import { type KeyPair, makeKeyPair } from "./key-pair.ts";
import { type ListedSigningKey, signingKeyList } from "./list-repository.ts";
import { findFormerSigningKey, type FormerSigningKey, listSigningKeys } from "./repository.ts";
import {
  addSigningKey,
  changeSigningKey,
  newSigningKeyId,
  planDueSteps,
  planFirstKeys,
  planRotation,
  type RotationStep,
  type SigningAlgorithm,
  type SigningKey,
  signingAlgorithms,
  signingKeySecretId,
} from "./signing-key.ts";

/** The key that signs now. */
export interface Signer {
  readonly id: SigningKeyId;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: KeyObject;
}

/**
 * The use cases of keys that sign tokens; `list` alone knows other keys too. What other processes have done to the keys is known as
 * of the last read or write of this one: a request that has made none calls `Database.refresh` first.
 */
export interface SigningKeyCommands {
  /** Lists the keys of the instance, whatever they sign, oldest first. Raises PAGE_TOKEN_INVALID. */
  list(call: Call, page: PageRequest): Promise<ListedPage<ListedSigningKey>>;
  /**
   * Makes new keys, which sign in a day. With `revokeOld` they sign at once, and every other key is removed with what it has
   * signed. Returns where the last change stands.
   */
  rotate(call: Call, how: { readonly revokeOld: boolean }): Promise<Details>;
  /** Returns all keys that others may trust now, oldest first. Makes the first ones if there are none yet. */
  listPublished(): Promise<readonly SigningKey[]>;
  /** Finds a key by which something was ever signed, whether anybody may trust it now or not. */
  findEver(id: string): Promise<FormerSigningKey | undefined>;
  /** Returns the key that signs with the algorithm now. Makes the first ones if there are none yet. */
  getSigner(algorithm: SigningAlgorithm): Promise<Signer>;
  /** Does what time demands. Several processes may do it at once: each step is taken once. */
  rotateDue(): Promise<void>;
}

const background: Origin = { editor: "system", remoteAddress: undefined, requestId: "signing-key-rotation" };

/** Creates the commands of signing keys. What they know of keys is forgotten when the table changes. */
export function createSigningKeyCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): SigningKeyCommands {
  const { database, clock } = context;
  const watch = database.watch(["signing_keys"]);
  let known: KnownKeys | undefined;
  const knownKeys = async (): Promise<KnownKeys> => {
    const revision = watch.committed();
    if (known?.revision === revision && known.keys.length > 0) return known;
    await runPlan(context, instanceId, planFirstKeys);
    const keys = await database.read((tx) => listSigningKeys(tx, instanceId));
    known = { revision, keys, signers: new Map() };
    return known;
  };
  return {
    list: (call, page) =>
      database.read((tx) => readList(context, tx, { list: signingKeyList, call, asked: instanceId, page })),
    async rotate(call, how) {
      const pairs = await makePairs(signingAlgorithms);
      return await write(context, call, async ({ tx, append }) => {
        const keys = await listSigningKeys(tx, instanceId);
        const events = await takeSteps(context, tx, { steps: planRotation(keys, how), pairs, instanceId });
        const last = Math.max(...keys.map(({ details }) => details.sequence));
        return createdDetails(events.length === 0 ? last : await append(events), instanceId);
      });
    },
    async listPublished() {
      const { keys } = await knownKeys();
      const nowMs = clock.nowMs();
      return keys.filter(({ expirationMs }) => expirationMs === undefined || expirationMs > nowMs);
    },
    async findEver(id) {
      const { keys } = await knownKeys();
      const present = keys.find((key) => key.id === id);
      return present ?? (await database.read((tx) => findFormerSigningKey(tx, instanceId, id)));
    },
    async getSigner(algorithm) {
      const { keys, signers } = await knownKeys();
      const key = keys.find((each) => each.algorithm === algorithm && each.state === "ACTIVE");
      if (key === undefined) throw new Error(`no key signs with ${algorithm}`);
      const signer = signers.get(key.id) ?? (await database.read((tx) => openSigner(context, tx, key)));
      signers.set(key.id, signer);
      return signer;
    },
    rotateDue: () => runPlan(context, instanceId, (keys) => planDueSteps(keys, clock.nowMs())),
  };
}

interface KnownKeys {
  readonly revision: number;
  readonly keys: readonly SigningKey[];
  readonly signers: Map<SigningKeyId, Signer>;
}

type Pairs = ReadonlyMap<SigningAlgorithm, KeyPair>;

/**
 * Takes the steps that the plan asks for, in one write. The pairs of keys are made before it, and the plan is asked again in it:
 * steps that another process has taken meanwhile are not repeated.
 */
async function runPlan(
  context: FeatureContext,
  instanceId: InstanceId,
  plan: (keys: readonly SigningKey[]) => readonly RotationStep[],
): Promise<void> {
  const expected = plan(await context.database.read((tx) => listSigningKeys(tx, instanceId)));
  if (expected.length === 0) return;
  const pairs = await makePairs(expected.flatMap((step) => (step.kind === "add" ? [step.algorithm] : [])));
  await context.database.write(async (tx) => {
    const steps = plan(await listSigningKeys(tx, instanceId));
    const events = await takeSteps(context, tx, { steps, pairs, instanceId });
    if (events.length > 0) await context.log.append(tx, background, events);
  });
}

async function makePairs(algorithms: readonly SigningAlgorithm[]): Promise<Pairs> {
  return new Map(
    await Promise.all(
      algorithms.map(async (algorithm) => [algorithm, await makeKeyPair(algorithm)] as const),
    ),
  );
}

/** Stores the private keys of the steps and returns their events. A key without a pair waits for the next time. */
async function takeSteps(
  { keyring, random, clock }: FeatureContext,
  tx: WriteTransaction,
  plan: {
    readonly steps: readonly RotationStep[];
    readonly pairs: Pairs;
    readonly instanceId: InstanceId;
  },
): Promise<readonly NewEvent[]> {
  const events: NewEvent[] = [];
  for (const step of plan.steps) {
    if (step.kind !== "add") {
      events.push(changeSigningKey(step.kind, step.key, clock.nowMs()));
      continue;
    }
    const pair = plan.pairs.get(step.algorithm);
    if (pair === undefined) continue;
    const id = newSigningKeyId(random);
    await putSecret(tx, signingKeySecretId(id), keyring.encrypt("signing-key", pair.privateKey, id));
    events.push(addSigningKey({ ...step, id, instanceId: plan.instanceId, publicKey: pair.publicKey }));
  }
  return events;
}

async function openSigner(
  { keyring }: FeatureContext,
  tx: ReadTransaction,
  key: SigningKey,
): Promise<Signer> {
  const sealed = await findSecret(tx, signingKeySecretId(key.id));
  if (sealed === undefined) throw new Error(`the private key of ${key.id} is missing`);
  const der = Buffer.from(keyring.decrypt("signing-key", sealed, key.id));
  return {
    id: key.id,
    algorithm: key.algorithm,
    privateKey: createPrivateKey({ key: der, format: "der", type: "pkcs8" }),
  };
}
