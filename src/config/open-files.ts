import { readFileSync } from "node:fs";
import type { LimitOptions } from "./limits.ts";

/**
 * Files that the process needs besides its connections: the database, outgoing connections, the log, and a reserve.
 */
const reservedFiles = 128;

/**
 * Returns the maximum number of open files and sockets of the process: the soft limit, which Node has raised as far
 * as it can. Returns undefined where the system has no /proc.
 */
export function readOpenFilesLimit(): number | undefined {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined; // not Linux
  }
}

/** Lowers the maximum number of connections to what the limit on open files allows. */
export function capConnections(limits: LimitOptions, openFiles: number | undefined): LimitOptions {
  if (openFiles === undefined) return limits;
  const room = Math.max(1, openFiles - reservedFiles);
  return { ...limits, maxConnections: Math.min(limits.maxConnections, room) };
}
