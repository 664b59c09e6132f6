import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../../../../src/kernel/base/database.ts";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import { openSqliteDatabase } from "../../../../src/kernel/storage/sqlite/sqlite-database.ts";
import { createTestClock } from "../../../support/clock.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

let folder: ReturnType<typeof makeTemporaryFolder>;
let database: Database;
const file = () => join(folder.path, "gatehouse.db");

const open = () =>
  openSqliteDatabase({
    file: file(),
    clock: createTestClock(),
    random: systemRandom,
    onFatal: (error) => {
      throw error;
    },
  });

beforeEach(() => {
  folder = makeTemporaryFolder();
  database = open();
});

afterEach(async () => {
  await database.close();
  folder.remove();
});

const size = 5_000_000;

/** Adds as much as is copied at once. */
const put = (id: string) =>
  database.write((tx) =>
    tx.run("INSERT INTO secrets (id, key_id, value) VALUES (?, '', ?)", [id, new Uint8Array(size)]),
  );

test("a long log is copied one turn of the event loop after the commands of the commit are answered", async () => {
  await put("a");
  await put("b");
  for (let step = 0; step < 100; step++) await Promise.resolve(); // what makes an answer of the result
  expect(statSync(file()).size).toBeLessThan(size);
  await new Promise(setImmediate);
  expect(statSync(file()).size).toBeGreaterThan(2 * size);
});

test("a long log that waits to be copied is copied by the close", async () => {
  await put("a");
  await put("b");
  await database.close();
  await new Promise(setImmediate);
  expect(statSync(file()).size).toBeGreaterThan(2 * size);
  database = open(); // for afterEach
});
