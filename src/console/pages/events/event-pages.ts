import type { Client } from "@connectrpc/connect";
import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import type { EventService } from "../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import { type NewestEvents, readNewest, sequenceAt } from "../../ui/events/newest-events.ts";
import type { LoadPage } from "../../ui/list/list-source.ts";
import { type EventFilter, isWanted, toListFilter } from "./event-filter.ts";

/** Which events are listed. */
export interface EventQuery {
  readonly client: Pick<Client<typeof EventService>, "listEvents">;
  readonly filter: EventFilter;
  readonly from: Date | undefined;
  readonly until: Date | undefined;
}

/** Reads at least `wanted` events before the sequence, the newest first; fewer when there are no more. 0: from the end of the list. */
export async function readEvents(
  { client, filter, from, until }: EventQuery,
  before: bigint,
  wanted: number,
): Promise<NewestEvents> {
  const filters = toListFilter(filter);
  return await readNewest((request) => client.listEvents({ ...filters, ...request }), {
    wanted,
    before: before === 0n && until !== undefined ? sequenceAt(until) + 1n : before,
    after: from === undefined ? 0n : sequenceAt(from) - 1000n,
    isWanted: (event) => isWanted(event, filter),
  });
}

/** Says whether the list ends before the last event of the log, so that nothing new comes to it. */
export function isPast({ until }: EventQuery, end: bigint): boolean {
  return until !== undefined && sequenceAt(until) < end;
}

/** Returns a function that reads the events page by page, as it is done for a CSV file: the newest first. */
export function loadEvents(query: EventQuery): LoadPage<Event> {
  return async ({ pageSize, pageToken }) => {
    const { events, next } = await readEvents(query, BigInt(pageToken === "" ? 0 : pageToken), pageSize);
    return { rows: events, nextPageToken: next === undefined ? "" : String(next) };
  };
}
