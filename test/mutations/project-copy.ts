import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTemporaryFolder } from "../support/temporary.ts";
import type { Guard } from "./guards.ts";

/** What the tests need of the project. */
const parts = [
  "src",
  "test",
  "gen",
  "proto",
  ".config",
  ".tools",
  "package.json",
  "tsconfig.json",
  "README.md",
  "docs",
];
const root = join(import.meta.dirname, "../..");

/** A copy of the project in which guards are removed: the checkout that this runs from stays as it is. */
export interface ProjectCopy {
  readonly path: string;
  /** Where its tests make their folders, which go with it. */
  readonly temporary: string;
  /** Returns the texts of the guard that are not in its file exactly once. */
  findMoved(guard: Guard): readonly string[];
  /** Takes the guard out. */
  remove(guard: Guard): void;
  /** Puts it back. */
  restore(guard: Guard): void;
  /** Deletes the copy. */
  discard(): void;
}

export function createCopy(): ProjectCopy {
  const { path } = makeTemporaryFolder();
  for (const part of parts) cpSync(join(root, part), join(path, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
  const temporary = join(path, "tmp");
  mkdirSync(temporary);
  chmodSync(path, 0o711); // PostgreSQL runs as another user, and its data lies within
  const originals = new Map<string, string>();
  return {
    path,
    temporary,
    findMoved: (guard) => {
      const text = readFileSync(join(path, guard.file), "utf8");
      return guard.changes.map(([find]) => find).filter((find) => text.split(find).length !== 2);
    },
    remove(guard) {
      const file = join(path, guard.file);
      let text = readFileSync(file, "utf8");
      originals.set(guard.file, text);
      for (const [find, replacement] of guard.changes) text = text.replace(find, () => replacement);
      writeFileSync(file, text);
    },
    restore(guard) {
      const text = originals.get(guard.file);
      if (text !== undefined) writeFileSync(join(path, guard.file), text);
    },
    // What was killed just before may still be writing.
    discard: () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  };
}
