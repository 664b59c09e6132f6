import type { ReadTransaction } from "../kernel/base/database.ts";
import { createKeyring, parseMasterKeys } from "../kernel/base/keyring.ts";
import { systemRandom } from "../kernel/base/random.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Flags } from "../config/values.ts";
import { createEventLog, type EventLog } from "../kernel/events/event-log.ts";
import type { OnUnreadable } from "../kernel/events/event-row.ts";
import { createPersonalData } from "../kernel/events/personal-data.ts";
import { type EventFilter, findUnknownTypes } from "../identity/events/event.ts";
import { isEmptySpan, scanEvents } from "../identity/events/repository.ts";
import { toEventJson } from "../identity/events/rpc.ts";
import { processedSequence } from "../kernel/events/processed-sequence.ts";
import { requireKeysOf } from "../identity/instance/commands.ts";
import { DataFolderError } from "../kernel/storage/data-folder.ts";
import type { Place, LiveDatabase } from "../kernel/storage/place.ts";
import { findPlace } from "./place-options.ts";
import { OutputError, print, printError } from "./terminal/print.ts";

const readAtOnce = 100;
/** Maximum delay with which `--follow` shows a committed event. */
const lookEveryMs = 200;

interface Asked {
  readonly filter: EventFilter;
  readonly after: number;
  readonly limit: number;
  readonly follow: boolean;
}

/**
 * Prints events in the order of their sequences, one JSON object per line; with `--follow` until a signal. Writes
 * nothing and takes no lock. Succeeds when the reader of stdout is gone.
 */
export async function printEvents(flags: Flags): Promise<number> {
  const asked = parseAsked(flags);
  const place = await findPlace(flags);
  const database = place.follow();
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, stop);
  process.stdout.once("error", stop);
  let unreadable = 0;
  const onUnreadable: OnUnreadable = (found) => void (unreadable += found.length);
  try {
    await printAll({ place, database, onUnreadable }, { asked, stopping: stopping.signal });
    return 0;
  } catch (error) {
    if (isReaderGone(error)) return 0;
    throw error;
  } finally {
    if (unreadable > 0)
      printError(`gatehouse: ${unreadable} values cannot be read and were left out; run gatehouse doctor\n`);
    await database.close();
    // Unread pipe output would keep the process alive after a signal, so exit explicitly.
    if (stopping.signal.aborted && process.stdout.writableLength > 0) process.exit(0);
  }
}

/** Where events are read from, and the receiver of what cannot be read. */
interface Source {
  readonly place: Place;
  readonly database: LiveDatabase;
  readonly onUnreadable: OnUnreadable;
}

async function printAll(
  source: Source,
  { asked, stopping }: { readonly asked: Asked; readonly stopping: AbortSignal },
): Promise<void> {
  const { database } = source;
  const stopped = new Promise<void>((resolve) => {
    stopping.addEventListener("abort", () => resolve());
  });
  let position = asked.after;
  let left = asked.limit;
  while (left > 0 && !stopping.aborted) {
    const found = await database.read(async (tx) => {
      const log = await openLog(source, tx);
      const upTo = await processedSequence(tx);
      const range = { after: position, upTo, limit: Math.min(readAtOnce, left) };
      const scan = await scanEvents(tx, "all", asked.filter, range);
      return {
        events: await log.read(tx, scan.sequences),
        position: scan.rest.after,
        isEnd: isEmptySpan(scan.rest),
      };
    });
    ({ position } = found);
    left -= found.events.length;
    for (const event of found.events) {
      if (stopping.aborted) return;
      await Promise.race([print(JSON.stringify(toEventJson(event))), stopped]);
    }
    if (!found.isEnd) continue;
    if (!asked.follow) return;
    await database.changed(lookEveryMs, stopping);
  }
}

/** Opens the log with the current keys: they may have been rotated while the log is followed. */
async function openLog({ place, onUnreadable }: Source, tx: ReadTransaction): Promise<EventLog> {
  const keyring = createKeyring(readKeys(place), systemRandom);
  await requireKeysOf(tx, keyring);
  const personalData = createPersonalData(keyring, systemRandom);
  return createEventLog({ projections: [], personalData, onUnreadable });
}

function readKeys(place: Place) {
  const text = place.readKeyFile();
  try {
    return parseMasterKeys(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new DataFolderError(`${place.keyFile} cannot be read: ${reason}`, { cause: error });
  }
}

function parseAsked(flags: Flags): Asked {
  const text = (name: string) => (typeof flags[name] === "string" ? flags[name] : "");
  const filter = {
    aggregateType: text("aggregateType"),
    aggregateId: text("aggregateId"),
    eventType: text("eventType"),
    editor: text("editor"),
  };
  const [unknown] = findUnknownTypes(filter);
  if (unknown !== undefined)
    throw new ConfigError(`--${unknown.field.replaceAll("_", "-")} ${unknown.description}`);
  return {
    filter,
    after: parseCount("after", text("after")) ?? 0,
    limit: parseCount("limit", text("limit")) ?? Number.POSITIVE_INFINITY,
    follow: flags["follow"] === true,
  };
}

function parseCount(name: string, value: string): number | undefined {
  if (value === "") return undefined;
  const count = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(count))
    throw new ConfigError(`--${name} must be a whole number`);
  return count;
}

function isReaderGone(error: unknown): boolean {
  const cause = error instanceof OutputError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "EPIPE";
}
