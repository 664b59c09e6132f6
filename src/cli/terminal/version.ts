import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { print } from "./print.ts";

/** Returns the version of the package that these sources are part of. */
export function readVersion(): string {
  // The package is two folders above the sources, and three above dist/.
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const parsed: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      if (typeof parsed === "object" && parsed !== null && "version" in parsed) return String(parsed.version);
    } catch {
      // No package file here: one folder up.
    }
  }
  return "unknown";
}

/** Prints the version to stdout. */
export async function printVersion(): Promise<number> {
  await print(readVersion());
  return 0;
}
