import { randomFillSync, randomInt } from "node:crypto";

/** A cryptographically secure source of randomness. Passed in, so that tests can fix it. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** Returns an integer from 0 to `limit - 1`, each equally likely. */
  below(limit: number): number;
}

/** Bytes drawn at a time: asking for twelve costs as much as asking for thousands. */
const poolBytes = 4096;

/** Randomness from the operating system's generator, through OpenSSL. */
export const systemRandom: Random = createSystemRandom();

function createSystemRandom(): Random {
  const pool = new Uint8Array(poolBytes);
  let at = poolBytes;
  return {
    bytes(count) {
      if (count > poolBytes) return randomFillSync(new Uint8Array(count));
      if (at + count > poolBytes) {
        randomFillSync(pool);
        at = 0;
      }
      const drawn = pool.slice(at, at + count);
      pool.fill(0, at, at + count); // nobody but the caller is to have them
      at += count;
      return drawn;
    },
    below: (limit) => randomInt(limit),
  };
}
