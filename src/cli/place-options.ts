import { listUnknownVariables } from "../config/environment.ts";
import { parsePlace, type PlaceConfig } from "../config/place.ts";
import { type Flags, processEnvironment } from "../config/values.ts";
import type { Place } from "../kernel/storage/place.ts";
import { placeOf } from "../kernel/storage/places/place-of.ts";

/**
 * Returns the place of the data, for a command that needs no other option. Throws ConfigError, also for a misspelt
 * variable.
 */
export function readPlaceOptions(flags: Flags): PlaceConfig {
  const environment = processEnvironment();
  listUnknownVariables(environment);
  return parsePlace(flags, environment);
}

/** Returns that place. Throws ConfigError and DatabaseUnusableError. */
export async function findPlace(flags: Flags): Promise<Place> {
  return await placeOf(readPlaceOptions(flags));
}
