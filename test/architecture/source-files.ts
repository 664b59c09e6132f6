import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A source file by its path from the root of the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Reads every TypeScript file of `src`, in the order of the paths. */
export function readSourceFiles(): readonly SourceFile[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => posix.join("src", file))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
