import type { DatabaseOptions, Engine } from "../engine.ts";
export function createPostgresEngine(_dataFolder: string, _options: DatabaseOptions): Engine {
  throw new Error("not yet");
}
