// The service lists events from the oldest on. Their sequences are its clock in microseconds (`creation_date` of Event), so the newest
// ones are found by reading spans of time, from the end backwards.
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";

/** What ListEvents is asked for, beside the filters. */
export interface EventRequest {
  readonly afterSequence: bigint;
  readonly pageSize: number;
}

/** The parts of an answer of ListEvents that are needed. */
export interface EventAnswer {
  readonly events: readonly Event[];
  readonly nextPageToken: string;
}

/** Lists events, with the filters of a page. */
export type ListEvents = (request: EventRequest) => Promise<EventAnswer>;

/** Where a list that goes backwards stands. */
export interface EventCursor {
  /** The events up to this sequence have not been read yet; 0 when there are none. */
  readonly before: bigint;
  /** How long a span is read at once, in microseconds: as long as fits the density of the events read so far. */
  readonly width: bigint;
}

/** Events, the newest first, and where the list goes on. */
export interface NewestEvents {
  readonly events: readonly Event[];
  readonly next: EventCursor;
}

/** An hour, in sequences. */
export const hour = 3_600_000_000n;
const growth = 8n;
const largestPage = 1000;
/** A list of which hardly anything is wanted is read on when the user asks for more. */
const mostCalls = 30;

/** Returns the cursor of a list that begins with the event of this sequence. */
export function cursorAt(before: bigint): EventCursor {
  return { before, width: hour };
}

/**
 * Reads at least `wanted` events before the cursor, the newest first; fewer when there are no more. Nothing older than `floor` is read.
 * What is not wanted is left out; then fewer are answered after many calls, although there are more.
 * A span with too many events is read again in shorter pieces, and the next ones get longer where there are few.
 */
export async function readNewest(
  list: ListEvents,
  cursor: EventCursor,
  {
    wanted,
    floor = 0n,
    isWanted = () => true,
  }: { readonly wanted: number; readonly floor?: bigint; readonly isWanted?: (event: Event) => boolean },
): Promise<NewestEvents> {
  let pageSize = Math.min(wanted * 2, largestPage);
  const found: Event[] = [];
  let { before, width } = cursor;
  for (let calls = 0; found.length < wanted && before > floor && calls < mostCalls; calls += 1) {
    const after = before - width > floor ? before - width : floor;
    const { events, nextPageToken } = await list({ afterSequence: after, pageSize });
    const last = events.at(-1);
    const isCut = nextPageToken !== "" && last !== undefined && last.sequence < before;
    if (isCut && before - after > 1n) {
      width = (before - after) / growth > 0n ? (before - after) / growth : 1n;
    } else {
      const inSpan = events.filter(({ sequence }) => sequence <= before);
      const shown = inSpan.filter(isWanted);
      found.push(...shown.toReversed());
      if (shown.length * 2 < inSpan.length) pageSize = Math.min(pageSize * 2, largestPage);
      before = after;
      if (inSpan.length * Number(growth) <= pageSize) width *= growth;
    }
  }
  return { events: found, next: { before: before > floor ? before : 0n, width } };
}

/** Returns the last sequence that an instant may have. */
export function sequenceAt(date: Date): bigint {
  return BigInt(date.getTime()) * 1000n + 999n;
}
