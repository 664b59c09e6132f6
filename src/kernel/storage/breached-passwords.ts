import { closeSync, fstatSync, openSync, read as readFile, readSync } from "node:fs";
import { promisify } from "node:util";

/** A list of passwords that are known from breaches, on the disk. */
export interface BreachedList {
  /** Says whether the list has the SHA-1 sum: 40 hexadecimal digits, upper case. */
  has(sum: string): Promise<boolean>;
  close(): void;
}

/** The file is not a list of sums. */
export class BreachedListError extends Error {}

const sumLength = 40;
/** More than any line has: a sum, and perhaps a colon and how often the password was seen. */
const windowBytes = 256;
const readAt = promisify(readFile);

/**
 * Opens a list: one SHA-1 sum in hexadecimal a line, in their order, as those of "Have I Been Pwned" are; whatever follows a
 * sum on its line is not read. Nothing of it is kept in memory. Throws BreachedListError for a file that does not begin so,
 * and the errors of the file system.
 */
export function openBreachedList(file: string): BreachedList {
  const descriptor = openSync(file, "r");
  const first = Buffer.alloc(windowBytes);
  readSync(descriptor, first, 0, windowBytes, 0);
  if (!/^[0-9A-Fa-f]{40}(?:[:\s]|\0)/.test(first.toString("latin1"))) {
    closeSync(descriptor);
    throw new BreachedListError(`${file}, the list of breached passwords, does not begin with a SHA-1 sum`);
  }
  return {
    has: (sum) => search(descriptor, fstatSync(descriptor).size, sum),
    close: () => closeSync(descriptor),
  };
}

/** Halves the file until the line is found. `low` and `high` are beginnings of lines, or the end. */
async function search(descriptor: number, size: number, sum: string): Promise<boolean> {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const line = await lineFrom(descriptor, middle === low ? { at: low } : { after: middle - 1 }, high);
    if (line === undefined) {
      high = middle; // no line begins between the middle and the end
      continue;
    }
    if (line.sum === sum) return true;
    if (line.sum < sum) low = line.end;
    else high = middle;
  }
  return false;
}

/** Reads the line that begins there, or the first one that begins behind the place; undefined when it begins at `end` or later. */
async function lineFrom(
  descriptor: number,
  from: { readonly at: number } | { readonly after: number },
  end: number,
): Promise<{ readonly sum: string; readonly end: number } | undefined> {
  const start = "at" in from ? from.at : from.after;
  const { buffer, bytesRead } = await readAt(descriptor, Buffer.alloc(windowBytes), 0, windowBytes, start);
  const text = buffer.toString("latin1", 0, bytesRead);
  const begin = "at" in from ? 0 : text.indexOf("\n") + 1;
  if ("after" in from && begin === 0) return undefined;
  if (start + begin >= end) return undefined;
  const rest = text.slice(begin);
  const newline = rest.indexOf("\n");
  return {
    sum: rest.slice(0, sumLength).toUpperCase(),
    end: start + begin + (newline < 0 ? rest.length : newline + 1),
  };
}
