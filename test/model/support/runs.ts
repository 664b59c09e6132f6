/** Draws sequences, runs them, and makes one that fails as short as it can be. */
import * as fc from "fast-check";
import { weightedNames } from "./operations.ts";
import { runSequence, type Step, type Tally } from "./sequence.ts";
import { openStage, type Stage } from "./stage.ts";

/** Which of the sequences that follow from a seed are run: every `parts`-th, from number `part` on. */
export interface Run {
  readonly seed: number;
  /** How many there are in all parts. */
  readonly count: number;
  readonly part: number;
  readonly parts: number;
}

/** Sequences that share a service: its start takes as long as some, but each rebuild reads the log of all before. */
const sequencesPerService = 16;
/** Tries to shorten a sequence that fails, each on a service of its own. */
const maxTries = 150;

const step: fc.Arbitrary<Step> = fc.record({
  operation: fc.oneof(...weightedNames.map(({ name, weight }) => ({ arbitrary: fc.constant(name), weight }))),
  seed: fc.nat(2 ** 31 - 1),
});

const sequences = fc.array(step, { minLength: 20, maxLength: 40, size: "max" });

/** Runs sequences and says how calls ended. Raises an error with the calls of the first one that fails, shortened. */
export async function runSequences({ seed, count, part, parts }: Run): Promise<Tally> {
  const tally: Tally = new Map();
  const drawn = fc.sample(sequences, { seed, numRuns: count });
  const own = [...drawn.entries()].filter(([at]) => at % parts === part);
  for (let first = 0; first < own.length; first += sequencesPerService) {
    const stage = await openStage();
    for (const [at, steps] of own.slice(first, first + sequencesPerService)) {
      const failure = await failureOf(stage, steps, tally);
      if (failure === undefined) continue;
      await closeBroken(stage);
      const shortest = await shorten(steps, failure);
      throw new Error(`sequence ${at} of GATEHOUSE_MODEL_SEED=${seed} fails:\n${shortest.message}`);
    }
    await stage.close();
  }
  return tally;
}

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
  await closeBroken(stage);
  return failure;
}

/** What is found at the end of a service that has failed says nothing new. */
async function closeBroken(stage: Stage): Promise<void> {
  await stage.close().catch(() => undefined);
}
