import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";

/**
 * Gives the command a file system of that size in memory, which only it sees and which is gone when it ends. A machine
 * that allows no such thing fails the test by the words of unshare or mount.
 */
export function onSmallDisk(path: string, size: string, script = 'exec "$@"'): readonly string[] {
  mkdirSync(path);
  const namespaces = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const mount = `mount -t tmpfs -o size=${size},mode=700 tmpfs "$0"`;
  return ["unshare", "--mount", ...namespaces, "sh", "-c", `${mount} && ${script}`, path];
}

/** Runs a command where that process sees its disk. */
export function beside(pid: number | undefined): readonly string[] {
  const namespaces = process.getuid?.() === 0 ? [] : ["--user", "--preserve-credentials"];
  return ["nsenter", "--target", String(pid), "--mount", ...namespaces];
}

/** Fills the disk with a file of that name. */
export function fill(file: string): void {
  const descriptor = openSync(file, "w");
  const written: number[] = [];
  try {
    for (const bytes of [65_536, 4096, 1]) writeUntilFull(descriptor, Buffer.alloc(bytes), written);
  } finally {
    closeSync(descriptor);
  }
  if (written.length === 0) throw new Error(`the disk of ${file} was full`);
}

function writeUntilFull(descriptor: number, bytes: Uint8Array, written: number[]): void {
  for (;;) {
    try {
      written.push(writeSync(descriptor, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") return; // of node:fs
      throw error;
    }
  }
}
