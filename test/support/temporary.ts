import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux keeps files in memory: the tests commit much, and none of them asks the disk to last. */
const memory = "/dev/shm";
const enoughBytes = 4 * 2 ** 30;

/** Returns a new empty folder, and what removes it with everything in it. */
export function makeTemporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(hasRoomInMemory() ? memory : tmpdir(), "gatehouse-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Containers have little room there by default, and other systems none. TMPDIR wins. */
function hasRoomInMemory(): boolean {
  if (process.env["TMPDIR"] !== undefined) return false;
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > enoughBytes;
  } catch {
    return false;
  }
}
