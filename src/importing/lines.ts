import { createReadStream } from "node:fs";

/** A line of a file, from 1. `text` is undefined for a line that is too long, or is not UTF-8. */
export interface Line {
  readonly number: number;
  readonly text: string | undefined;
}

/** More bytes than this are in no line that is read: a line is in memory as a whole. */
export const maxLineBytes = 1_048_576;

const newline = 0x0a;

/** Reads the lines of a file, without their ends. A byte order mark is left out. */
export async function* readLines(file: string): AsyncIterable<Line> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (): Line => {
    number += 1;
    const whole = bytes > maxLineBytes ? undefined : Buffer.concat(parts);
    parts = [];
    bytes = 0;
    return { number, text: whole && decode(decoder, whole) };
  };
  const keep = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxLineBytes) parts.push(part);
    else parts = [];
  };
  for await (const chunk of createReadStream(file, { highWaterMark: 262_144 })) {
    let rest = chunk as Buffer; // no encoding was set
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      keep(rest.subarray(0, end));
      yield take();
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) keep(rest);
  }
  if (bytes > 0) yield take();
}

function decode(decoder: TextDecoder, bytes: Buffer): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
