import type { DatabaseOptions, Place } from "../place.ts";
export function createDatabasePlace(_dataFolder: string, _options: DatabaseOptions): Place {
  throw new Error("not yet");
}
