import type { Flags } from "../config/values.ts";
import { readEngine } from "./place-options.ts";
import { print } from "./print.ts";

/** Writes a consistent copy of the database to a new file, whether or not a service is running. */
export async function backup(file: string, flags: Flags): Promise<number> {
  const engine = await readEngine(flags);
  const made = engine.backup(file);
  await print(
    `${made.file}: ${made.bytes} bytes, last sequence ${made.lastSequence}; keep a copy of ${engine.keyFile} in another place: the backup cannot be read without it`,
  );
  return 0;
}
