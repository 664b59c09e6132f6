import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projections as allProjections } from "../../src/installation.ts";
import type { Origin } from "../../src/base/call.ts";
import type { Database, SqlValue } from "../../src/base/database.ts";
import { createKeyring, newMasterKeyText, parseMasterKeys } from "../../src/base/keyring.ts";
import { systemRandom } from "../../src/base/random.ts";
import type { NewEvent, Projection } from "../../src/events/event.ts";
import { createEventLog } from "../../src/events/event-log.ts";
import { createPersonalData, type PersonalData } from "../../src/events/personal-data.ts";
import { openSqliteDatabase } from "../../src/storage/sqlite/sqlite-database.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { type TestContext, withIds } from "../support/ids.ts";

/** A row of the table `events`. */
export interface EventRow {
  readonly sequence: number;
  readonly date: number;
  readonly aggregate_type: string;
  readonly aggregate_id: string;
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly resource_owner: string;
  readonly editor: string;
  readonly request_id: string;
  readonly remote_address: Uint8Array | null;
  readonly remote_address_of: number | null;
  readonly payload: string;
  readonly personal: Uint8Array | null;
  readonly checksum: number | null;
}

/** An event log on a real database in a folder of its own. */
export interface TestLog {
  readonly context: TestContext;
  readonly database: Database;
  readonly clock: TestClock;
  readonly personalData: PersonalData;
  /** The file of the database. */
  readonly file: string;
  append(events: readonly NewEvent[], origin?: Origin): Promise<number>;
  rebuild(): Promise<number>;
  /** Runs a statement past all code of ours. */
  run(sql: string, parameters?: readonly SqlValue[]): Promise<number>;
  events(): Promise<readonly EventRow[]>;
  /** Returns every row of every table that the projections make, by the name of the table. */
  dump(): Promise<Readonly<Record<string, readonly object[]>>>;
  /** Returns all bytes of all files of the database. */
  fileBytes(): Buffer;
  close(): Promise<void>;
}

export const systemOrigin: Origin = { editor: "system", remoteAddress: undefined, requestId: "request-1" };

/** Opens an empty log. */
export function openTestLog(projections: readonly Projection[] = allProjections): TestLog {
  const folder = makeTemporaryFolder();
  const clock = createTestClock();
  const random = systemRandom;
  const keyring = createKeyring(parseMasterKeys(newMasterKeyText(random)), random);
  const file = join(folder.path, "gatehouse.db");
  const database = openSqliteDatabase({
    file,
    clock,
    random,
    onFatal: (error) => {
      throw error;
    },
  });
  const personalData = createPersonalData(keyring, random, database);
  const log = createEventLog({ projections, personalData, isFailure: database.isFailure });
  return {
    context: withIds({ database, log, clock, random, keyring }),
    database,
    clock,
    personalData,
    file,
    append: (events, origin = systemOrigin) =>
      database.write(async (tx) => {
        const date = await log.append(tx, origin, events);
        while (await log.sweep(tx, 1000)); // what the service does later for a large organization
        return date;
      }),
    rebuild: () => database.write((tx) => log.rebuild(tx)),
    run: (sql, parameters) => database.write((tx) => tx.change(sql, parameters)),
    events: () => database.read((tx) => tx.all<EventRow>("SELECT * FROM events ORDER BY sequence")),
    dump: () => dump(database, projections),
    fileBytes: () =>
      Buffer.concat(readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name)))),
    async close() {
      await database.close();
      folder.remove();
    },
  };
}

function dump(database: Database, projections: readonly Projection[]) {
  const tables = projections.flatMap((projection) => projection.tables);
  return database.read(async (tx) => {
    const dumped: Record<string, readonly object[]> = {};
    for (const table of tables)
      dumped[table.replace("stored_", "")] = await tx.all<object>(`SELECT * FROM ${table} ORDER BY 1, 2`);
    return dumped;
  });
}
