import { createRandom, type Random } from "../../hostile/support/random.ts";

/** Prints the seed of this run, which is that of GATEHOUSE_FAULTS_SEED or one of the time, and returns its random values. */
export function useSeed(): (index: number) => Random {
  const text = process.env["GATEHOUSE_FAULTS_SEED"];
  const seed = text === undefined ? Date.now() % 2 ** 31 : Number(text);
  if (!Number.isInteger(seed)) throw new Error("GATEHOUSE_FAULTS_SEED must be an integer");
  process.stderr.write(`GATEHOUSE_FAULTS_SEED=${seed}\n`);
  return (index) => createRandom(seed, index);
}
