import type { Engine, PlaceOptions } from "../engine.ts";

/** Returns the engine of the place that the options name. Only that one is loaded. Throws PlaceError. */
export async function chooseEngine(options: PlaceOptions): Promise<Engine> {
  const { dataFolder, database } = options;
  if (database === undefined) return (await import("./sqlite-engine.ts")).createSqliteEngine(dataFolder);
  return (await import("./postgres-engine.ts")).createPostgresEngine(dataFolder, database);
}
