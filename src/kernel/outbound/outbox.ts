import { constants, type FileHandle, open } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import type { Recipient } from "./delivery.ts";

/**
 * Returns a recipient that appends each message to a file that only its owner may read, as one line of JSON with its fields and a
 * `date`, such as `{"to":"+41791234567","text":"…","date":"2026-06-01T12:00:00.000Z"}`, in the order of the calls. A message that
 * could not be written completely leaves nothing in the file.
 */
export function createOutbox<T extends object>(options: {
  readonly file: string;
  readonly clock: Clock;
}): Recipient<T> {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async send(message) {
      const date = new Date(options.clock.nowMs()).toISOString();
      const line = `${JSON.stringify({ ...message, date })}\n`;
      const appended = last.then(() => append(options.file, line));
      last = appended.catch(() => undefined); // a line that failed does not hold up the next one
      await appended;
    },
  };
}

const ownerOnly = 0o600;

/** A symbolic link would let somebody else choose the file. */
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

async function append(file: string, line: string): Promise<void> {
  const handle = await open(file, flags, ownerOnly);
  try {
    await handle.chmod(ownerOnly); // the file may be older
    await appendWhole(handle, line);
  } finally {
    await handle.close();
  }
}

async function appendWhole(handle: FileHandle, line: string): Promise<void> {
  const { size } = await handle.stat();
  try {
    await handle.appendFile(line);
  } catch (error) {
    await handle.truncate(size);
    throw error;
  }
}
