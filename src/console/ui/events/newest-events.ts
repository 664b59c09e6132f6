import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";

/** What ListEvents is asked for, beside the filters. */
export interface EventRequest {
  readonly newestFirst: true;
  readonly afterSequence: bigint;
  readonly beforeSequence: bigint;
  readonly pageSize: number;
}

/** The parts of an answer of ListEvents that are needed. */
export interface EventAnswer {
  readonly events: readonly Event[];
  readonly nextPageToken: string;
  readonly details?: { readonly processedSequence: bigint } | undefined;
}

/** Lists events, with the filters of a page. */
export type ListEvents = (request: EventRequest) => Promise<EventAnswer>;

/** Events, the newest first, and where the list goes on. */
export interface NewestEvents {
  readonly events: readonly Event[];
  /** It goes on with the events before this sequence; undefined: there are no more. */
  readonly next: bigint | undefined;
  /** The last sequence of the log when the first of them were read. */
  readonly end: bigint;
}

/** Which events are read. */
export interface Wanted {
  readonly wanted: number;
  /** Those before this sequence; 0: from the end of the log. */
  readonly before?: bigint;
  /** Those behind this sequence. */
  readonly after?: bigint;
  readonly isWanted?: (event: Event) => boolean;
}

const largestPage = 1000;
/** A list of which hardly anything is wanted is read on when the user asks for more. */
const mostCalls = 30;

/**
 * Reads at least `wanted` events, the newest first; fewer when there are no more. What `isWanted` denies is left out; then fewer are
 * answered after many calls, although there are more.
 */
export async function readNewest(
  list: ListEvents,
  { wanted, before = 0n, after = 0n, isWanted = () => true }: Wanted,
): Promise<NewestEvents> {
  const found: Event[] = [];
  let next: bigint | undefined = before;
  let end: bigint | undefined;
  let pageSize = wanted;
  for (let calls = 0; next !== undefined && found.length < wanted && calls < mostCalls; calls += 1) {
    const request = { newestFirst: true, afterSequence: after, beforeSequence: next, pageSize } as const;
    const { events, nextPageToken, details } = await list(request);
    end ??= details?.processedSequence;
    const shown = events.filter(isWanted);
    found.push(...shown);
    next = nextPageToken === "" ? undefined : events.at(-1)?.sequence;
    if (shown.length * 2 < events.length) pageSize = Math.min(pageSize * 2, largestPage);
  }
  return { events: found, next, end: end ?? 0n };
}

/** Returns the last sequence that an instant may have: the clock of the service in microseconds. */
export function sequenceAt(date: Date): bigint {
  return BigInt(date.getTime()) * 1000n + 999n;
}
