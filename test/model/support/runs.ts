/** Draws sequences, runs them, and makes one that fails as short as it can be. */
import fc from "fast-check";
import { weightedNames } from "./operations.ts";
import { runSequence, type Step, type Tally } from "./sequence.ts";
import { openStage, type Stage } from "./stage.ts";

/** Sequences that share a service: its log grows with each, and each rebuild reads all of it. */
const sequencesPerService = 16;
/** Tries to shorten a sequence that fails, each on a service of its own. */
const maxTries = 150;

export interface Runs {
  readonly seed: number;
  readonly count: number;
}

export interface Report {
  /** How many were run. */
  readonly sequences: number;
  readonly tally: Tally;
}

/** Returns what to run: GATEHOUSE_MODEL_SEED, else a seed of the time, and GATEHOUSE_MODEL_RUNS, else 1,000. */
export function readRuns(): Runs {
  const read = (name: string, otherwise: number) => {
    const number = Number(process.env[name] ?? otherwise);
    if (!Number.isInteger(number)) throw new Error(`${name} must be an integer`);
    return number;
  };
  return {
    seed: read("GATEHOUSE_MODEL_SEED", Date.now() % 2 ** 31),
    count: read("GATEHOUSE_MODEL_RUNS", 1000),
  };
}

/** Runs every second sequence of the seed. Raises an error with the calls of the first one that fails, shortened. */
export async function runHalf({ seed, count }: Runs, half: 0 | 1): Promise<Report> {
  const tally: Tally = new Map();
  let stage: Stage | undefined;
  let ran = 0;
  for (const [at, steps] of fc.sample(sequences, { seed, numRuns: count }).entries()) {
    if (at % 2 !== half) continue;
    if (ran % sequencesPerService === 0) {
      await stage?.close();
      stage = await openStage();
    }
    ran += 1;
    const failure = await failureOf(stage ?? (await openStage()), steps, tally);
    if (failure === undefined) continue;
    await stage?.close();
    const shortest = await shorten(steps, failure);
    throw new Error(`sequence ${at} of GATEHOUSE_MODEL_SEED=${seed} fails:\n${shortest.message}`);
  }
  await stage?.close();
  return { sequences: ran, tally };
}

const step: fc.Arbitrary<Step> = fc.record({
  operation: fc.oneof(...weightedNames.map(({ name, weight }) => ({ arbitrary: fc.constant(name), weight }))),
  seed: fc.nat(2 ** 31 - 1),
});

const sequences = fc.array(step, { minLength: 20, maxLength: 40, size: "max" });

async function failureOf(
  stage: Stage,
  steps: readonly Step[],
  tally: Tally = new Map(),
): Promise<Error | undefined> {
  try {
    await runSequence(stage, steps, tally);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Leaves out steps, many at once and then one by one, as long as it fails without them. */
async function shorten(steps: readonly Step[], failure: Error): Promise<Error> {
  let shortest = { steps, failure };
  let tries = 0;
  for (let size = 16; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < shortest.steps.length && tries < maxTries; tries++) {
      const fewer = [...shortest.steps.slice(0, at), ...shortest.steps.slice(at + size)];
      const failed = await failsAlone(fewer);
      if (failed === undefined) at += size;
      else shortest = { steps: fewer, failure: failed };
    }
  }
  return shortest.failure;
}

async function failsAlone(steps: readonly Step[]): Promise<Error | undefined> {
  const stage = await openStage();
  const failure = await failureOf(stage, steps);
  await stage.close();
  return failure;
}

/** Returns the operations that were never answered, or never refused, in as many sequences as reach all of them. */
export function findUntried({ sequences: ran, tally }: Report): readonly string[] {
  if (ran < 250) return [];
  const seen = new Map<string, { answered: boolean; refused: boolean }>();
  for (const key of tally.keys()) {
    const [name = "", result] = key.split(" ");
    const before = seen.get(name) ?? { answered: false, refused: false };
    seen.set(name, {
      answered: before.answered || result === "OK",
      refused: before.refused || (result !== "OK" && result !== "TOKEN_INVALID"),
    });
  }
  return weightedNames.flatMap(({ name }) => {
    const { answered, refused } = seen.get(`${name.charAt(0).toUpperCase()}${name.slice(1)}`) ?? {};
    const isRefusable = name !== "getMyUser";
    return answered === true && (refused === true || !isRefusable) ? [] : [name];
  });
}

/** Returns a line about the run, and one for each way in which calls ended. */
export function tell({ sequences: ran, tally }: Report): string {
  const calls = [...tally.values()].reduce((sum, count) => sum + count, 0);
  const byReason = new Map<string, number>();
  for (const [key, count] of tally) {
    const reason = key.split(" ")[1] ?? "";
    byReason.set(reason, (byReason.get(reason) ?? 0) + count);
  }
  const reasons = [...byReason].toSorted((left, right) => right[1] - left[1]);
  return `${ran} sequences, ${calls} random calls: ${reasons.map(([reason, count]) => `${reason} ${count}`).join(", ")}\n`;
}
