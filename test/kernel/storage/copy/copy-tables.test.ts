import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { cpSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { type CopyProgress, copyTables } from "../../../../src/kernel/storage/copy/copy-tables.ts";
import type { RowStore } from "../../../../src/kernel/storage/copy/rows.ts";
import { dataFolderAt } from "../../../../src/kernel/storage/data-folder.ts";
import { openSqliteRows } from "../../../../src/kernel/storage/sqlite/sqlite-rows.ts";
import { dump, openReadonly } from "../../../process/support/tables.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";

const folder = makeTemporaryFolder();
const newFolder = () => mkdtempSync(join(folder.path, "place-"));
const open = (path: string) => openSqliteRows(dataFolderAt(path), 0);
const fileOf = (path: string) => dataFolderAt(path).database;
/** What a text may have, and what is special in a line. */
const odd = "\\N \\x41 \t tab \n line \r return \b\f\v \\\\ ä 漢 😀 ''\"";
let template: string;
let empty: string;

beforeAll(async () => {
  empty = newFolder();
  await open(empty).close();
  template = newTarget();
  const rows = open(template);
  await rows.changeSettings(
    new Map([
      ["instance_id", "7"],
      ["sealing-key", "k1"],
    ]),
  );
  await rows.close();
  const raw = new Sqlite(fileOf(template));
  raw.pragma("foreign_keys = OFF");
  const secret = raw.prepare("INSERT INTO secrets (id, key_id, value, checksum) VALUES (?, ?, ?, ?)");
  for (const [at, id] of ["", "a", "a b", odd, "z"].entries())
    secret.run(
      id,
      at === 0 ? "" : odd,
      Buffer.from([0, 1, 0x5c, 0x0a, 255].slice(0, at)),
      at === 1 ? null : 2 ** 52 + at,
    );
  const answer = raw.prepare("INSERT INTO idempotent_answers VALUES (?, 'k1', ?, 0, ?, ?)");
  for (const byte of [0, 10, 92, 255])
    answer.run(Buffer.alloc(3, byte), Buffer.alloc(1), Buffer.alloc(2), byte);
  const role = raw.prepare("INSERT INTO project_roles VALUES (?, ?, 1, 2, '3', ?, ?)");
  for (const key of ["admin", odd]) for (const project of ["1", "10", "2"]) role.run(project, key, odd, "");
  raw.close();
});

afterAll(() => folder.remove());

/** Makes the store fail in the call of this number that changes something, before or after the change. */
function failing(rows: RowStore, at: number, when: "before" | "after"): RowStore {
  let calls = 0;
  const guard =
    <A extends readonly unknown[]>(call: (...values: A) => Promise<void>) =>
    async (...values: A) => {
      calls += 1;
      if (calls === at && when === "before") throw new Error("interrupted");
      await call(...values);
      if (calls === at) throw new Error("interrupted");
    };
  return {
    ...rows,
    changeSettings: guard(rows.changeSettings),
    clear: guard(rows.clear),
    load: guard(rows.load),
    dropDerived: guard(rows.dropDerived),
    makeDerived: guard(rows.makeDerived),
    finish: guard(rows.finish),
  };
}

interface Run {
  readonly from: string;
  readonly to: string;
  readonly onSource?: (rows: RowStore) => RowStore;
  readonly onTarget?: (rows: RowStore) => RowStore;
}

/** Returns the steps that were told. */
async function copy({ from, to, onSource = (rows) => rows, onTarget = (rows) => rows }: Run) {
  const [source, target] = [open(from), open(to)];
  const told: CopyProgress[] = [];
  try {
    await copyTables({
      source: { name: "here", rows: onSource(source) },
      target: { name: "there", rows: onTarget(target) },
      newId: () => "drawn",
      ownSettings: new Map([["sealing-key", undefined]]),
      rowsAtOnce: 2,
      async tell(event) {
        told.push(event);
      },
    });
  } finally {
    await source.close();
    await target.close();
  }
  return told;
}

function copyOf(path: string): string {
  const copied = newFolder();
  cpSync(path, copied, { recursive: true });
  return copied;
}

function newSource(): string {
  return copyOf(template);
}

function newTarget(): string {
  return copyOf(empty);
}

function settingsOf(path: string) {
  return Object.fromEntries(
    (dump(fileOf(path), ["settings"])["settings"] ?? []).map(({ name, value }) => [name, value]),
  );
}

/** Everything but the settings and the dates of migrations, with the schema. */
function contentsOf(path: string) {
  const { settings: _settings, migrations: _migrations, ...tables } = dump(fileOf(path));
  const connection = openReadonly(fileOf(path));
  const schema = connection.prepare("SELECT type, name, sql FROM sqlite_master ORDER BY type, name").all();
  connection.close();
  return { tables, schema };
}

const seals = (at: { isDone: boolean }) => ({
  source: JSON.stringify({ id: "drawn", role: "source", other: "there", ...at }),
  target: JSON.stringify({ id: "drawn", role: "target", other: "here", ...at }),
});

describe("a copy", () => {
  test("has every row, index and setting, and seals the source", async () => {
    const [from, to] = [newSource(), newTarget()];
    const told = await copy({ from, to });
    expect(told.map(({ kind }) => kind)).toEqual(["begun", "loaded", "indexed", "compared"]);
    expect(told).toContainEqual({ kind: "loaded", rows: 15, tables: expect.any(Number) });
    expect(contentsOf(to)).toEqual(contentsOf(template));
    expect(settingsOf(to)).toEqual({ instance_id: "7", copy: seals({ isDone: true }).target });
    const { copy: seal, ...others } = settingsOf(from);
    expect(seal).toBe(seals({ isDone: true }).source);
    expect(others).toEqual({ instance_id: "7", "sealing-key": "k1" });
    expect(contentsOf(from)).toEqual(contentsOf(template));
  });

  test.each(["before", "after"] as const)(
    "goes on after an interruption %s each of its changes",
    async (when) => {
      let interruptions = 0;
      for (const side of ["onSource", "onTarget"] as const) {
        for (let at = 1, isDone = false; !isDone; at++) {
          const [from, to] = [newSource(), newTarget()];
          isDone = await copy({ from, to, [side]: (rows: RowStore) => failing(rows, at, when) }).then(
            () => true,
            (error: Error) => {
              expect(error.message).toBe("interrupted");
              return false;
            },
          );
          if (!isDone) interruptions += 1;
          await copy({ from, to });
          expect(contentsOf(to)).toEqual(contentsOf(template));
          expect(settingsOf(to)["copy"]).toBe(seals({ isDone: true }).target);
          expect(settingsOf(from)["copy"]).toBe(seals({ isDone: true }).source);
        }
      }
      expect(interruptions).toBe(17);
    },
  );

  test("reads no row twice when it goes on", async () => {
    const [from, to] = [newSource(), newTarget()];
    const loads = (rows: RowStore): RowStore => failing(rows, 8, "after");
    await expect(copy({ from, to, onTarget: loads })).rejects.toThrow("interrupted");
    const [begun, loaded] = await copy({ from, to });
    expect(begun).toEqual({ kind: "begun", state: "resumed" });
    expect(loaded?.kind === "loaded" && loaded.rows).toBeLessThan(15);
    expect(contentsOf(to)).toEqual(contentsOf(template));
  });

  test.each([
    ["a row is missing", "DELETE FROM secrets WHERE id = 'a'"],
    ["a value differs", "UPDATE secrets SET key_id = 'x' WHERE id = 'a'"],
    [
      "values of two rows are exchanged",
      "UPDATE secrets SET checksum = CASE id WHEN 'a b' THEN (SELECT checksum FROM secrets WHERE id = 'z') ELSE (SELECT checksum FROM secrets WHERE id = 'a b') END WHERE id IN ('a b', 'z')",
    ],
  ])("is not opened if %s", async (_name, damage) => {
    const [from, to] = [newSource(), newTarget()];
    const damaging = (rows: RowStore): RowStore => ({
      ...rows,
      async makeDerived(derived) {
        await rows.makeDerived(derived);
        const raw = new Sqlite(fileOf(to));
        raw.exec(damage);
        raw.close();
      },
    });
    await expect(copy({ from, to, onTarget: damaging })).rejects.toThrow(
      /^the table secrets has 5 rows with the digest/,
    );
    expect(settingsOf(to)["copy"]).toBe(seals({ isDone: false }).target);
    expect(settingsOf(from)["copy"]).toBe(seals({ isDone: false }).source);
    await expect(copy({ from, to })).rejects.toThrow("the table secrets");
  });

  test.each([
    [
      "another installation",
      async (to: RowStore) => to.changeSettings(new Map([["instance_id", "8"]])),
      /already an installation/,
    ],
    [
      "the copy of another state",
      async (to: RowStore) =>
        to.changeSettings(new Map([["copy", seals({ isDone: false }).target.replace("drawn", "earlier")]])),
      /unfinished copy of another state of here/,
    ],
  ])("refuses %s at the target, and leaves both as they were", async (_name, fill, message) => {
    const [from, to] = [newSource(), newTarget()];
    const rows = open(to);
    await fill(rows);
    await rows.close();
    const before = settingsOf(to);
    await expect(copy({ from, to })).rejects.toThrow(message);
    expect(settingsOf(to)).toEqual(before);
    expect(settingsOf(from)).toEqual({ instance_id: "7", "sealing-key": "k1" });
  });

  test("refuses an unfinished copy as its source", async () => {
    const [from, to, next] = [newSource(), newTarget(), newTarget()];
    await expect(copy({ from, to, onTarget: (rows) => failing(rows, 4, "after") })).rejects.toThrow(
      "interrupted",
    );
    await expect(copy({ from: to, to: next })).rejects.toThrow("here is the unfinished copy of here");
  });
});
