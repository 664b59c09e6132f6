import type { Client } from "@connectrpc/connect";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import type { EventService } from "../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import { cursorAt, type EventCursor, hour, readNewest, sequenceAt } from "../../ui/events/newest-events.ts";
import type { LoadPage } from "../../ui/list/list-source.ts";
import { type EventFilter, isWanted, toListFilter } from "./event-filter.ts";

const largestStart = 100;

/** Which events are listed. */
export interface EventQuery {
  readonly client: Pick<Client<typeof EventService>, "listEvents">;
  readonly filter: EventFilter;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
  /** The clock of this browser, which may be wrong. */
  readonly nowMs: () => number;
}

/** Where a list of events begins. */
export interface EventStart {
  /** The newest ones, if they were found at once, the newest first. */
  readonly events: readonly Event[];
  readonly cursor: EventCursor;
  /** The last sequence of the log. */
  readonly end: bigint;
  /** Whether the list ends before that, so that nothing new comes to it. */
  readonly isPast: boolean;
}

/**
 * Finds where a list of events begins: at its last day, or at the end of the log. The call that finds the end brings the events of the
 * last hour too, by the clock of this browser, and the list begins with them where they are few.
 */
export async function findStart(query: EventQuery): Promise<EventStart> {
  const { client, filter, from, until, nowMs } = query;
  const floor = from === undefined ? 0n : sequenceAt(from) - 1000n;
  const hourAgo = sequenceAt(new Date(nowMs())) - hour;
  const afterSequence = hourAgo > floor ? hourAgo : floor;
  const request = { ...toListFilter(filter), afterSequence, pageSize: largestStart };
  const { events, nextPageToken, details } = await client.listEvents(request);
  const end = details?.processedSequence ?? 0n;
  const isPast = until !== undefined && sequenceAt(until) < end;
  if (isPast || nextPageToken !== "" || end <= afterSequence)
    return { events: [], cursor: cursorAt(isPast ? sequenceAt(until) : end), end, isPast };
  const shown = events.filter((event) => isWanted(event, filter)).toReversed();
  return { events: shown, cursor: cursorAt(afterSequence > floor ? afterSequence : 0n), end, isPast };
}

/** Reads at least `wanted` events before the cursor, the newest first; fewer when there are no more. */
export async function readEvents(
  { client, filter, from }: EventQuery,
  cursor: EventCursor,
  wanted: number,
): ReturnType<typeof readNewest> {
  const filters = toListFilter(filter);
  return await readNewest((request) => client.listEvents({ ...filters, ...request }), cursor, {
    wanted,
    isWanted: (event) => isWanted(event, filter),
    floor: from === undefined ? 0n : sequenceAt(from) - 1000n,
  });
}

/** Returns a function that reads the events page by page, as it is done for a CSV file: the newest first. */
export function loadEvents(query: EventQuery): LoadPage<Event> {
  return async ({ pageSize, pageToken }) => {
    const start = pageToken === "" ? await findStart(query) : undefined;
    const cursor = start?.cursor ?? readCursor(pageToken);
    const { events, next } = await readEvents(query, cursor, pageSize / 2);
    return {
      rows: [...(start?.events ?? []), ...events],
      nextPageToken: next.before > 0n ? `${next.before}.${next.width}` : "",
    };
  };
}

function readCursor(token: string): EventCursor {
  const [before = "0", width = "1"] = token.split(".");
  return { before: BigInt(before), width: BigInt(width) };
}
