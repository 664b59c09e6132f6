import { createLogOutput } from "../../kernel/base/logging/log-output.ts";

/** The output of a command could not be written. The message is for the person who started it. */
export class OutputError extends Error {}

/** Writes a line to stdout and waits until it is written. Throws OutputError, for example when the reader is gone. */
export async function print(line: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => {
      if (error === null || error === undefined) resolve();
      else reject(new OutputError(`stdout cannot be written: ${error.message}`, { cause: error }));
    });
  });
}

/** Keeps the process alive when the reader of stdout is gone: `print` reports it. */
export function outliveReaders(): void {
  process.stdout.on("error", () => {});
}

/**
 * Writes to stderr, whether or not anybody reads it. Avoids process.stderr, which makes a pipe non-blocking, so that
 * log lines would be lost when the reader is slow.
 */
export function printError(text: string): void {
  createLogOutput(2).write(text);
}
