import type { Call } from "../../base/call.ts";
import type { LoggedEvent } from "../../events/event.ts";
import { processedSequence } from "../../events/processed-sequence.ts";
import type { FeatureContext } from "../context.ts";
import {
  createConcern,
  createMatcher,
  type EventFilter,
  type EventScope,
  isWider,
  scopeOf,
  tooManyWatches,
  watchTooSlow,
} from "./event.ts";
import type { EventFeed } from "./feed.ts";
import { hideAddresses } from "./hidden-addresses.ts";
import { lookForEvents } from "./repository.ts";
import { takeUpTo } from "./size.ts";
import type { Turns } from "./turns.ts";

export interface WatchLimits {
  /** A watch that had reached the end of the log is cut off when its next event is older. */
  readonly watchMaxLagMs: number;
  readonly maxWatches: number;
  readonly maxWatchesPerOrganization: number;
}

/** The request of a watch. */
export interface WatchRequest {
  readonly filter: EventFilter;
  /** Only events after this sequence; undefined = after the last existing one. */
  readonly after: number | undefined;
}

interface Setup {
  readonly context: FeatureContext;
  readonly feed: EventFeed;
  readonly turns: Turns;
  readonly room: WatchRoom;
  readonly limits: WatchLimits;
  /** A watch is authorized again before each batch, and after this time at the latest. */
  readonly judgeEveryMs: number;
}

/** Half of the promised 10 s, because the check waits for its turn on a busy database. */
export const defaultJudgeEveryMs = 5000;

const batchSize = 100;
const batchBytes = 1024 * 1024;

/** The state of a watch. */
interface Standing {
  /** Everything up to this sequence was sent, or is not for this watch. */
  position: number | undefined;
  scope: EventScope;
  matches: ReturnType<typeof createMatcher>;
  /** The watch has caught up once: any event that it lacks now was not read in time. */
  isLive: boolean;
}

interface Batch {
  readonly events: readonly LoggedEvent[];
  readonly scope: EventScope;
  /** Everything up to this sequence is in the batch, or not for this watch. */
  readonly position: number;
  readonly isEnd: boolean;
}

/**
 * Yields events as they are committed, until the signal of the call is aborted. The next events are read once the
 * last one was taken. Raises the problems of authorizing the call again, TOO_MANY_STREAMS, and LIMIT_REACHED for a
 * reader that is too slow.
 */
export async function* watchEvents(
  setup: Setup,
  call: Call,
  request: WatchRequest,
): AsyncGenerator<LoggedEvent, void, undefined> {
  const leave = setup.room.enter(call.caller.organizationId);
  const bell = createBell(call.signal);
  const standing = startAt(call, request);
  const concerns = createConcern(call.caller);
  const unfollow = setup.feed.follow({
    wants: (head) => head.sequence > (standing.position ?? 0) && (standing.matches(head) || concerns(head)),
    wake: () => bell.ring(),
  });
  try {
    // At once, and not when its turn comes: events committed while it waits belong to the watch already.
    standing.position ??= await setup.context.database.read(processedSequence);
    while (call.signal?.aborted !== true) {
      bell.mute();
      const batch = await setup.turns.run(() => readBatch(setup.context, call, { request, standing }));
      accept(standing, batch, request.filter);
      const isUpToDate = yield* send(setup, standing, batch);
      if (isUpToDate) await bell.wait(setup.judgeEveryMs);
    }
  } finally {
    unfollow();
    leave();
  }
}

function startAt(call: Call, { after, filter }: WatchRequest): Standing {
  const scope = scopeOf(call.access, call.caller.held);
  return { position: after, scope, matches: createMatcher(scope, filter), isLive: false };
}

/** Authorizes the call and reads the next events, on one snapshot. */
async function readBatch(
  context: FeatureContext,
  call: Call,
  { request, standing }: { readonly request: WatchRequest; readonly standing: Standing },
): Promise<Batch> {
  return await context.database.read(async (tx) => {
    const held = (await call.confirm?.(tx)) ?? call.caller.held;
    const scope = scopeOf(call.access, held);
    const upTo = await processedSequence(tx);
    const after = standing.position ?? upTo;
    const range = { after, upTo, limit: batchSize };
    const look = await lookForEvents(tx, scope, request.filter, range);
    const sequences = await takeUpTo(tx, look.sequences, batchBytes);
    const isWhole = sequences.length === look.sequences.length;
    const position = isWhole ? look.position : (sequences.at(-1) ?? after);
    const events = await hideAddresses(tx, { ...call.caller, held }, await context.log.read(tx, sequences));
    return { events, scope, position, isEnd: position >= upTo };
  });
}

function accept(standing: Standing, { scope }: Batch, filter: EventFilter): void {
  // Events that the caller may see only from now on can be older than any limit.
  if (isWider(scope, standing.scope)) standing.isLive = false;
  standing.scope = scope;
  standing.matches = createMatcher(scope, filter);
}

/** Yields the events of the batch while the authorization before it is fresh. Returns whether there are no more. */
async function* send(
  { context: { clock }, limits, judgeEveryMs }: Setup,
  standing: Standing,
  batch: Batch,
): AsyncGenerator<LoggedEvent, boolean, undefined> {
  const judgedMs = clock.nowMs();
  for (const event of batch.events) {
    const nowMs = clock.nowMs();
    if (standing.isLive && nowMs - event.date / 1000 > limits.watchMaxLagMs)
      throw watchTooSlow(limits.watchMaxLagMs);
    // Also when the clock was set back, because then the age is unknown.
    if (nowMs < judgedMs || nowMs - judgedMs >= judgeEveryMs) return false;
    yield event;
    standing.position = event.sequence;
  }
  standing.position = batch.position;
  if (batch.isEnd) standing.isLive = true;
  return batch.isEnd;
}

/** Counts the watches that are open. */
export interface WatchRoom {
  /** Raises TOO_MANY_STREAMS. Returns a function to call when the watch is over. */
  enter(organizationId: string): () => void;
}

/** Creates a counter with a limit for all watches and one for the users of an organization. */
export function createWatchRoom(
  limits: Pick<WatchLimits, "maxWatches" | "maxWatchesPerOrganization">,
): WatchRoom {
  const inside = new Map<string, number>();
  let total = 0;
  return {
    enter(organizationId) {
      const own = inside.get(organizationId) ?? 0;
      if (own >= limits.maxWatchesPerOrganization)
        throw tooManyWatches(limits.maxWatchesPerOrganization, "the organization");
      if (total >= limits.maxWatches) throw tooManyWatches(limits.maxWatches, "the service");
      total += 1;
      inside.set(organizationId, own + 1);
      return () => {
        total -= 1;
        const left = (inside.get(organizationId) ?? 1) - 1;
        if (left > 0) inside.set(organizationId, left);
        else inside.delete(organizationId);
      };
    },
  };
}

/** A bell to wait for; it may ring before anybody waits. */
function createBell(signal: AbortSignal | undefined) {
  let isRung = false;
  let onRing = () => {};
  return {
    ring() {
      isRung = true;
      onRing();
    },
    mute() {
      isRung = false;
    },
    /** Waits until it rings, at most for this time and not after the signal is aborted. */
    async wait(timeoutMs: number): Promise<void> {
      if (isRung || signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, timeoutMs);
        onRing = done;
        signal?.addEventListener("abort", done);
        function done() {
          clearTimeout(timer);
          onRing = () => {};
          signal?.removeEventListener("abort", done);
          resolve();
        }
      });
    },
  };
}
