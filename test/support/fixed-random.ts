import type { Random } from "../../src/kernel/base/random.ts";
import { createRandom } from "../hostile/support/random.ts";

/** Returns the same numbers for each service that draws them in the same order. */
export function createFixedRandom(): Random {
  const random = createRandom(1, 1);
  return { bytes: (count) => new Uint8Array(random.bytes(count)), below: (limit) => random.below(limit) };
}
