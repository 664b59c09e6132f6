import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dataFolderAt } from "../../../../src/kernel/storage/data-folder.ts";
import { createScratch, NoScratchError } from "../../../../src/kernel/storage/places/scratch.ts";

let base: string;
let data: string;
let temporary: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "gatehouse-test-"));
  [data, temporary] = [join(base, "data"), join(base, "tmp")];
  mkdirSync(data);
  mkdirSync(temporary);
  writeFileSync(join(data, "gatehouse.db"), "x".repeat(1000));
  writeFileSync(join(data, "gatehouse.db-wal"), "x".repeat(234));
});
afterEach(() => {
  rmSync(base, { recursive: true });
});

const open = (copies = 1) => createScratch(dataFolderAt(data), { name: "test", copies, temporary });
const madeIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith("gatehouse-test-"));
const failing = (code: string) => Object.assign(new Error("no room"), { code });

test("a scratch makes nothing before it is used, then one folder for temporary files, and removes it", () => {
  const scratch = open();
  expect(madeIn(temporary)).toEqual([]);
  const path = scratch.use((folder) => folder);
  expect(madeIn(temporary).map((name) => join(temporary, name))).toEqual([path]);
  expect(madeIn(data)).toEqual([]);
  scratch.dispose();
  expect(madeIn(temporary)).toEqual([]);
});

test("it is in the data folder if there is no folder for temporary files", () => {
  rmSync(temporary, { recursive: true });
  const scratch = open();
  expect(scratch.use((folder) => folder).startsWith(data)).toBe(true);
  scratch.dispose();
  expect(madeIn(data)).toEqual([]);
});

test.each(["ENOSPC", "EDQUOT", "EROFS", "SQLITE_FULL"])(
  "it is in the data folder if the first fails with %s",
  async (code) => {
    const scratch = open();
    const seen: string[] = [];
    const work = (folder: string): string => {
      seen.push(folder);
      if (folder.startsWith(temporary)) throw new Error("not written", { cause: failing(code) });
      return folder;
    };
    expect(scratch.use(work).startsWith(data)).toBe(true);
    expect((await scratch.useLong(async (folder) => work(folder))).startsWith(data)).toBe(true);
    expect(seen).toHaveLength(4);
    expect(madeIn(temporary)).toEqual([]);
    scratch.dispose();
    expect(madeIn(data)).toEqual([]);
  },
);

test("without room anywhere it says how many bytes are needed, and leaves nothing behind", async () => {
  const full = () => {
    throw failing("ENOSPC");
  };
  const words =
    /needs 1234 bytes; neither .*tmp \(TMPDIR\) nor .*data has room for it, so nothing was checked or read$/;
  expect(() => open().use(full)).toThrow(words);
  await expect(open().useLong(async () => full())).rejects.toThrow(NoScratchError);
  const huge = open(1e15);
  expect(() => huge.use(() => "used")).toThrow(/needs 1234000000000000000 bytes/);
  expect([madeIn(temporary), madeIn(data)]).toEqual([[], []]);
});

test("any other error is that of the work", () => {
  const scratch = open();
  expect(() =>
    scratch.use(() => {
      throw failing("EIO");
    }),
  ).toThrow("no room");
  expect([scratch.whyFull(failing("EIO")), scratch.whyFull(failing("SQLITE_FULL"))]).toEqual([
    undefined,
    expect.any(NoScratchError),
  ]);
  scratch.dispose();
});
