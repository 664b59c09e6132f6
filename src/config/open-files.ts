import { readFileSync } from "node:fs";
import type { LimitOptions } from "./options.ts";

/** Files that the process has open beside its connections: the database, outgoing connections, the log, room to breathe. */
const reservedFiles = 128;

/**
 * Returns how many files, sockets among them, the process may have open: the soft limit, which Node has raised as far as it
 * may. undefined where the system does not say so in /proc.
 */
export function readOpenFilesLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined; // not Linux
  }
}

/** Returns the limits with no more connections than there are files for. */
export function capConnections(limits: LimitOptions, openFiles: number | undefined): LimitOptions {
  if (openFiles === undefined) return limits;
  const room = Math.max(1, openFiles - reservedFiles);
  return { ...limits, maxConnections: Math.min(limits.maxConnections, room) };
}
