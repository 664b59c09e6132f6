// The part of the service that every command needs. It imports neither rpcs nor the port: loading them takes longer
// than most commands.
import { type Clock, systemClock } from "./base/clock.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "./base/keyring.ts";
import { type Random, systemRandom } from "./base/random.ts";
import { createEventLog } from "./events/event-log.ts";
import type { EventDefinitions } from "./events/catalogue.ts";
import type { OnUnreadable } from "./events/event-row.ts";
import { createPersonalData } from "./events/personal-data.ts";
import { applicationProjection } from "./features/applications/repository.ts";
import type { FeatureContext } from "./features/context.ts";
import { identityProviderProjection } from "./features/identity-providers/repository.ts";
import { createInstanceCommands, type InstanceCommands } from "./features/instance/commands.ts";
import { wrapUserKeys } from "./features/instance/user-keys.ts";
import { membershipProjection } from "./features/memberships/repository.ts";
import { organizationProjection } from "./features/organizations/repository.ts";
import { projectProjection } from "./features/projects/repository.ts";
import { signingKeyProjection } from "./features/signing-keys/repository.ts";
import { userGrantProjection } from "./features/user-grants/repository.ts";
import { userProjection } from "./features/users/repository.ts";
import {
  type DataFolder,
  DataFolderError,
  dataFolderAt,
  type FirstStart,
  makeDataFolder,
  readMasterKeyText,
  rememberFolder,
  requireDatabase,
  requireUsableFolder,
} from "./storage/data-folder.ts";
import { lockDataFolder } from "./storage/sqlite/lock.ts";
import { openSqliteDatabase } from "./storage/sqlite/sqlite-database.ts";

/** An opened data folder, held for this process. */
export interface Installation {
  readonly folder: DataFolder;
  readonly context: FeatureContext;
  readonly instance: InstanceCommands;
  close(): Promise<void>;
  /** Closes, and removes everything that this process made in the folder if there was no database before. */
  discard(): Promise<void>;
}

/** The projections of all features, in the order in which their tables refer to each other. */
export const projections = [
  organizationProjection,
  userProjection,
  identityProviderProjection,
  projectProjection,
  userGrantProjection,
  membershipProjection,
  applicationProjection,
  signingKeyProjection,
];

/** How a data folder is opened, and what takes the place of clock and randomness in tests. */
export interface InstallationOptions {
  /** Lets a first start create the folder; otherwise a folder without a database is refused. */
  readonly isNewAllowed: boolean;
  /** Called when the disk did not confirm a commit; must end the process. */
  readonly onFatal?: (error: Error) => void;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** As in the options of the database. */
  readonly maxWaitingWrites?: number | undefined;
  /** Called when a read of the log had to leave out something unreadable. */
  readonly onUnreadable?: OnUnreadable | undefined;
  /** As in the parts of the event log, for tests. */
  readonly definitions?: EventDefinitions | undefined;
}

/**
 * Takes the data folder for this process and opens it. Throws errors that `cli/explain` can explain to a person, and
 * then leaves the folder as it was.
 */
export async function openInstallation(path: string, options: InstallationOptions): Promise<Installation> {
  const folder = dataFolderAt(path);
  if (!options.isNewAllowed) requireDatabase(folder);
  makeDataFolder(folder);
  requireUsableFolder(folder);
  const lock = lockDataFolder(folder);
  const before = rememberFolder(folder);
  let context: FeatureContext | undefined;
  const end = async (undo: FirstStart["undo"]) => {
    await context?.database.close();
    undo();
    lock.release();
  };
  const discard = () => end(() => before.undo());
  try {
    context = openContext(folder, options);
    const instance = createInstanceCommands(context);
    await instance.checkMasterKeys();
    await wrapUserKeys(context);
    return { folder, context, instance, close: () => end(() => {}), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

function openContext(folder: DataFolder, options: InstallationOptions): FeatureContext {
  const { clock = systemClock, onFatal = rethrow, random = systemRandom, maxWaitingWrites } = options;
  const keyring = createKeyring(readMasterKeys(folder, random), random);
  const database = openSqliteDatabase({ file: folder.database, clock, random, onFatal, maxWaitingWrites });
  return {
    database,
    log: createEventLog({
      projections,
      personalData: createPersonalData(keyring, random, database),
      isFailure: database.isFailure,
      onUnreadable: options.onUnreadable,
      definitions: options.definitions,
    }),
    clock,
    random,
    keyring,
  };
}

function readMasterKeys(folder: DataFolder, random: Random) {
  const text = readMasterKeyText(folder, () => newMasterKeyText(random));
  try {
    return parseMasterKeys(text);
  } catch (error) {
    throw new DataFolderError(
      `${folder.masterKey} is damaged: ${error instanceof Error ? error.message : ""}`,
      { cause: error },
    );
  }
}

function rethrow(error: Error): never {
  throw error;
}
