import { listUnknownVariables } from "../config/environment.ts";
import { parsePlace, type PlaceConfig } from "../config/place.ts";
import { type Flags, processEnvironment } from "../config/values.ts";
import type { Engine } from "../storage/engine.ts";
import { chooseEngine } from "../storage/engines/choose-engine.ts";

/**
 * Returns the place of the data, for a command that needs no other option. Throws ConfigError, also for a misspelt
 * variable.
 */
export function readPlace(flags: Flags): PlaceConfig {
  const environment = processEnvironment();
  listUnknownVariables(environment);
  return parsePlace(flags, environment);
}

/** Returns the engine of that place. Throws ConfigError and PlaceError. */
export async function readEngine(flags: Flags): Promise<Engine> {
  return await chooseEngine(readPlace(flags));
}
