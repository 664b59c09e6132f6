/** The thread in which hashes are compared that are not to be compared in the main one, one after another. */
import { timingSafeEqual } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { verifySync } from "@node-rs/argon2";
import { compareSync } from "bcryptjs";
import { parseEncodedHash, toWrappable } from "./encoded-hash.ts";
import type { AskedComparison, Comparison } from "./hash-thread.ts";

parentPort?.on("message", ({ id, encoded, password }: AskedComparison) => {
  const before = process.threadCpuUsage();
  const isRight = isOf(encoded, password);
  const used = process.threadCpuUsage(before);
  const cpuMs = (used.user + used.system) / 1000;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage({ id, isRight, cpuMs } satisfies Comparison);
});

/** Undefined: the hash cannot be read. What a library says of it is kept here: it may hold the hash. */
function isOf(encoded: string, password: string): boolean | undefined {
  try {
    const hash = parseEncodedHash(encoded);
    switch (hash?.kind) {
      case undefined:
        return undefined;
      case "argon2":
        return verifySync(encoded, password);
      case "bcrypt":
        // The library computes in JavaScript, for up to a second.
        return compareSync(hash.toKey(password), hash.plain);
      case "foreign": {
        const digest = hash.family.digest(hash.recipe, password);
        return digest.length === hash.digest.length && timingSafeEqual(digest, hash.digest);
      }
      case "wrapped":
        return verifySync(hash.outerText, toWrappable(hash.family.digest(hash.inner, password)));
    }
  } catch {
    return undefined;
  }
}
