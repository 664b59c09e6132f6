import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";

/** Which events are shown. An empty text filters nothing. */
export interface EventFilter {
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly eventType: string;
  readonly editor: string;
  readonly organizationId: string;
}

/** Says whether a watch of everything brought an event that the filter lets through, as ListEvents would decide. */
export function isShown(event: Event, filter: EventFilter): boolean {
  return (
    fits(filter.aggregateType, event.aggregateType) &&
    fits(filter.aggregateId, event.aggregateId) &&
    fits(filter.eventType, event.eventType) &&
    fits(filter.editor, event.editor) &&
    fits(filter.organizationId, event.resourceOwner)
  );
}

function fits(wanted: string, value: string): boolean {
  return wanted === "" || wanted === value;
}

/** Returns the first instant of a day such as `2030-12-31` in the time zone of the browser; undefined for anything else. */
export function startOfDay(day: string): Date | undefined {
  return toDate(day, "T00:00:00.000");
}

/** Returns the last instant of a day such as `2030-12-31` in the time zone of the browser; undefined for anything else. */
export function endOfEventDay(day: string): Date | undefined {
  return toDate(day, "T23:59:59.999");
}

function toDate(day: string, time: string): Date | undefined {
  const date = new Date(`${day}${time}`);
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(date.getTime()) ? date : undefined;
}
