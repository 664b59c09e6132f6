import { expect, test } from "@jest/globals";
import { statSync } from "node:fs";
import { useSqlite } from "./use-sqlite.ts";

const sqlite = useSqlite();

const size = 5_000_000;

/** Adds as much as is copied at once. */
const put = (id: string) =>
  sqlite.database.write((tx) =>
    tx.run("INSERT INTO secrets (id, key_id, value) VALUES (?, '', ?)", [id, new Uint8Array(size)]),
  );

test("a long log is copied one turn of the event loop after the commands of the commit are answered", async () => {
  await put("a");
  await put("b");
  for (let step = 0; step < 100; step++) await Promise.resolve(); // what makes an answer of the result
  expect(statSync(sqlite.file).size).toBeLessThan(size);
  await new Promise(setImmediate);
  expect(statSync(sqlite.file).size).toBeGreaterThan(2 * size);
});

test("a long log that waits to be copied is copied by the close", async () => {
  await put("a");
  await put("b");
  await sqlite.database.close();
  await new Promise(setImmediate);
  expect(statSync(sqlite.file).size).toBeGreaterThan(2 * size);
  sqlite.reopen(); // for afterEach
});
