import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A file by its path from the root of the repository. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Reads every TypeScript file of `src`, in the order of the paths. */
export function readSourceFiles(): readonly SourceFile[] {
  return readFiles("src", [".ts", ".tsx"]);
}

/** Reads the files below a folder whose names have one of the endings, in the order of the paths. */
export function readFiles(folder: string, endings: readonly string[]): readonly SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .map((file) => posix.join(folder, file))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}
