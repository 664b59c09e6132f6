import { availableParallelism } from "node:os";
import { systemRandom } from "../kernel/base/random.ts";
import { findExcess } from "../identity/people/passwords/hash-cost.ts";
import { type HashCost, isFastHash, parseEncodedHash } from "../identity/people/passwords/encoded-hash.ts";
import { createPasswordHasher } from "../identity/people/passwords/hasher.ts";
import { toStoredSpelling } from "../identity/people/passwords/hashes/spelling.ts";

/** A hash that was read: how it is stored, unless it has to be hashed again first. */
export type ReadHash =
  | { readonly kind: "stored"; readonly text: string }
  | { readonly kind: "fast"; readonly wrap: () => Promise<string> }
  | { readonly kind: "refused"; readonly why: string };

/** Reads hashes of passwords. */
export interface HashReader {
  read(text: string): Promise<ReadHash>;
  /** Estimates how many seconds it takes to hash so many hashes again. */
  estimateSeconds(count: number): Promise<number>;
}

/** What hashes are read with. `cost` is for tests about something else. */
export interface HashReaderOptions {
  readonly allowSlowHashes: boolean;
  readonly cost?: HashCost | undefined;
}

/** Creates a reader of hashes. It uses every core. */
export function createHashReader({ allowSlowHashes, cost }: HashReaderOptions): HashReader {
  const parallelism = availableParallelism();
  const hasher = createPasswordHasher({ parallelism, maxWaiting: 10_000, random: systemRandom, cost });
  return {
    async read(text) {
      const stored = toStoredSpelling(text) ?? text;
      const hash = parseEncodedHash(stored);
      if (hash === undefined || hash.kind === "wrapped")
        return { kind: "refused", why: "the hash is of no known kind, or out of the bounds of its kind" };
      const excess = allowSlowHashes ? undefined : findExcess(hash, await hasher.estimateMs(stored));
      if (excess !== undefined) return { kind: "refused", why: `the hash ${excess}` };
      return isFastHash(hash)
        ? { kind: "fast", wrap: () => hasher.wrap(hash) }
        : { kind: "stored", text: stored };
    },
    async estimateSeconds(count) {
      if (count === 0) return 0;
      const started = performance.now();
      await hasher.hash("how long does one take");
      return (count * (performance.now() - started)) / 1000 / parallelism;
    },
  };
}
