import { expect, test } from "@jest/globals";
import { findUntried, readRuns, runHalf, tell } from "./support/runs.ts";

// GATEHOUSE_MODEL_SEED makes the same calls again, but for ids and tokens; GATEHOUSE_MODEL_RUNS more or fewer sequences.
test("answers, states, lists and rebuilt tables are those of a plain model", async () => {
  const runs = readRuns();
  process.stdout.write(`GATEHOUSE_MODEL_SEED=${runs.seed}\n`);
  const report = await runHalf(runs, 1);
  process.stdout.write(tell(report));
  expect(findUntried(report)).toEqual([]);
});
