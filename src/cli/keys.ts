import { readFileSync } from "node:fs";
import { type Installation, openInstallation } from "../installation.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../base/keyring.ts";
import { countAnswersByKey } from "../features/idempotency/repository.ts";
import { putKeyCheck } from "../features/instance/repository.ts";
import { countSecretsByKey, requireOpenSecrets, resealSecrets } from "../features/instance/sealed-secrets.ts";
import { writePrivateFile } from "../storage/data-folder.ts";
import { readDataOption } from "./data-option.ts";
import { print } from "./print.ts";

/** The result of a rotation. */
export interface Rotation {
  readonly keyId: string;
  /** Number of ciphertexts encrypted with the new key. */
  readonly rewritten: number;
  /** The earlier keys, and how many hashes depend on each until they expire. */
  readonly older: readonly { readonly keyId: string; readonly hashes: number }[];
}

/** Makes a new master key, encrypts everything with it, and says which old keys are still needed. */
export async function rotateKeys(flags: Readonly<Record<string, unknown>>): Promise<number> {
  const dataFolder = readDataOption(flags);
  const installation = await openInstallation(dataFolder, { isNewAllowed: false });
  try {
    const { keyId, rewritten, older } = await rotateMasterKey(installation);
    await print(`new key ${keyId}: ${rewritten} values are now encrypted with it`);
    for (const old of older) await print(`old key ${old.keyId}: ${describeNeed(old.hashes)}`);
    await print(
      `keep a copy of ${installation.folder.masterKey} in another place: new backups need the new key, earlier backups an old one`,
    );
    return 0;
  } finally {
    await installation.close();
  }
}

function describeNeed(hashes: number): string {
  return hashes === 0
    ? "no stored value needs it, only page tokens issued so far"
    : `${hashes} hashes of codes and of calls with an idempotency key need it until they expire`;
}

/**
 * Adds a new key in front of the others in the key file, and encrypts every ciphertext again. A service can start on
 * the folder after each step, so an interruption is harmless; running it again makes another key. The caller must
 * hold the lock. `afterStep` is called between the steps.
 */
export async function rotateMasterKey(
  { context, folder }: Pick<Installation, "context" | "folder">,
  afterStep: () => void = () => {},
): Promise<Rotation> {
  const { database, random } = context;
  await database.read((tx) => requireOpenSecrets(tx, context.keyring));
  // The file first: a key that is in the database but not in the file would keep the service from starting.
  const text = newMasterKeyText(random) + readFileSync(folder.masterKey, "utf8");
  const keyring = createKeyring(parseMasterKeys(text), random);
  const [keyId = "", ...olderIds] = keyring.keyIds;
  writePrivateFile(folder.masterKey, text);
  afterStep();
  await database.write((tx) => putKeyCheck(tx, keyId, keyring.checkValue(keyId)));
  afterStep();
  let rewritten = 0;
  let after: string | undefined = "";
  while (after !== undefined) {
    const from: string = after;
    const { count, last } = await database.write((tx) => resealSecrets(tx, keyring, from));
    rewritten += count;
    after = last;
    afterStep();
  }
  const secrets = await database.read(countSecretsByKey);
  const answers = await database.read((tx) => countAnswersByKey(tx, context.clock.nowMs()));
  const hashes = (id: string): number => (secrets.get(id) ?? 0) + (answers.get(id) ?? 0);
  return { keyId, rewritten, older: olderIds.map((id) => ({ keyId: id, hashes: hashes(id) })) };
}
