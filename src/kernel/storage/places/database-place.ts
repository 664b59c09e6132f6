import { systemClock } from "../../base/clock.ts";
import { systemRandom } from "../../base/random.ts";
import {
  DataFolderError,
  dataFolderAt,
  listLooseFiles,
  readKeyFile,
  requirePrivateKeyFile,
} from "../data-folder.ts";
import { DatabaseUnusableError } from "../database-unusable.ts";
import {
  BackupError,
  type DatabaseOptions,
  type DatabaseSetup,
  type HeldPlace,
  type Place,
  type TakeOptions,
} from "../place.ts";
import { parseAddress, type PostgresAddress, printUrl } from "../postgres/connect/address.ts";
import { type Connector, createConnector, type Session } from "../postgres/connect/connector.ts";
import { destroySession } from "../postgres/connect/open-session.ts";
import { isSynchronousRequired as isRequired } from "../postgres/connect/server-checks.ts";
import { newestPostgresVersion, requireKnownPostgres } from "../postgres/migrations/migrate.ts";
import { openPostgresDatabase } from "../postgres/postgres-database.ts";
import { openSessionLocks } from "../postgres/session/session-locks.ts";
import { postgresTypes } from "../postgres/types.ts";
import { createDatabaseCheckup, type VersionFinding } from "../postgres/upkeep/database-checkup.ts";
import { followPostgres } from "../postgres/upkeep/live-database.ts";
import { writeLong } from "../postgres/upkeep/write-long.ts";
import { DatabaseTooNewError } from "../schema-versions.ts";
import { toOpeningError } from "./opening-error.ts";
import { checkAdminToken, checkModes } from "./file-checks.ts";

/** How long a command looks for the primary before it gives up; a service, only at its start. */
const giveUpAfterMs = 10_000;

/** What the functions of a place share. */
interface Access {
  readonly name: string;
  readonly address: PostgresAddress;
  readonly options: DatabaseOptions;
  readonly isSynchronousRequired: boolean;
}

/** Creates the place that keeps the data in a PostgreSQL database, for any number of processes. Throws DatabaseUnusableError. */
export function createDatabasePlace(dataFolder: string, options: DatabaseOptions): Place {
  const folder = dataFolderAt(dataFolder);
  const { masterKeyFile: keyFile, dev: isDev, environment } = options;
  const address = parseAddress(options.url.reveal(), { environment: environment(), isDev });
  const name = printUrl(address);
  const access: Access = {
    name,
    address,
    options,
    isSynchronousRequired: isRequired(options.requireSynchronous, address.hosts),
  };
  const { adminToken, adminLink, smsOutbox, mailOutbox } = folder;
  const listLooseModes = () =>
    listLooseFiles([keyFile, adminToken, adminLink, smsOutbox, mailOutbox], folder.path);
  return {
    name,
    keyFile,
    folder,
    isShared: true,
    readKeyFile: () => readSharedKeyFile(keyFile),
    listLooseModes,
    hold: () => ({ release() {} }), // any number of processes may take it
    async take(how) {
      const keys = readSharedKeyFile(keyFile); // first: it is quick
      try {
        return await take(access, how, keys);
      } catch (error) {
        throw toOpeningError(name, error);
      }
    },
    follow() {
      const database = followPostgres(connectorOf(access), { giveUpAfterMs, requireKnown });
      return { ...database, read: (fn) => explained(name, () => database.read(fn)) };
    },
    backup(file) {
      throw new BackupError(
        `PostgreSQL copies its databases itself: pg_dump --format=custom --file='${file}' --dbname='${name}'; keep a copy of ${keyFile} in another place`,
      );
    },
    checkUp: () =>
      createDatabaseCheckup({
        name,
        connector: connectorOf(access),
        giveUpAfterMs,
        isSynchronousRequired: access.isSynchronousRequired,
        isDev,
        checkOutside: () => [...checkModes(listLooseModes(), folder.path), checkAdminToken(folder)],
        checkVersion,
        explainOpening(error) {
          const opening = toOpeningError(name, error);
          const isKnown = opening instanceof DatabaseUnusableError || opening instanceof DatabaseTooNewError;
          return isKnown ? opening.message : undefined;
        },
      }),
  };
}

function connectorOf(
  { address, options, isSynchronousRequired }: Access,
  onClockSkew: TakeOptions["onClockSkew"] = () => {},
): Connector {
  return createConnector({
    address,
    isDev: options.dev,
    isSynchronousRequired,
    clock: systemClock,
    random: systemRandom,
    types: postgresTypes,
    onClockSkew,
  });
}

async function take(access: Access, how: TakeOptions, keys: string): Promise<HeldPlace> {
  const connector = connectorOf(access, how.onClockSkew);
  const locks = await openSessionLocks({ connector, isAlone: how.isAlone === true, giveUpAfterMs });
  try {
    if (!how.isNewAllowed) await requireInstallation(connector, access.name);
  } catch (error) {
    await locks.close();
    throw error;
  }
  return {
    leadership: locks.leadership,
    readMasterKeys: () => keys,
    openDatabase: (setup: DatabaseSetup) =>
      explained(access.name, () =>
        openPostgresDatabase({ ...setup, connector, isSynchronousRequired: access.isSynchronousRequired }),
      ),
    writeLong: (_database, fn) => writeLong(connector, giveUpAfterMs, fn),
    openRows: (nowMs) =>
      explained(access.name, async () => {
        const { openPostgresRows } = await import("../postgres/upkeep/postgres-rows.ts"); // other commands do without
        return await openPostgresRows(connector, { giveUpAfterMs, nowMs, name: access.name });
      }),
    undo() {}, // another process may have begun to use what this one has made
    release: locks.close,
  };
}

/** Throws DatabaseUnusableError for an empty database, which would become a new installation. */
async function requireInstallation(connector: Connector, name: string): Promise<void> {
  const { client } = await connector.connect("read", { giveUpAfterMs });
  try {
    if ((await requireKnownPostgres(client)) === 0) throw emptyDatabase(name);
  } finally {
    destroySession(client);
  }
}

async function requireKnown({ client }: Session): Promise<void> {
  if ((await requireKnownPostgres(client)) === 0) throw emptyDatabase("this database");
}

async function checkVersion({ client }: Session): Promise<VersionFinding> {
  const check = "schema";
  const version = await requireKnownPostgres(client);
  const newest = newestPostgresVersion();
  if (version === 0) throw emptyDatabase("this database");
  if (version === newest) {
    return { finding: { state: "ok", check, detail: `version ${version}` }, whyOtherTables: undefined };
  }
  const detail = `version ${version}; the next start of this program makes it ${newest}`;
  return {
    finding: { state: "warning", check, detail },
    whyOtherTables: `the tables are those of version ${version}`,
  };
}

function emptyDatabase(name: string): DatabaseUnusableError {
  return new DatabaseUnusableError(`there is no installation in ${name}; gatehouse init creates one`);
}

/** Reads the key file, which no start creates: processes with different keys would each encrypt what others cannot read. */
function readSharedKeyFile(file: string): string {
  try {
    requirePrivateKeyFile(file);
    return readKeyFile(file);
  } catch (error) {
    const cause = error instanceof DataFolderError ? error.cause : undefined;
    if ((cause as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") throw error; // of node:fs
    throw new DataFolderError(
      `there is no ${file}; copy it from another process, or let gatehouse init create it with a new installation`,
      { cause },
    );
  }
}

async function explained<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toOpeningError(name, error);
  }
}
