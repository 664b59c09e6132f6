import type { Event } from "../../../../gen/console/gatehouse/v1/event_pb.ts";
import { clientId } from "../../api/client-id.ts";

type ListFilter = Pick<EventFilter, "aggregateType" | "aggregateId" | "eventType" | "editor">;

/** Which events are shown. An empty text filters nothing. */
export interface EventFilter {
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly eventType: string;
  readonly editor: string;
  readonly organizationId: string;
  /** Whether logins that nobody took part in are shown, too: those to the console, and renewals without a page. */
  readonly hasRenewals: boolean;
}

/** The part of a filter that ListEvents knows. */
export function toListFilter({ aggregateType, aggregateId, eventType, editor }: EventFilter): ListFilter {
  return { aggregateType, aggregateId, eventType, editor };
}

/** Says whether a list with that filter shows an event that the service has found for it. */
export function isWanted({ eventType, payload }: Event, { hasRenewals }: EventFilter): boolean {
  if (hasRenewals || eventType !== "authorization.granted") return true;
  return payload?.["application_id"] !== clientId && payload?.["is_renewal"] !== true;
}

/** Says whether a watch of everything brought an event that the filter lets through, as ListEvents would decide. */
export function isShown(event: Event, filter: EventFilter): boolean {
  return (
    fits(filter.aggregateType, event.aggregateType) &&
    fits(filter.aggregateId, event.aggregateId) &&
    fits(filter.eventType, event.eventType) &&
    fits(filter.editor, event.editor) &&
    fits(filter.organizationId, event.resourceOwner) &&
    isWanted(event, filter)
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
