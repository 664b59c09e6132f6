import type { Call } from "../../kernel/base/call.ts";
import { type Page, type PageRequest, readSequencePage } from "../../kernel/base/paging.ts";
import { Problem } from "../../kernel/base/problem.ts";
import type { LoggedEvent } from "../../kernel/events/event.ts";
import { processedSequence } from "../../kernel/events/processed-sequence.ts";
import type { FeatureContext } from "../context.ts";
import { type EventFilter, type EventScope, scopeOf } from "./event.ts";
import { createEventFeed } from "./feed.ts";
import { hideAddresses } from "./hidden-addresses.ts";
import { isEmptySpan, restOf, scanEvents, type Span } from "./repository.ts";
import { takeWithinBytes } from "./page-bytes.ts";
import { createFairQueue, type FairQueue } from "./fair-queue.ts";
import {
  createWatchAdmission,
  defaultCheckEveryMs,
  watchEvents,
  type Watched,
  type WatchLimits,
  type WatchRequest,
} from "./watch.ts";

/** The use cases of the event log. Callers see the events of organizations where they hold `event.read`. */
export interface EventCommands {
  /** Lists events in the order of their sequences, or in the reverse order. Raises PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    asked: AskedEvents,
    page: PageRequest,
  ): Promise<{ readonly page: Page<LoggedEvent>; readonly sequence: number }>;
  /**
   * Yields events as they are committed, and bookmarks if they are asked for, until the signal of the call is aborted. Raises TOO_MANY_STREAMS, LIMIT_REACHED,
   * and while it is open TOKEN_INVALID and PERMISSION_DENIED.
   */
  watch(call: Call, request: WatchRequest): AsyncIterable<Watched>;
}

/** What a list of events is asked for. */
export interface AskedEvents {
  readonly filter: EventFilter;
  /** Only events with a larger sequence. */
  readonly after: number;
  /** Only events with a smaller sequence; undefined: up to the end of the log. */
  readonly before?: number | undefined;
  readonly newestFirst?: boolean;
}

/** Small enough for the 4 MB that gRPC clients accept in one message. */
const pageBytes = 2 * 1024 * 1024;
/** Number of events that are read and decrypted at a time. */
const readAtOnce = 100;
const countAtOnce = 2000;

/** Creates the commands of events. All watches of a service share one feed, so there is one for a service. */
export function createEventCommands(
  context: FeatureContext,
  limits: WatchLimits & { readonly checkEveryMs?: number },
): EventCommands {
  const { checkEveryMs = defaultCheckEveryMs } = limits;
  const queue = createFairQueue();
  const setup = {
    context,
    queue,
    feed: createEventFeed(context.database),
    admission: createWatchAdmission(limits),
    limits,
    checkEveryMs,
  };
  return {
    list: (call, asked, page) => list({ context, queue }, call, { ...asked, page }),
    watch: (call, request) => watchEvents(setup, call, request),
  };
}

/**
 * A list of events up to the end of the log at the time of the request: the log only grows, so many reads make one
 * list.
 */
interface Listing {
  readonly context: FeatureContext;
  readonly queue: FairQueue;
  readonly call: Call;
  readonly scope: EventScope;
  readonly filter: EventFilter;
  readonly newestFirst: boolean;
}

async function list(
  { context, queue }: Pick<Listing, "context" | "queue">,
  call: Call,
  { filter, after, before, newestFirst = false, page }: AskedEvents & { readonly page: PageRequest },
): ReturnType<EventCommands["list"]> {
  const { access, caller } = call;
  const sequence = await context.database.read(processedSequence);
  const listing = { context, queue, call, scope: scopeOf(access, caller.held), filter, newestFirst };
  const of = access.spansOrganizations === true ? "" : access.organizationId;
  const filters = [filter.aggregateType, filter.aggregateId, filter.eventType, filter.editor, String(after)];
  const order = before === undefined && !newestFirst ? [] : [String(before ?? ""), String(newestFirst)];
  const span = { after, upTo: before === undefined ? sequence : Math.min(sequence, before - 1) };
  return {
    sequence,
    page: await readSequencePage(context.keyring, page, {
      key: ["ListEvents", of, ...filters, ...order],
      read: ({ last, limit }) =>
        readEvents(listing, last === undefined ? span : restOf({ ...span, newestFirst }, last), limit),
      count: (limit) => countEvents(listing, span, limit),
    }),
  };
}

async function readEvents(
  listing: Listing,
  span: Span,
  limit: number,
): Promise<{ readonly items: readonly LoggedEvent[]; readonly hasMore: boolean }> {
  const found: number[] = [];
  for await (const sequences of scanAll(listing, span, () => limit + 1 - found.length))
    found.push(...sequences);
  const { call, context, queue } = listing;
  const { database, log } = context;
  const taken = await database.read((tx) => takeWithinBytes(tx, found.slice(0, limit), pageBytes));
  const items: LoggedEvent[] = [];
  for (let at = 0; at < taken.length; at += readAtOnce) {
    requireThere(call);
    const some = taken.slice(at, at + readAtOnce);
    const { caller } = call;
    const read = () => database.read(async (tx) => hideAddresses(tx, caller, await log.read(tx, some)));
    const inOrder = await queue.run(read);
    items.push(...(listing.newestFirst ? inOrder.toReversed() : inOrder));
  }
  return { items, hasMore: found.length > taken.length };
}

async function countEvents(listing: Listing, span: Span, limit: number): Promise<number> {
  let total = 0;
  const wanted = () => Math.min(countAtOnce, limit - total);
  for await (const sequences of scanAll(listing, span, wanted)) total += sequences.length;
  return total;
}

/** Yields what is found, bit by bit, until the end of the list, or until no more is wanted. */
async function* scanAll(
  { context, queue, call, scope, filter, newestFirst }: Listing,
  span: Span,
  wanted: () => number,
): AsyncGenerator<readonly number[], void, undefined> {
  let rest = span;
  while (!isEmptySpan(rest) && wanted() > 0) {
    const range = { ...rest, limit: wanted(), newestFirst };
    requireThere(call);
    const found = await queue.run(() => context.database.read((tx) => scanEvents(tx, scope, filter, range)));
    rest = found.rest;
    yield found.sequences;
  }
}

/** A long log is searched in many short reads; the caller may be gone between two of them. */
function requireThere({ signal }: Call): void {
  if (signal?.aborted === true) {
    throw new Problem({ kind: "cancelled", reason: "CANCELLED", message: "the caller cancelled the call" });
  }
}
