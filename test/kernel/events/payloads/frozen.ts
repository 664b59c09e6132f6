import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PayloadShapes } from "./describe.ts";

/** The descriptions that never change. */
export const frozenFile = join(import.meta.dirname, "frozen.json");

/** Reads the descriptions of all payloads that were ever written. */
export function readFrozen(): PayloadShapes {
  return existsSync(frozenFile) ? (JSON.parse(readFileSync(frozenFile, "utf8")) as PayloadShapes) : {};
}
