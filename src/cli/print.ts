import { createLogOutput } from "../base/log-output.ts";

/** Says that what a command answers could not be written, for the person who started it. */
export class OutputError extends Error {}

/** Writes a line on stdout and waits until it is written. Throws OutputError, for example when nobody reads it any more. */
export async function print(line: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(new OutputError(`stdout cannot be written: ${error.message}`, { cause: error }));
    });
  });
}

/** Keeps a reader of stdout that is gone from ending the process: `print` says so. */
export function outliveReaders(): void {
  process.stdout.on("error", () => {});
}

/**
 * Writes on stderr, whoever reads it or does not. Not through process.stderr, which makes a pipe non-blocking: lines of
 * the log would be lost then when its reader is slow.
 */
export function printError(text: string): void {
  createLogOutput(2).write(text);
}
