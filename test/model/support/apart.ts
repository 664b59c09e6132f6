import { execFile } from "node:child_process";
import { join } from "node:path";

/** How often calls of an rpc ended with OK or a reason, such as `["AddProject OK", 3]`. */
export type Ended = readonly [string, number];

/**
 * Runs a part of the sequences in a process of its own; the parameters are those of `main.ts`. Rejects with the shortest that
 * fails.
 */
export function runPart(parameters: readonly number[]): Promise<readonly Ended[]> {
  const main = join(import.meta.dirname, "../main.ts");
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [main, ...parameters.map(String)],
      { maxBuffer: 2 ** 26, timeout: 590_000 },
      (error, stdout, stderr) => {
        if (error === null) resolve(JSON.parse(stdout) as readonly Ended[]);
        else reject(new Error(stderr === "" ? error.message : stderr));
      },
    );
  });
}
