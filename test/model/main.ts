/**
 * Runs sequences of calls against a service and a plain model of it, in a process of its own: under jest it takes half as
 * long again. Arguments: seed, count of sequences, part, parts. Prints how often each rpc ended how, as JSON.
 */
import { runSequences } from "./support/runs.ts";

const [seed = 1, count = 100, part = 0, parts = 1] = process.argv.slice(2).map(Number);

try {
  const tally = await runSequences({ seed, count, part, parts });
  process.stdout.write(JSON.stringify([...tally]));
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
