import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  type DataFolder,
  DataFolderError,
  dataFolderAt,
  listLooseModes,
  makeDataFolder,
  readMasterKeyText,
  rememberFolder,
  writePrivateFile,
} from "../../../src/kernel/storage/data-folder.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

let temporary: ReturnType<typeof makeTemporaryFolder>;
let folder: DataFolder;
let umask: number;

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const refuseNewText = () => {
  throw new Error("a new key must not be made");
};

beforeEach(() => {
  temporary = makeTemporaryFolder();
  folder = dataFolderAt(join(temporary.path, "parent", "data"));
  umask = process.umask(0); // so that nothing but the code narrows a mode
});

afterEach(() => {
  process.umask(umask);
  temporary.remove();
});

describe("dataFolderAt", () => {
  test("names the files without touching the folder", () => {
    expect(dataFolderAt("/a/b")).toEqual({
      path: "/a/b",
      adminLink: "/a/b/admin.link",
      database: "/a/b/gatehouse.db",
      databaseWal: "/a/b/gatehouse.db-wal",
      databaseShm: "/a/b/gatehouse.db-shm",
      lock: "/a/b/gatehouse.lock",
      masterKey: "/a/b/master.key",
      adminToken: "/a/b/admin.token",
      smsOutbox: "/a/b/sms.jsonl",
      mailOutbox: "/a/b/mail.jsonl",
    });
    expect(existsSync("/a/b")).toBe(false);
  });
});

describe("makeDataFolder", () => {
  test("makes a folder for its owner only, with the folders above it", () => {
    makeDataFolder(folder);
    expect(modeOf(folder.path)).toBe("700");
  });

  test("leaves a folder that is there as it is", () => {
    mkdirSync(folder.path, { recursive: true, mode: 0o750 });
    writeFileSync(folder.smsOutbox, "kept");
    makeDataFolder(folder);
    expect(modeOf(folder.path)).toBe("750");
    expect(readFileSync(folder.smsOutbox, "utf8")).toBe("kept");
  });

  test("says which folder cannot be made", () => {
    writeFileSync(join(temporary.path, "parent"), "a file in its way");
    expect(() => makeDataFolder(folder)).toThrow(DataFolderError);
    expect(() => makeDataFolder(dataFolderAt("/proc/nowhere/data"))).toThrow(DataFolderError); // not: never returns
    expect(() => makeDataFolder(folder)).toThrow(
      `the data folder ${folder.path} cannot be created: ${join(temporary.path, "parent")} is a file`,
    );
  });
});

describe("readMasterKeyText", () => {
  beforeEach(() => makeDataFolder(folder));

  test("makes the key on the first start, for its owner only", () => {
    expect(readMasterKeyText(folder, () => "a new key\n")).toBe("a new key\n");
    expect(readFileSync(folder.masterKey, "utf8")).toBe("a new key\n");
    expect(modeOf(folder.masterKey)).toBe("600");
    expect(readdirSync(folder.path)).toEqual(["master.key"]);
  });

  test("keeps the key on a second start, with and without a database", () => {
    readMasterKeyText(folder, () => "the first key\n");
    expect(readMasterKeyText(folder, refuseNewText)).toBe("the first key\n");
    writeFileSync(folder.database, "");
    expect(readMasterKeyText(folder, refuseNewText)).toBe("the first key\n");
  });

  test("refuses a database without its key, and makes none", () => {
    writeFileSync(folder.database, "");
    const read = () => readMasterKeyText(folder, refuseNewText);
    expect(read).toThrow(DataFolderError);
    expect(read).toThrow(
      `${folder.masterKey} is missing; without it ${folder.database} cannot be read. Restore it from a backup`,
    );
    expect(readdirSync(folder.path)).toEqual(["gatehouse.db"]);
  });

  test("says why the key cannot be read", () => {
    mkdirSync(folder.masterKey);
    expect(() => readMasterKeyText(folder, refuseNewText)).toThrow(DataFolderError);
    expect(() => readMasterKeyText(folder, refuseNewText)).toThrow(
      `${folder.masterKey} cannot be read: EISDIR`,
    );
  });
});

describe("writePrivateFile", () => {
  beforeEach(() => makeDataFolder(folder));

  test("writes for the owner only, also over a file that others could read", () => {
    writeFileSync(folder.adminToken, "old", { mode: 0o644 });
    writePrivateFile(folder.adminToken, "new");
    expect(modeOf(folder.adminToken)).toBe("600");
    expect(readFileSync(folder.adminToken, "utf8")).toBe("new");
  });

  test("writes for the owner only, also over what a crash left behind", () => {
    writeFileSync(`${folder.adminToken}.new`, "half of something much longer", { mode: 0o644 });
    writePrivateFile(folder.adminToken, "new");
    expect(modeOf(folder.adminToken)).toBe("600");
    expect(readFileSync(folder.adminToken, "utf8")).toBe("new");
    expect(readdirSync(folder.path)).toEqual(["admin.token"]);
  });

  test("replaces a file as a whole: who has it open reads the old one to its end", () => {
    writePrivateFile(folder.adminToken, "old text");
    const open = openSync(folder.adminToken, "r");
    writePrivateFile(folder.adminToken, "new");
    const seen = readFileSync(open, "utf8");
    closeSync(open);
    expect(seen).toBe("old text");
    expect(readFileSync(folder.adminToken, "utf8")).toBe("new");
  });

  test("leaves what was there when it fails", () => {
    mkdirSync(folder.adminToken);
    writeFileSync(join(folder.adminToken, "kept"), "");
    expect(() => writePrivateFile(folder.adminToken, "new")).toThrow(DataFolderError);
    expect(() => writePrivateFile(folder.adminToken, "new")).toThrow(
      `${folder.adminToken} cannot be written`,
    );
    expect(readdirSync(folder.adminToken)).toEqual(["kept"]);
  });

  test("says which file could not be written", () => {
    const lost = join(folder.path, "missing", "file");
    expect(() => writePrivateFile(lost, "new")).toThrow(`${lost} cannot be written: ENOENT`);
  });
});

describe("listLooseModes", () => {
  test("finds what others may read, write, or change the folder with", () => {
    makeDataFolder(folder);
    for (const file of [folder.database, folder.masterKey, folder.adminToken])
      writeFileSync(file, "", { mode: 0o600 });
    expect(listLooseModes(folder)).toEqual([]);
    chmodSync(folder.path, 0o755); // looking at names harms nobody
    expect(listLooseModes(folder)).toEqual([]);
    chmodSync(folder.path, 0o777);
    chmodSync(folder.database, 0o640);
    expect(listLooseModes(folder)).toEqual([
      { file: folder.path, mode: "777", isOpenToAll: true },
      { file: folder.database, mode: "640", isOpenToAll: false },
    ]);
  });
});

describe("rememberFolder", () => {
  test("takes back what a first start has made, and nothing that was there", () => {
    makeDataFolder(folder);
    writeFileSync(folder.masterKey, "kept");
    const { undo } = rememberFolder(folder);
    for (const file of [folder.database, folder.databaseWal, folder.adminToken, folder.lock])
      writeFileSync(file, "new");
    undo();
    expect(readdirSync(folder.path).toSorted()).toEqual(["gatehouse.lock", "master.key"]);
  });

  test("takes back nothing once there is a database", () => {
    makeDataFolder(folder);
    writeFileSync(folder.database, "kept");
    const { undo } = rememberFolder(folder);
    writeFileSync(folder.adminToken, "new");
    undo();
    expect(readdirSync(folder.path).toSorted()).toEqual(["admin.token", "gatehouse.db"]);
  });
});
