import { readFileSync } from "node:fs";

/** Says whether a process has been stopped by a signal (SIGSTOP). Where the system has no /proc nobody knows, and the answer is no. */
export function isStopped(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may contain anything.
    return text.slice(text.lastIndexOf(")") + 2).startsWith("T");
  } catch {
    return false;
  }
}
