/** The thread in which hashes are compared that are not to be compared in the main one, one after another. */
import { parentPort } from "node:worker_threads";
import { verifySync } from "@node-rs/argon2";
import { compareSync } from "bcryptjs";
import type { AskedComparison, Comparison } from "./hash-thread.ts";

parentPort?.on("message", ({ id, encoded, password }: AskedComparison) => {
  const before = process.threadCpuUsage();
  const isRight = isOf(encoded, password);
  const used = process.threadCpuUsage(before);
  const cpuMs = (used.user + used.system) / 1000;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, isRight, cpuMs } satisfies Comparison);
});

/** Undefined: the library cannot read the hash. What it says of it is kept here: it may hold the hash. */
function isOf(encoded: string, password: string): boolean | undefined {
  try {
    // That of bcrypt computes in JavaScript, for up to a second.
    return encoded.startsWith("$2") ? compareSync(password, encoded) : verifySync(encoded, password);
  } catch {
    return undefined;
  }
}
