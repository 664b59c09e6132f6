import { describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { systemRandom } from "../../../../src/kernel/base/random.ts";
import {
  DataFolderBusyError,
  DataFolderError,
  dataFolderAt,
} from "../../../../src/kernel/storage/data-folder.ts";
import { DatabaseTooNewError } from "../../../../src/kernel/storage/schema-versions.ts";
import { openSqliteDatabase } from "../../../../src/kernel/storage/sqlite/sqlite-database.ts";
import { lockDataFolder } from "../../../../src/kernel/storage/sqlite/lock.ts";
import { useSqlite } from "./use-sqlite.ts";

const insert = "INSERT INTO settings (name, value) VALUES (?, '')";
const select = "SELECT name FROM settings ORDER BY name";

const sqlite = useSqlite();

const names = async () =>
  (await sqlite.database.read((tx) => tx.all<{ name: string }>(select))).map((row) => row.name);

describe("write", () => {
  test("answers after the commit of the whole batch, and not before", async () => {
    const other = new Sqlite(sqlite.file, { readonly: true });
    const seenAtAnswer = await Promise.all(
      ["a", "b", "c"].map((name) =>
        sqlite.database
          .write((tx) => tx.run(insert, [name]))
          .then(() => other.prepare<[], string>(select).pluck().all()),
      ),
    );
    other.close();
    expect(seenAtAnswer).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
  });
});

describe("read", () => {
  test("fails with the first error, and the next read is answered", async () => {
    await expect(sqlite.database.read((tx) => tx.get("SELECT 1 FROM nowhere"))).rejects.toThrow(
      "no such table: nowhere",
    );
    const failing = sqlite.database.read(async () => {
      throw new Error("of the caller");
    });
    await expect(failing).rejects.toThrow("of the caller");
    expect(await names()).toEqual([]);
  });

  test("sees a commit of the same turn, after others that began before it and do not", async () => {
    let before: Promise<readonly string[]> | undefined;
    await sqlite.database.write(async (tx) => {
      before = names();
      await tx.run(insert, ["a"]);
    });
    expect(await names()).toEqual(["a"]);
    expect(await before).toEqual([]);
  });

  test("refuses one that awaits something other than its statements, and goes on with the next", async () => {
    const slow = sqlite.database.read(async (tx) => {
      for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
      return await tx.all(select);
    });
    await expect(slow).rejects.toThrow("a transaction awaited something other than its statements");
    expect(await names()).toEqual([]);
  });
});

describe("a full disk", () => {
  test("fails the write as unavailable, keeps the process, and serves again when there is room", async () => {
    const limit = (pages: number) =>
      sqlite.database.write(async (tx) => {
        await tx.get(`PRAGMA max_page_count = ${pages}`);
      });
    await sqlite.database.write((tx) => tx.run(insert, ["before"]));
    await limit(1);
    const large = sqlite.database.write((tx) =>
      tx.run("INSERT INTO secrets (id, key_id, value) VALUES ('x', '', ?)", [new Uint8Array(1e6)]),
    );
    await expect(large).rejects.toMatchObject({ kind: "unavailable", retryAfterMs: 5000 });
    await limit(1_000_000);
    await sqlite.database.write((tx) => tx.run(insert, ["behind"]));
    expect(await names()).toEqual(["before", "behind"].toSorted());
  });
});

describe("the files", () => {
  test("are refused when a newer version wrote them", async () => {
    await sqlite.database.write((tx) => tx.run("INSERT INTO migrations (version, date) VALUES (9999, 0)"));
    expect(() => sqlite.open()).toThrow(DatabaseTooNewError);
  });

  test("are refused when the log has a sequence that cannot be one", () => {
    const file = new Sqlite(sqlite.file);
    file.exec(`INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner, editor, request_id, payload, checksum)
      VALUES (${2n ** 60n}, 0, 'user', '1', 1, 'user.added', 1, '1', '1', '', '{}', 0)`);
    file.close();
    expect(() => sqlite.open()).toThrow(
      /^\S+ is damaged: it contains an event with the sequence \d+; restore/,
    );
  });

  test("are left alone when another program made them", () => {
    const file = join(sqlite.folder, "songs.db");
    const songs = new Sqlite(file);
    songs.exec("CREATE TABLE songs (title TEXT)");
    songs.close();
    const before = readFileSync(file);
    const openSongs = () =>
      openSqliteDatabase({ file, clock: sqlite.clock, random: systemRandom, onFatal: () => {} });
    expect(openSongs).toThrow(DataFolderError);
    expect(openSongs).toThrow(`${file} cannot be opened: it belongs to another program`);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("keep full durability, foreign keys, the erasing of what is deleted, and no temporary files", async () => {
    const file = new Sqlite(sqlite.file);
    expect(file.pragma("journal_mode", { simple: true })).toBe("wal");
    file.close();
    const pragma = (name: string) =>
      sqlite.database.write((tx) => tx.get<Record<string, number>>(`PRAGMA ${name}`));
    expect(await pragma("synchronous")).toEqual({ synchronous: 2 });
    expect(await pragma("foreign_keys")).toEqual({ foreign_keys: 1 });
    expect(await pragma("secure_delete")).toEqual({ secure_delete: 1 });
    expect(await pragma("temp_store")).toEqual({ temp_store: 2 });
  });

  test("are for one process at a time", () => {
    const lock = lockDataFolder(dataFolderAt(sqlite.folder));
    expect(() => lockDataFolder(dataFolderAt(sqlite.folder))).toThrow(DataFolderBusyError);
    lock.release();
    lockDataFolder(dataFolderAt(sqlite.folder)).release();
  });
});
