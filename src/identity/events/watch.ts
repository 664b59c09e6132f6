import type { Call } from "../../kernel/base/call.ts";
import type { LoggedEvent } from "../../kernel/events/event.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import type { FeatureContext } from "../context.ts";
import {
  createMayAffectCaller,
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
import { scanEvents } from "./repository.ts";
import { takeWithinBytes } from "./page-bytes.ts";
import type { FairQueue } from "./fair-queue.ts";

/** How many watches there may be, and how far behind one may fall. */
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
  /** Whether to send a bookmark when there was nothing else to send for a while. Default: no. */
  readonly bookmarks?: boolean;
}

/** What a watch sends: an event, or the sequence up to which everything was sent or is not for this watch. */
export type Watched = { readonly event: LoggedEvent } | { readonly bookmark: number };

interface Setup {
  readonly context: FeatureContext;
  readonly feed: EventFeed;
  readonly queue: FairQueue;
  readonly admission: WatchAdmission;
  readonly limits: WatchLimits;
  /** A watch is authorized again before each batch, and after this time at the latest. */
  readonly checkEveryMs: number;
}

/** Half of the promised 10 s, because the check waits for its turn on a busy database. */
export const defaultCheckEveryMs = 5000;

/** Proxies end a stream that is silent for a minute, as nginx does, and some after half of that. */
const bookmarkEveryMs = 15_000;

const batchSize = 100;
const batchBytes = 1024 * 1024;

/** How far a watch has come, and what it shows. */
interface WatchState {
  /** Everything up to this sequence was sent or is not for this watch. */
  position: number | undefined;
  scope: EventScope;
  matches: ReturnType<typeof createMatcher>;
  /**
   * When it was at the end of the log last, by the clock of this process: events that it lacks were committed later, whatever
   * the clock of the process says that committed them. Undefined: it was not there yet.
   */
  atEndMs: number | undefined;
  /** When something was sent last; at first, when the watch began. */
  sentMs: number;
}

interface Batch {
  readonly events: readonly LoggedEvent[];
  readonly scope: EventScope;
  /** Everything up to this sequence is in the batch or not for this watch. */
  readonly position: number;
  readonly isEnd: boolean;
  /** When the read began. */
  readonly readMs: number;
}

/**
 * Yields events as they are committed, and bookmarks, until the signal of the call is aborted. The next events are read once the
 * last one was taken. Raises the problems of authorizing the call again, TOO_MANY_STREAMS, and LIMIT_REACHED for a
 * reader that is too slow.
 */
export async function* watchEvents(
  setup: Setup,
  call: Call,
  request: WatchRequest,
): AsyncGenerator<Watched, void, undefined> {
  const leave = setup.admission.admit(call.caller.organizationId);
  const bell = createBell(call.signal);
  const { clock } = setup.context;
  const state = startAt(call, request, clock.nowMs());
  const mayAffectCaller = createMayAffectCaller(call.caller);
  const unfollow = setup.feed.follow({
    wants: (head) => head.sequence > (state.position ?? 0) && (state.matches(head) || mayAffectCaller(head)),
    wake: () => bell.ring(),
  });
  try {
    // At once, and not when its turn comes: events that are committed in between belong to the watch.
    state.position ??= await setup.context.database.read(processedSequence);
    call.onOpen?.();
    while (call.signal?.aborted !== true) {
      bell.mute();
      const batch = await setup.queue.run(() => readBatch(setup.context, call, { request, state }));
      accept(state, batch, request.filter);
      const isUpToDate = yield* send(setup, state, batch);
      if (request.bookmarks === true && state.position !== undefined && isBookmarkDue(state, clock.nowMs())) {
        yield { bookmark: state.position };
        state.sentMs = clock.nowMs();
      }
      if (!isUpToDate) continue;
      const untilDueMs =
        request.bookmarks === true ? state.sentMs + bookmarkEveryMs - clock.nowMs() : setup.checkEveryMs;
      await bell.wait(Math.min(setup.checkEveryMs, untilDueMs));
    }
  } finally {
    unfollow();
    leave();
  }
}

function startAt(call: Call, { after, filter }: WatchRequest, nowMs: number): WatchState {
  const scope = scopeOf(call.access, call.caller.held);
  const matches = createMatcher(scope, filter);
  return { position: after, scope, matches, atEndMs: undefined, sentMs: nowMs };
}

/** Also counts the time again when the clock went back: the silence is then not known. */
function isBookmarkDue(state: WatchState, nowMs: number): boolean {
  state.sentMs = Math.min(state.sentMs, nowMs);
  return nowMs - state.sentMs >= bookmarkEveryMs;
}

/** Authorizes the call and reads the next events, on one snapshot. */
async function readBatch(
  context: FeatureContext,
  call: Call,
  { request, state }: { readonly request: WatchRequest; readonly state: WatchState },
): Promise<Batch> {
  const readMs = context.clock.nowMs();
  return await context.database.read(async (tx) => {
    // First, because a watch of tables is only then sure to be as new as the snapshot (see `TableWatch`).
    const upTo = await processedSequence(tx);
    const held = (await call.confirm?.(tx)) ?? call.caller.held;
    const scope = scopeOf(call.access, held);
    const after = state.position ?? upTo;
    const range = { after, upTo, limit: batchSize };
    const scan = await scanEvents(tx, scope, request.filter, range);
    const sequences = await takeWithinBytes(tx, scan.sequences, batchBytes);
    const isWhole = sequences.length === scan.sequences.length;
    const position = isWhole ? scan.rest.after : (sequences.at(-1) ?? after);
    const events = await hideAddresses(tx, { ...call.caller, held }, await context.log.read(tx, sequences));
    return { events, scope, position, isEnd: position >= upTo, readMs };
  });
}

function accept(state: WatchState, { scope }: Batch, filter: EventFilter): void {
  // Events that the caller may see from now on can be older than any bound.
  if (isWider(scope, state.scope)) state.atEndMs = undefined;
  state.scope = scope;
  state.matches = createMatcher(scope, filter);
}

/** Yields the events of the batch while the authorization before it is fresh. Returns whether there are no more. */
async function* send(
  { context: { clock }, limits, checkEveryMs }: Setup,
  state: WatchState,
  batch: Batch,
): AsyncGenerator<{ readonly event: LoggedEvent }, boolean, undefined> {
  const checkedMs = clock.nowMs();
  for (const event of batch.events) {
    const nowMs = clock.nowMs();
    if (
      state.atEndMs !== undefined &&
      nowMs - Math.max(event.date / 1000, state.atEndMs) > limits.watchMaxLagMs
    )
      throw watchTooSlow(limits.watchMaxLagMs);
    // Also when the clock went back: then the time since the last check is not known.
    if (nowMs < checkedMs || nowMs - checkedMs >= checkEveryMs) return false;
    yield { event };
    state.position = event.sequence;
    state.sentMs = clock.nowMs();
  }
  state.position = batch.position;
  if (batch.isEnd) state.atEndMs = batch.readMs;
  return batch.isEnd;
}

/** Counts the watches that are open. */
export interface WatchAdmission {
  /** Counts a watch. Call the result when the watch is over. Raises TOO_MANY_STREAMS. */
  admit(organizationId: string): () => void;
}

/** Limits how many watches are open, in all and for the users of one organization. */
export function createWatchAdmission(
  limits: Pick<WatchLimits, "maxWatches" | "maxWatchesPerOrganization">,
): WatchAdmission {
  const inside = new Map<string, number>();
  let total = 0;
  return {
    admit(organizationId) {
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

/** Creates a bell to wait for, which may ring before the wait begins. */
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
