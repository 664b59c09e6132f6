import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Returns a new empty folder, and what removes it with everything in it. */
export function makeTemporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "gatehouse-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
