/** The thread in which hashes of bcrypt are compared, one after another: the library computes in JavaScript, for up to a second. */
import { parentPort } from "node:worker_threads";
import { compareSync } from "bcryptjs";
import type { AskedComparison, Comparison } from "./bcrypt.ts";

parentPort?.on("message", ({ id, encoded, password }: AskedComparison) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, isRight: isOf(encoded, password) } satisfies Comparison);
});

/** Undefined: the library cannot read the hash. What it says of it is kept here: it may hold the hash. */
function isOf(encoded: string, password: string): boolean | undefined {
  try {
    return compareSync(password, encoded);
  } catch {
    return undefined;
  }
}
