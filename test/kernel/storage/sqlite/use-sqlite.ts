import { join } from "node:path";
import { afterEach, beforeEach } from "@jest/globals";
import type { Database } from "../../../../src/kernel/base/database.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { openSqliteDatabase } from "../../../../src/kernel/storage/sqlite/sqlite-database.ts";
import { createTestClock, type TestClock } from "../../../support/clock.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

/** A database of SQLite, in a new folder in each case. */
export interface SqliteFixture {
  readonly database: Database;
  readonly clock: TestClock;
  readonly folder: string;
  /** The file of the database. */
  readonly file: string;
  /** Opens another database of the folder, as the process does at its start. */
  open(): Database;
  /** Opens the database anew, which the test has closed; of the folder of a copy, if one is given, in place of the first. */
  reopen(copy?: ReturnType<typeof makeTemporaryFolder>): void;
}

/** Opens a database before each case, and closes it afterwards. */
export function useSqlite(): SqliteFixture {
  let folder: ReturnType<typeof makeTemporaryFolder>;
  let clock: TestClock;
  let database: Database;
  const file = () => join(folder.path, "gatehouse.db");
  const onFatal = (error: unknown) => {
    throw error;
  };
  const open = () => openSqliteDatabase({ file: file(), clock, random: systemRandom, onFatal });
  beforeEach(() => {
    folder = makeTemporaryFolder();
    clock = createTestClock();
    database = open();
  });
  afterEach(async () => {
    await database.close();
    folder.remove();
  });
  return {
    get database() {
      return database;
    },
    get clock() {
      return clock;
    },
    get folder() {
      return folder.path;
    },
    get file() {
      return file();
    },
    open,
    reopen(copy) {
      if (copy !== undefined) {
        folder.remove();
        folder = copy;
      }
      database = open();
    },
  };
}
