import { existsSync } from "node:fs";
import { systemClock } from "../kernel/base/clock.ts";
import { createKeyring, parseMasterKeys } from "../kernel/base/keyring.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { parseConfig } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import { listUnknownVariables } from "../config/environment.ts";
import { issuerOf } from "../config/origins.ts";
import { type Flags, processEnvironment } from "../config/values.ts";
import { makeSetupLink } from "../identity/instance/setup-link.ts";
import { DataFolderError, makeDataFolder, writePrivateFile } from "../kernel/storage/data-folder.ts";
import { placeOf } from "../kernel/storage/places/place-of.ts";
import { print } from "./terminal/print.ts";

/**
 * Makes a link with which an administrator signs up, writes it to admin.link and prints it. Reads only the master key, so the
 * service may be running.
 */
export async function makeLink(flags: Flags): Promise<number> {
  const environment = processEnvironment();
  listUnknownVariables(environment);
  const config = parseConfig(flags, environment);
  const issuer = config.issuer === undefined && config.port === 0 ? undefined : issuerOf(config, config.port);
  if (issuer === undefined)
    throw new ConfigError(
      "setup link needs --issuer, the origin under which browsers reach the service; give it what gatehouse serve gets",
    );
  const { folder, keyFile, isShared, readKeyFile } = await placeOf(config);
  if (!isShared && !existsSync(keyFile))
    throw new DataFolderError(`there is no ${keyFile}; the first start of gatehouse serve creates it`);
  const keyring = readKeyring(keyFile, readKeyFile());
  const link = makeSetupLink({ issuer, keyring, random: systemRandom, nowMs: systemClock.nowMs() });
  makeDataFolder(folder);
  writePrivateFile(folder.adminLink, `${link.reveal()}\n`);
  await print(link.reveal());
  return 0;
}

/** Signs with the oldest key: processes that share a database may not know yet of one that was just added. */
function readKeyring(keyFile: string, text: string) {
  try {
    const keys = parseMasterKeys(text);
    return createKeyring(keys.toReversed(), systemRandom);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : "";
    throw new DataFolderError(`${keyFile} is damaged: ${message}`, { cause });
  }
}
