import { type Instant, toInstantOfMicros } from "../../kernel/base/clock.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import { type HeldRoles, holdsOnOrganization, holdsSomewhere } from "../../kernel/base/permission.ts";
import { fieldInvalid, permissionDenied, Problem } from "../../kernel/base/problem.ts";

/** A moment of the past that a call asks about: microseconds since 1970, which sequences are, too. */
export interface AsOf {
  readonly micros: number;
  /** The field of the request that says so. */
  readonly field: "as_of_date" | "as_of_sequence";
}

/** So many events are read to answer one call. */
export const maxEvents = 10_000;

/** Refuses a moment that is still to come. Raises FIELD_INVALID. */
export function requirePast(
  { micros, field }: AsOf,
  now: { readonly ms: number; readonly lastSequence: number },
): void {
  if (micros > Math.max(now.ms * 1000, now.lastSequence))
    throw fieldInvalid(field, "must not be in the future");
}

/** Returns the problem of a moment before the first event. */
export function beforeFirstEvent({ field }: AsOf): Problem {
  return fieldInvalid(field, "must not be before the first event");
}

/** Returns the instant for which the tables of that moment decide what was in effect. */
export function instantOf({ micros }: AsOf): Instant {
  return toInstantOfMicros(micros);
}

/** Refuses a caller who may not read the events of the organization: the past is made of them. Raises PERMISSION_DENIED. */
export function requireEventReader(held: readonly HeldRoles[], organizationId: OrganizationId): void {
  if (!holdsOnOrganization(held, opening, organizationId)) throw permissionDenied(opening, organizationId);
}

/** Returns the roles that open the past of what they are on. Raises PERMISSION_DENIED if there is none. */
export function listEventReaderRoles(
  held: readonly HeldRoles[],
  organizationId: OrganizationId,
): readonly HeldRoles[] {
  const opened = held.filter((own) => holdsSomewhere([own], opening));
  if (opened.length === 0) throw permissionDenied(opening, organizationId);
  return opened;
}

/** What opens the past, besides the permission of the call. */
const opening = "event.read";

/** Returns the problem of a past that more events have made than are read. */
export function pastTooLong(limit: number): Problem {
  return new Problem({
    kind: "precondition",
    reason: "PAST_TOO_LONG",
    message: `more than ${limit} events decide; ask about an earlier moment or, where the call takes one, about one project`,
    metadata: { limit: String(limit) },
  });
}
