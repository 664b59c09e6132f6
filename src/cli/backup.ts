import { dataFolderAt, requireDatabase } from "../storage/data-folder.ts";
import { writeBackup } from "../storage/sqlite/backup.ts";
import { readDataOption } from "./data-option.ts";
import { print } from "./print.ts";

/** Writes a consistent copy of the database to a new file, whether or not a service is running. */
export async function backup(file: string, flags: Readonly<Record<string, unknown>>): Promise<number> {
  const folder = dataFolderAt(readDataOption(flags));
  requireDatabase(folder);
  const made = writeBackup(folder, file);
  await print(
    `${made.file}: ${made.bytes} bytes, last sequence ${made.lastSequence}; keep a copy of ${folder.masterKey} in another place: the backup cannot be read without it`,
  );
  return 0;
}
