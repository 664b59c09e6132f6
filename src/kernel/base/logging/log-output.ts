import { writeSync } from "node:fs";

/** Destination of log lines. */
export interface LogOutput {
  write(line: string): void;
}

/**
 * How long a line waits for a slow reader. Once a line was lost, the next ones do not wait until one can be written
 * again.
 */
const maxWaitMs = 50;

/**
 * Returns an output that writes each line to a file descriptor at once, so that no line is lost when the process
 * ends. A line that cannot be written (a full disk, a pipe that nobody reads, a closed terminal) is dropped: the
 * service must go on without its log. The next line that can be written is followed by the number of lost lines.
 */
export function createLogOutput(fd: number): LogOutput {
  let lost = 0;
  let isTorn = false;
  const write = (line: string): boolean => {
    const text = isTorn ? `\n${line}` : line;
    const rest = writeWhole(fd, Buffer.from(text, "utf8"), lost > 0 ? 0 : maxWaitMs);
    if (rest === 0) isTorn = false;
    else if (rest < Buffer.byteLength(text)) isTorn = true;
    return rest === 0;
  };
  return {
    write(line) {
      if (!write(line)) lost += 1;
      else if (lost > 0 && write(`${JSON.stringify({ level: 40, lines: lost, msg: "log.lines_lost" })}\n`))
        lost = 0;
    },
  };
}

/** Writes, and returns the number of bytes that could not be written. */
function writeWhole(fd: number, bytes: Uint8Array, waitMs: number): number {
  let rest = bytes;
  for (let waited = 0; rest.length > 0 && waited <= waitMs; ) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // of node:fs
      if (code !== "EAGAIN") return rest.length;
      waited += 1;
      if (waited <= waitMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
  return rest.length;
}
