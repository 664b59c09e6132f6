/** Random values that are the same for the same seed. */
export interface Random {
  /** From 0, less than 1. */
  next(): number;
  /** An integer from 0, less than `bound`. */
  below(bound: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
  bytes(length: number): Buffer;
  text(length: number): string;
}

/** Returns the random values of one request: what makes it depends on seed and index only. */
export function createRandom(seed: number, index: number): Random {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  const next = (): number => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  for (let round = 0; round < 3; round++) next();
  return {
    next,
    below,
    pick: (list) => {
      if (list.length === 0) throw new Error("nothing to pick from");
      return list[below(list.length)] as (typeof list)[number]; // the index is inside
    },
    chance: (probability) => next() < probability,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
    text: (length) => Array.from({ length }, () => letters[below(letters.length)]).join(""),
  };
}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Returns the seed of this run: GATEHOUSE_HOSTILE_SEED, else one of the time. */
export function readSeed(): number {
  const text = process.env["GATEHOUSE_HOSTILE_SEED"];
  const seed = text === undefined ? Date.now() % 2 ** 31 : Number(text);
  if (!Number.isInteger(seed)) throw new Error("GATEHOUSE_HOSTILE_SEED must be an integer");
  return seed;
}
