import type { Flags } from "../config/values.ts";
import { findPlace } from "./place-options.ts";
import { print } from "./terminal/print.ts";

/** Writes a consistent copy of the database to a new file, whether or not a service is running. */
export async function backup(file: string, flags: Flags): Promise<number> {
  const place = await findPlace(flags);
  const made = place.backup(file);
  await print(
    `${made.file}: ${made.bytes} bytes, last sequence ${made.lastSequence}; keep a copy of ${place.keyFile} in another place: the backup cannot be read without it`,
  );
  return 0;
}
