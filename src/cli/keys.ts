import type { WriteTransaction } from "../kernel/base/database.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../kernel/base/keyring.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Flags } from "../config/values.ts";
import { countAnswersByKey } from "../identity/idempotency/repository.ts";
import { putSealingKeyId } from "../identity/instance/repository.ts";
import { countSecretsByKey, requireOpenSecrets, resealSecrets } from "../identity/instance/sealed-secrets.ts";
import {
  beforeAllNames,
  countSamlNamesByKey,
  resealSamlNames,
} from "../identity/logins/saml-participations/reseal-repository.ts";
import { type Installation, openInstallation } from "../app/installation.ts";
import { writePrivateFile } from "../kernel/storage/data-folder.ts";
import { findPlace, readPlaceOptions } from "./place-options.ts";
import { print } from "./terminal/print.ts";

/** The result of a rotation. */
export interface Rotation {
  readonly keyId: string;
  /** Whether processes that serve have to learn of the key. */
  readonly isToBeLearned: boolean;
  /** Number of ciphertexts encrypted with the new key. */
  readonly rewritten: number;
  /** The earlier keys, and how many values depend on each until they expire. */
  readonly older: readonly { readonly keyId: string; readonly values: number }[];
}

/** Adds a new key to the key file of a database, which is used once it is in the file of every process. */
export async function addKey(flags: Flags): Promise<number> {
  const place = await findPlace(flags);
  if (!place.isShared)
    throw new ConfigError("keys add works only with --database; on a data folder keys rotate adds the key");
  const keyId = addToFile(place.keyFile, place.readKeyFile());
  await print(
    `new key ${keyId} in ${place.keyFile}: copy the file to every process, send each a SIGHUP, then run gatehouse keys rotate`,
  );
  return 0;
}

/** Encrypts everything with a new master key, and says which old keys are still needed. */
export async function rotateKeys(flags: Flags): Promise<number> {
  const installation = await openInstallation(readPlaceOptions(flags), { isNewAllowed: false });
  const { isShared, keyFile } = installation.place;
  try {
    const { keyId, isToBeLearned, rewritten, older } = isShared
      ? await rotateSharedKeys(installation)
      : await rotateMasterKey(installation);
    await print(`new key ${keyId}: ${rewritten} values are now encrypted with it`);
    for (const old of older) await print(`old key ${old.keyId}: ${describeNeed(old.values)}`);
    if (isToBeLearned) {
      await print(
        "send each process a SIGHUP, so that it encrypts with the new key too; then run gatehouse keys rotate again, for what was encrypted meanwhile",
      );
    }
    await print(
      `keep a copy of ${keyFile} in another place: new backups need the new key, earlier backups an old one`,
    );
    return 0;
  } finally {
    await installation.close();
  }
}

function describeNeed(values: number): string {
  return values === 0
    ? "no stored value needs it, only page tokens issued so far"
    : `${values} hashes of codes and of calls with an idempotency key need it until they expire`;
}

/**
 * Adds a new key in front of the others in the key file, and encrypts every ciphertext again. A service can start on
 * the folder after each step, so an interruption is harmless; running it again makes another key. The caller must
 * hold the lock. `afterStep` is called between the steps.
 */
export async function rotateMasterKey(
  installation: Pick<Installation, "context" | "place" | "reloadKeys">,
  afterStep: () => void = () => {},
): Promise<Rotation> {
  const { context, place } = installation;
  await context.database.read((tx) => requireOpenSecrets(tx, context.keyring));
  // The file first: a key that is in the database but not in the file would keep the service from starting.
  addToFile(place.keyFile, place.readKeyFile());
  afterStep();
  await installation.reloadKeys();
  afterStep();
  return { ...(await sealAnew(context, afterStep)), isToBeLearned: false };
}

/**
 * Encrypts every ciphertext again with the first key of the key file, beside processes that serve. They can read everything
 * before and after it, as long as they know the key. Running it again goes on where it ended.
 */
async function rotateSharedKeys({ context, place }: Installation): Promise<Rotation> {
  const { database, keyring } = context;
  if (keyring.keyIds.length === 1) {
    throw new ConfigError(
      `${place.keyFile} has one key only; add another with gatehouse keys add, and copy the file to every process`,
    );
  }
  await database.read((tx) => requireOpenSecrets(tx, keyring));
  const [newest = ""] = keyring.keyIds;
  const isToBeLearned = keyring.sealingKeyId !== newest;
  await database.write((tx) => putSealingKeyId(tx, newest));
  keyring.sealWith(newest);
  return { ...(await sealAnew(context, () => {})), isToBeLearned };
}

/** Encrypts some ciphertexts, and says how many and the last that was looked at; undefined at the end. */
type SealPortion<Position> = (
  tx: WriteTransaction,
  after: Position,
) => Promise<{ readonly count: number; readonly last: Position | undefined }>;

/** Encrypts every ciphertext with the key that encrypts. */
async function sealAnew(
  { database, keyring, clock }: Installation["context"],
  afterStep: () => void,
): Promise<Omit<Rotation, "isToBeLearned">> {
  /** Goes on after each position, in a write of its own, until there is none. */
  const inPortions = async <Position>(first: Position, seal: SealPortion<Position>): Promise<number> => {
    let sealed = 0;
    let after: Position | undefined = first;
    while (after !== undefined) {
      const from: Position = after;
      const { count, last } = await database.write((tx) => seal(tx, from));
      sealed += count;
      after = last;
      afterStep();
    }
    return sealed;
  };
  const ofSecrets = await inPortions("", (tx, after) => resealSecrets(tx, keyring, after));
  const ofNames = await inPortions(beforeAllNames, (tx, after) => resealSamlNames(tx, keyring, after));
  const secrets = await database.read(countSecretsByKey);
  const answers = await database.read((tx) => countAnswersByKey(tx, clock.nowMs()));
  const names = await database.read((tx) => countSamlNamesByKey(tx, clock.nowMs()));
  const needs = (id: string): number =>
    [secrets, answers, names].reduce((sum, counts) => sum + (counts.get(id) ?? 0), 0);
  const { sealingKeyId: keyId } = keyring;
  const older = keyring.keyIds.filter((id) => id !== keyId);
  return {
    keyId,
    rewritten: ofSecrets + ofNames,
    older: older.map((id) => ({ keyId: id, values: needs(id) })),
  };
}

/** Adds a key in front of the others in the key file and returns its id. */
function addToFile(file: string, earlier: string): string {
  const line = newMasterKeyText(systemRandom);
  const [keyId = ""] = createKeyring(parseMasterKeys(line + earlier), systemRandom).keyIds;
  writePrivateFile(file, line + earlier);
  return keyId;
}
