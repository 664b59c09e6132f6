import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Reads the files below some folders of the repository, by their paths from its root. By default the sources. */
export function readSources(
  folders: readonly string[] = ["src"],
  endings: readonly string[] = [".ts"],
): ReadonlyMap<string, string> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
      .map((entry) => posix.relative(root, join(entry.parentPath, entry.name))),
  );
  return new Map(files.toSorted().map((file) => [file, readFileSync(join(root, file), "utf8")]));
}
