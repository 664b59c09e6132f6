import { randomBytes, randomInt } from "node:crypto";

/** A cryptographically secure source of randomness. Handed in, so that tests can fix it. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** Returns an integer from 0 to `limit - 1`; every one is equally likely. */
  below(limit: number): number;
}

export const systemRandom: Random = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  below: (limit) => randomInt(limit),
};
