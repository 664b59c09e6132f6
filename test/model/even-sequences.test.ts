import { expect, test } from "@jest/globals";
import { readRuns, runSequences } from "./support/runs.ts";

test("answers and tables are those of the model", async () => {
  const { seed, count } = readRuns();
  const started = performance.now();
  const tally = await runSequences({ seed, count });
  process.stdout.write(`${count} in ${performance.now() - started} ms\n`);
  process.stdout.write(
    [...tally]
      .toSorted()
      .map(([k, v]) => `${k} ${v}`)
      .join("\n") + "\n",
  );
  expect(tally.size).toBeGreaterThan(0);
});
