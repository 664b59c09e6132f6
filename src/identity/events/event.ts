import type { Caller } from "../../kernel/base/call.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import { type Access, type HeldRoles, scopesWithPermission } from "../../kernel/base/permission.ts";
import { type FieldViolation, limitReached, Problem } from "../../kernel/base/problem.ts";
import { aggregateTypeOf, eventTypes } from "../../kernel/events/catalogue.ts";
import type { AggregateType, EventType } from "../../kernel/events/payloads.ts";

/** Filters of events. An empty text means any. */
export interface EventFilter {
  readonly aggregateType: string;
  readonly aggregateId: string;
  readonly eventType: string;
  readonly editor: string;
  /** Only events of these types. Absent: any type. */
  readonly among?: readonly EventType[] | undefined;
}

/** The organizations whose events may be seen; "all" includes the events of the instance. */
export type EventScope = "all" | readonly OrganizationId[];

/** Every kind of object that has events. */
export const aggregateTypes: readonly AggregateType[] = [...new Set(eventTypes.map(aggregateTypeOf))];

/** Returns the event types that match the filter. */
export function eventTypesOf(filter: EventFilter): readonly EventType[] {
  return eventTypes.filter(
    (type) =>
      (filter.eventType === "" || filter.eventType === type) &&
      (filter.aggregateType === "" || filter.aggregateType === aggregateTypeOf(type)) &&
      (filter.among?.includes(type) ?? true),
  );
}

/** Finds types that do not exist: a misspelt type must not read as an empty list. */
export function findUnknownTypes(
  filter: Pick<EventFilter, "aggregateType" | "eventType">,
): readonly FieldViolation[] {
  const isKnown = (known: readonly string[], value: string) => value === "" || known.includes(value);
  const aggregate = isKnown(aggregateTypes, filter.aggregateType)
    ? []
    : [{ field: "aggregate_type", description: `must be one of ${aggregateTypes.join(", ")}` }];
  const event = isKnown(eventTypes, filter.eventType)
    ? []
    : [
        {
          field: "event_type",
          description: "must be an existing event type, such as project.added",
        },
      ];
  return [...aggregate, ...event];
}

/** Decides whose events a call may see, by the roles that the caller holds now. */
export function scopeOf(access: Access, held: Caller["held"]): EventScope {
  if (access.spansOrganizations !== true) return [access.organizationId];
  const reach = scopesWithPermission(held satisfies readonly HeldRoles[], "event.read");
  return reach.isInstance ? "all" : reach.organizations;
}

/** The columns of an event that are known before it is read. */
export interface EventHead {
  readonly sequence: number;
  readonly type: string;
  readonly aggregate_id: string;
  readonly resource_owner: string;
  readonly editor: string;
}

/** Creates a check whether a watch of that scope and filter shows an event. */
export function createMatcher(scope: EventScope, filter: EventFilter): (head: EventHead) => boolean {
  const owners: ReadonlySet<string> | undefined = scope === "all" ? undefined : new Set(scope);
  const types: ReadonlySet<string> = new Set(eventTypesOf(filter));
  return (head) =>
    (owners === undefined || owners.has(head.resource_owner)) &&
    types.has(head.type) &&
    (filter.aggregateId === "" || filter.aggregateId === head.aggregate_id) &&
    (filter.editor === "" || filter.editor === head.editor);
}

/**
 * Creates a check whether an event may have changed what the caller may see, so that their watch is checked again at once:
 * events about the caller or their organization, and about memberships, which do not say whose they are.
 */
export function createMayAffectCaller(
  caller: Pick<Caller, "userId" | "organizationId">,
): (head: EventHead) => boolean {
  const ids: ReadonlySet<string> = new Set([caller.userId, caller.organizationId]);
  return ({ type, aggregate_id: id }) =>
    type === "membership.changed" ||
    type === "membership.limited" ||
    type === "membership.removed" ||
    ids.has(id);
}

/** Checks whether a scope holds something that the one before lacks. */
export function isWider(now: EventScope, before: EventScope): boolean {
  if (before === "all") return false;
  return now === "all" || now.some((id) => !before.includes(id));
}

/** Returns the problem of a watch beyond the limit. */
export function tooManyWatches(limit: number, ofWhom: "the service" | "the organization"): Problem {
  return new Problem({
    kind: "exhausted",
    reason: "TOO_MANY_STREAMS",
    message: `${ofWhom} already has ${limit} open event watches; close one, or try again later`,
    retryAfterMs: 5000,
  });
}

/** Returns the problem of a watch that reads more slowly than events come. */
export function watchTooSlow(maxLagMs: number): Problem {
  const { kind, reason, metadata } = limitReached("watch_lag_ms", maxLagMs);
  return new Problem({
    kind,
    reason,
    metadata,
    message: `the watch is more than ${maxLagMs} ms behind; open it again with after_sequence of the last event that arrived`,
  });
}
