import type { Place, PlaceOptions } from "../place.ts";

/** Returns the place that the options name. Only its engine is loaded. Throws DatabaseUnusableError. */
export async function placeOf(options: PlaceOptions): Promise<Place> {
  const { dataFolder, database } = options;
  if (database === undefined) return (await import("./folder-place.ts")).createFolderPlace(dataFolder);
  return (await import("./database-place.ts")).createDatabasePlace(dataFolder, database);
}
