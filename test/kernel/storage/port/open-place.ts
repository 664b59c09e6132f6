import { afterEach, beforeEach } from "@jest/globals";
import type { Database, WriteTransaction } from "../../../../src/kernel/base/database.ts";
import { createTestClock, type TestClock } from "../../../support/clock.ts";
import { engine, type OpenOptions, type TestPlace } from "../../../support/engine/engine.ts";

/** A database of the engine that the tests run on, new in each case. */
export interface PortFixture {
  readonly database: Database;
  readonly clock: TestClock;
  readonly place: TestPlace;
  /** Opens the database once more, as another process would; only where several processes may. */
  openAnother(): Promise<Database>;
  /** Returns the names of the settings, in order, as a read finds them. */
  names(): Promise<readonly string[]>;
}

/** What opens the database instead of the engine that the tests run on: a file of tests that includes these cases sets it. */
export const instead: { open?: (options: OpenOptions) => Database } = {};

/** Opens a database before each case, and closes it afterwards. */
export function usePort(options: Partial<OpenOptions> = {}): PortFixture {
  let database: Database;
  let clock: TestClock;
  let place: TestPlace;
  const others: Database[] = [];
  beforeEach(async () => {
    clock = createTestClock();
    place = await engine.makePlace();
    database = instead.open?.({ clock, ...options }) ?? (await place.open({ clock, ...options }));
  });
  afterEach(async () => {
    for (const each of [database, ...others.splice(0)]) await each.close();
    await place.remove();
  });
  return {
    get database() {
      return database;
    },
    get clock() {
      return clock;
    },
    get place() {
      return place;
    },
    async openAnother() {
      const other = await place.open({ clock, ...options });
      others.push(other);
      return other;
    },
    async names() {
      const rows = await database.read((tx) => tx.all<{ name: string }>(selectNames));
      return rows.map(({ name }) => name);
    },
  };
}

/** Inserts a setting: one parameter, its name. */
export const insertName = "INSERT INTO settings (name, value) VALUES (?, '')";

/** Returns the names of all settings, in order. */
export const selectNames = "SELECT name FROM settings ORDER BY name";

/** Adds a setting and returns the number of rows that it changed. */
export function putName(tx: WriteTransaction, name: string): Promise<number> {
  return tx.change(insertName, [name]);
}

/** Never settles. */
export function never(): Promise<never> {
  return new Promise(() => {});
}
