import { createSoleLeadership } from "../../base/leadership.ts";
import { createFolderCheckup } from "./folder-checkup.ts";
import {
  dataFolderAt,
  listLooseModes,
  makeDataFolder,
  readKeyFile,
  readMasterKeyText,
  rememberFolder,
  requireDatabase,
  requireUsableFolder,
} from "../data-folder.ts";
import type { Place } from "../place.ts";
import { createScratch } from "./scratch.ts";
import { writeBackup } from "../sqlite/backup.ts";
import { followDatabase } from "../sqlite/live-database.ts";
import { lockDataFolder } from "../sqlite/lock.ts";
import { openSqliteDatabase } from "../sqlite/sqlite-database.ts";

/** Creates the place that keeps everything in one folder, for one process at a time. */
export function createFolderPlace(path: string): Place {
  const folder = dataFolderAt(path);
  return {
    name: path,
    keyFile: folder.masterKey,
    folder,
    isShared: false,
    readKeyFile: () => readKeyFile(folder.masterKey),
    listLooseModes: () => listLooseModes(folder),
    hold() {
      makeDataFolder(folder);
      requireUsableFolder(folder);
      return lockDataFolder(folder, "for-others");
    },
    async take({ isNewAllowed, seat }) {
      if (!isNewAllowed) requireDatabase(folder);
      makeDataFolder(folder);
      requireUsableFolder(folder);
      const lock = lockDataFolder(folder, seat === undefined ? "alone" : "as-one-of-them");
      const before = rememberFolder(folder);
      return {
        leadership: seat?.leadership ?? createSoleLeadership(),
        readMasterKeys: (newText) => readMasterKeyText(folder, newText),
        openDatabase: async (setup) => openSqliteDatabase({ file: folder.database, seat, ...setup }),
        writeLong: async (database, fn) => await database.write(fn),
        openRows: async (nowMs) => (await import("../sqlite/sqlite-rows.ts")).openSqliteRows(folder, nowMs), // other commands do without
        undo: () => before.undo(),
        release: async () => lock.release(),
      };
    },
    follow() {
      requireDatabase(folder);
      return followDatabase(folder, createScratch(folder, { name: "events", copies: 1 }));
    },
    backup(file) {
      requireDatabase(folder);
      return writeBackup(folder, file);
    },
    checkUp() {
      requireDatabase(folder);
      return createFolderCheckup(folder);
    },
  };
}
