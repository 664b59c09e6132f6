import { createSoleLeadership } from "../../base/leadership.ts";
import { dataFolderAt } from "../data-folder.ts";
import type { Place } from "../place.ts";
import { type MemoryDatabase, openMemoryDatabase } from "../sqlite/memory-database.ts";

/** A place that is gone with its process. Nothing of it is ever in a file. */
export interface MemoryPlace extends Place {
  /** As in the database in memory. */
  mark(): Promise<void>;
  /** As in the database in memory. */
  restore(): Promise<void>;
}

/** No file can be made there, so that code that would write one fails instead. */
const nowhere = "/dev/null/memory";

/** Creates an empty place in memory, with new keys. */
export function createMemoryPlace(): MemoryPlace {
  let opened: MemoryDatabase | undefined;
  const requireOpened = (): MemoryDatabase => {
    if (opened === undefined) throw new Error("the place in memory is not open");
    return opened;
  };
  return {
    name: "memory",
    keyFile: "the key in memory",
    folder: dataFolderAt(nowhere),
    isShared: false,
    readKeyFile: refuse,
    listLooseModes: () => [],
    hold: refuse,
    take: async () => ({
      leadership: createSoleLeadership(),
      readMasterKeys: (newText) => newText(),
      async openDatabase(setup) {
        opened = openMemoryDatabase(setup);
        return opened;
      },
      writeLong: async (database, fn) => await database.write(fn),
      openRows: refuse,
      undo() {},
      release: async () => {},
    }),
    follow: refuse,
    backup: refuse,
    checkUp: refuse,
    mark: async () => await requireOpened().mark(),
    restore: async () => await requireOpened().restore(),
  };
}

function refuse(): never {
  throw new Error("a place in memory is for its own process");
}
