import { parseDataFolder, processEnvironment } from "../config/config.ts";
import { listUnknownVariables } from "../config/environment.ts";

/**
 * Returns the data folder of a command that needs no other option. Throws ConfigError, also for a misspelt variable.
 */
export function readDataOption(flags: Readonly<Record<string, unknown>>): string {
  const environment = processEnvironment();
  listUnknownVariables(environment);
  return parseDataFolder(flags, environment);
}
