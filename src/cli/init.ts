import { existsSync, rmSync } from "node:fs";
import { newMasterKeyText } from "../kernel/base/keyring.ts";
import { Problem } from "../kernel/base/problem.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { ConfigError } from "../config/config-error.ts";
import { parseIssuer } from "../config/origins.ts";
import type { PlaceConfig } from "../config/place.ts";
import { type Flags, processEnvironment, readValues } from "../config/values.ts";
import { WrongMasterKeyError } from "../identity/instance/commands.ts";
import { openInstallation } from "../app/installation.ts";
import {
  DataFolderError,
  dataFolderAt,
  makeDataFolder,
  writePrivateFile,
} from "../kernel/storage/data-folder.ts";
import { DatabaseUnusableError } from "../kernel/storage/database-unusable.ts";
import { readPlaceOptions } from "./place-options.ts";
import { print } from "./terminal/print.ts";

/**
 * Creates an installation in an empty database: the key file, the tables, the instance, the token of its administrator, and, if the
 * issuer is known, the link with which the first one signs up. Overwrites no file, and leaves none behind when there is no instance
 * afterwards.
 */
export async function init(flags: Flags): Promise<number> {
  const place = readPlaceOptions(flags);
  if (place.database === undefined)
    throw new ConfigError(
      "init needs --database; in a data folder gatehouse serve creates everything itself",
    );
  const keyFile = place.database.masterKeyFile;
  const tokenFile = tokenFileOf(flags, place);
  const setupLink = planSetupLink(flags, place);
  const files = [keyFile, tokenFile, ...(setupLink === undefined ? [] : [setupLink.file])];
  for (const file of files) {
    if (existsSync(file))
      throw new DataFolderError(
        `${file} already exists; choose another name, or remove it if nothing needs it`,
      );
  }
  // First: an instance whose key is lost would be lost.
  writePrivateFile(keyFile, newMasterKeyText(systemRandom));
  await create({ place, tokenFile, setupLink }, (cause) => {
    const isUnknown = cause instanceof Problem && cause.reason === "OUTCOME_UNKNOWN";
    if (!isUnknown) for (const file of files) rmSync(file, { force: true });
  });
  await print(
    `key file: ${keyFile}; copy it to every process, and keep another copy: nothing can be read without it`,
  );
  await print(`token of the administrator: ${tokenFile}`);
  await print(
    setupLink === undefined
      ? "link for the first administrator: gatehouse setup link --issuer <origin> makes it"
      : `link for the first administrator: ${setupLink.file}; it can be used once, for 24 hours`,
  );
  return 0;
}

/** The link for the first administrator, and the file for it. */
interface PlannedLink {
  readonly issuer: string;
  readonly file: string;
}

/** Returns undefined if nobody has said under which origin browsers reach the service. */
function planSetupLink(flags: Flags, { dataFolder }: PlaceConfig): PlannedLink | undefined {
  const issuer = parseIssuer(readValues(flags, processEnvironment())("issuer"), true);
  if (issuer === undefined) return undefined;
  const folder = dataFolderAt(dataFolder);
  makeDataFolder(folder);
  return { issuer, file: folder.adminLink };
}

function tokenFileOf(flags: Flags, { dataFolder }: PlaceConfig): string {
  const asked = flags["adminTokenFile"];
  if (typeof asked === "string") return asked;
  const folder = dataFolderAt(dataFolder);
  makeDataFolder(folder);
  return folder.adminToken;
}

/** Calls `undo` for what fails before the instance exists. After that, its key must stay whatever happens. */
async function create(
  files: {
    readonly place: PlaceConfig;
    readonly tokenFile: string;
    readonly setupLink: PlannedLink | undefined;
  },
  undo: (cause: unknown) => void,
): Promise<void> {
  const { place, tokenFile, setupLink } = files;
  let exists = false;
  try {
    const installation = await openInstallation(place, { isNewAllowed: true });
    const { instance } = installation;
    try {
      await instance.create((token) => {
        writePrivateFile(tokenFile, `${token.reveal()}\n`);
        if (setupLink !== undefined)
          writePrivateFile(setupLink.file, `${instance.makeSetupLink(setupLink.issuer).reveal()}\n`);
      });
      exists = true;
    } finally {
      await installation.close();
    }
  } catch (error) {
    if (!exists) undo(error);
    if (!(error instanceof WrongMasterKeyError)) throw error; // that of a key which is new: the instance has another
    throw new DatabaseUnusableError("the database already has an instance; copy its key file instead", {
      cause: error,
    });
  }
}
