import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { readProblem } from "../../../api/call-problem.ts";
import type { Event } from "../../../../../gen/console/gatehouse/v1/event_pb.ts";
import type { EventService } from "../../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import { RetryInfoSchema } from "../../../../../gen/console/google/rpc/error_details_pb.ts";
import type { EventBatch, Feed } from "./feed.ts";

/** How the live list does. */
export type LiveState = "connecting" | "live" | "denied";

/** What a tab needs to follow the events. */
export interface LivePort {
  /** The watches of one user in one browser have the same name, and one of them is open. */
  readonly name: string;
  /** For calls without an organization. */
  readonly client: Client<typeof EventService>;
  readonly feed: Feed;
  onState(state: LiveState): void;
}

const flushMs = 100;
const largestBatch = 100;
/** After as many events in a row, the browser gets its turn. */
const turnCount = 25;
const longestWaitMs = 30_000;

/**
 * Follows the events until the signal. However many tabs do so, one of them has the watch, by a lock of the browser, and tells the
 * others; when it stops, the next one goes on. So a browser needs one of its few connections for it.
 */
export async function followEvents(port: LivePort, signal: AbortSignal): Promise<void> {
  const { name, feed, onState } = port;
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close(), { once: true });
  const take = async (batch: EventBatch): Promise<void> => {
    // What the batch had is read with what came before it.
    await feed.take(batch).catch(() => catchUp(port, signal));
  };
  channel.addEventListener("message", ({ data }: MessageEvent<EventBatch>) => {
    if (!signal.aborted) void take(data);
  });
  onState("connecting");
  if (!(await catchUp(port, signal))) return;
  onState("live");
  const lead = async (): Promise<void> => {
    const give = async (batch: EventBatch): Promise<void> => {
      if (signal.aborted) return;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no origin
      channel.postMessage(batch);
      await take(batch);
    };
    await keepWatch(port, { give, signal });
  };
  await navigator.locks.request(name, { signal }, lead).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Reads what was missed, however often it must be tried. Returns whether it was read; if not, nothing more can be. */
async function catchUp({ feed, onState }: LivePort, signal: AbortSignal): Promise<boolean> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    try {
      await feed.catchUp();
      return !signal.aborted;
    } catch (error) {
      if (isDenied(error)) {
        onState("denied");
        return false;
      }
      onState("connecting");
      await pause(waitMs(error, tries), signal);
    }
  }
  return false;
}

interface Lead {
  give(batch: EventBatch): Promise<void>;
  readonly signal: AbortSignal;
}

/** Opens the watch, and opens it again behind the last event when it ends. */
async function keepWatch(port: LivePort, lead: Lead): Promise<void> {
  const { onState } = port;
  let tries = 0;
  while (!lead.signal.aborted) {
    try {
      await watchOnce(port, lead, () => {
        tries = 0;
        onState("live");
      });
      await pause(waitMs(undefined, tries), lead.signal);
    } catch (error) {
      if (lead.signal.aborted) return;
      if (isDenied(error)) {
        onState("denied");
        return;
      }
      // A client that has fallen behind is asked to open the watch again at once.
      if (readProblem(error).reason === "LIMIT_REACHED") continue;
      onState("connecting");
      await pause(waitMs(error, tries), lead.signal);
      tries += 1;
    }
  }
}

async function watchOnce(
  { client, feed }: LivePort,
  { give, signal }: Lead,
  onOpen: () => void,
): Promise<void> {
  let after = feed.position();
  let pending: Event[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const last = pending.at(-1);
    if (last === undefined) return;
    const batch = { after, events: pending };
    after = last.sequence;
    pending = [];
    await give(batch);
  };
  let count = 0;
  try {
    const options = { signal, timeoutMs: 0, onHeader: onOpen };
    const request = { afterSequence: after, bookmarks: true };
    for await (const { event, bookmark } of client.watchEvents(request, options)) {
      if (event === undefined) {
        await flush();
        await give({ after, events: [], upTo: bookmark });
        after = bookmark;
        continue;
      }
      pending.push(event);
      count += 1;
      if (pending.length >= largestBatch) await flush();
      else timer ??= setTimeout(() => void flush(), flushMs);
      if (count % turnCount === 0) await pause(0, signal);
    }
  } finally {
    await flush();
  }
}

function isDenied(error: unknown): boolean {
  return ConnectError.from(error).code === Code.PermissionDenied;
}

/** As long as the service says, or twice as long after each failure. */
function waitMs(error: unknown, tries: number): number {
  const [info] = ConnectError.from(error).findDetails(RetryInfoSchema);
  const asked = Number(info?.retryDelay?.seconds ?? 0n) * 1000 + (info?.retryDelay?.nanos ?? 0) / 1e6;
  return Math.min(Math.max(asked, 1000 * 2 ** tries), longestWaitMs);
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
