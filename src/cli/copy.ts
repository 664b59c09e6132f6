import { randomUUID } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { openInstallation } from "../app/installation.ts";
import { ConfigError } from "../config/config-error.ts";
import { listUnknownVariables } from "../config/environment.ts";
import { parseNamedPlace, type PlaceConfig } from "../config/place.ts";
import { type Flags, keepSqliteFilesIn, processEnvironment } from "../config/values.ts";
import { systemClock } from "../kernel/base/clock.ts";
import { type CopyProgress, copyTables } from "../kernel/storage/copy/copy-tables.ts";
import { CopyError, type RowStore } from "../kernel/storage/copy/rows.ts";
import { findSeal, putSeal } from "../kernel/storage/copy/seal.ts";
import { writePrivateFile } from "../kernel/storage/data-folder.ts";
import type { HeldPlace, Place } from "../kernel/storage/place.ts";
import { placeOf } from "../kernel/storage/places/place-of.ts";
import { createCopyClock, tellOf } from "./copy/progress.ts";
import { keysWithFirst, requireSameKeys } from "./copy/keys.ts";
import { print } from "./terminal/print.ts";

/**
 * Copies a data folder into a database or back, with the master keys, and seals the source. With --unseal it opens a sealed place
 * again. Throws ConfigError, CopyError and the errors of taking a place.
 */
export async function copy(flags: Flags): Promise<number> {
  const from = readPlace(flags, "from");
  if (flags["unseal"] === true) {
    if (flags["to"] !== undefined) throw new ConfigError("--unseal takes --from only");
    return await unseal(from);
  }
  const to = readPlace(flags, "to");
  if ((from.database === undefined) === (to.database === undefined)) {
    throw new ConfigError(
      from.database === undefined
        ? "one of --from and --to must be the URL of a database; copy a folder to a folder with cp, while the service is stopped"
        : "one of --from and --to must be a folder; copy a database to a database with pg_dump and pg_restore",
    );
  }
  await copyPlace(from, to);
  return 0;
}

function readPlace(flags: Flags, name: "from" | "to"): PlaceConfig {
  const environment = processEnvironment();
  listUnknownVariables(environment);
  const text = flags[name];
  const option = `--${name}`;
  if (typeof text !== "string")
    throw new ConfigError(`copy needs ${option}: a folder, or the URL of a database`);
  return parseNamedPlace(text, { option, flags, environment });
}

/** Copies one place to another, and seals the first. */
export async function copyPlace(from: PlaceConfig, to: PlaceConfig): Promise<void> {
  const keys = await readKeysOf(from);
  const source = await placeOf(from);
  await withRows(source, undefined, async (sourceRows) => {
    const target = await placeOf(to);
    const text = keysWithFirst(source.readKeyFile(), keys.sealingKeyId);
    const clock = createCopyClock(systemClock);
    let isBegun = false;
    const tell = tellOf(clock, print);
    await withKeyFile(
      target,
      text,
      () => isBegun,
      async () => {
        await withRows(target, text, async (targetRows) => {
          await copyTables({
            source: { name: source.name, rows: sourceRows },
            target: { name: target.name, rows: targetRows },
            newId: randomUUID,
            ownSettings: new Map([["sealing-key", target.isShared ? keys.sealingKeyId : undefined]]),
            async tell(event: CopyProgress) {
              isBegun = true;
              await tell(event);
            },
          });
        });
      },
    );
    await print(
      `${target.name} is ready, with its keys in ${target.keyFile}; ${source.name} is sealed, and can be removed when it is no longer needed`,
    );
  });
}

/** Opens the installation as a service does: migrates it, and checks its keys. Throws CopyError if there is none. */
async function readKeysOf(from: PlaceConfig): Promise<{ readonly sealingKeyId: string }> {
  const installation = await openInstallation(from, {
    isNewAllowed: false,
    isAlone: true,
    isSealedAllowed: true,
  });
  try {
    if ((await installation.instance.findId()) === undefined)
      throw new CopyError(`there is no installation in ${installation.place.name}`);
    return { sealingKeyId: installation.context.keyring.sealingKeyId };
  } finally {
    await installation.close();
  }
}

/** Takes the place alone and opens its tables. `keys` is the text of the key file of a target, which may be new. */
async function withRows(
  place: Place,
  keys: string | undefined,
  work: (rows: RowStore) => Promise<void>,
): Promise<void> {
  const held: HeldPlace = await place.take({ isNewAllowed: keys !== undefined, isAlone: true });
  try {
    if (keys !== undefined)
      requireSameKeys(
        place.keyFile,
        held.readMasterKeys(() => keys),
        keys,
      );
    if (!place.isShared) keepSqliteFilesIn(place.folder.path);
    const rows = await held.openRows(systemClock.nowMs());
    try {
      await work(rows);
    } finally {
      await rows.close();
    }
  } finally {
    await held.release();
  }
}

/** Writes the key file of a shared place if there is none, and removes it again if nothing was begun. */
async function withKeyFile(
  { isShared, keyFile }: Place,
  text: string,
  isBegun: () => boolean,
  work: () => Promise<void>,
): Promise<void> {
  const isMade = isShared && !existsSync(keyFile);
  if (isMade) writePrivateFile(keyFile, text);
  try {
    await work();
  } catch (error) {
    if (isMade && !isBegun()) rmSync(keyFile, { force: true });
    throw error;
  }
}

async function unseal(from: PlaceConfig): Promise<number> {
  const installation = await openInstallation(from, {
    isNewAllowed: false,
    isAlone: true,
    isSealedAllowed: true,
  });
  try {
    const { database } = installation.context;
    const { name } = installation.place;
    const seal = await database.read(findSeal);
    if (seal?.isDone === false && seal.role === "target")
      throw new CopyError(
        `${name} is an unfinished copy, which nobody can open; run the copy again, or make ${name} empty`,
      );
    if (seal?.role !== "source") throw new CopyError(`${name} is not sealed`);
    await database.write((tx) => putSeal(tx, undefined));
    await print(
      `${name} can be served again; never serve it beside ${seal.other}, because each would go on without the other`,
    );
    return 0;
  } finally {
    await installation.close();
  }
}
