import type { NewEvent } from "../../../kernel/events/event.ts";
import { freeFrom, lastDay, rateLimited } from "../codes/code.ts";
import type { User } from "../user/user.ts";

/** How messages go out. Each way has counters of its own. */
export type MessageChannel = "sms" | "mail" | "registration-mail" | "invitation-mail" | "notice-mail";

/** What a message is for: its code, or the news of a change. */
export type MessagePurpose = "verification" | "password_reset" | "invitation" | "security_notice";

/** Instants (ms since 1970) of the messages that count against a user and a phone number or email address. */
export interface MessageHistory {
  readonly toUser: readonly number[];
  readonly toAddress: readonly number[];
}

/** Number of messages of an organization in an hour; hours are counted since 1970. */
export interface HourlyCount {
  readonly hour: number;
  readonly count: number;
}

/** The pause between two messages to a user. */
const pauseMs = 30_000;
/**
 * How many messages go to a user and to an address in 24 hours. Registrations have counters of their own: strangers cause them. So
 * have invitations, which go to people who know nothing of it, and notices, which wait for each other in one mail: they neither use
 * up the codes nor are held back by them.
 */
const maxPerDay: Readonly<Record<MessageChannel, number>> = {
  sms: 10,
  mail: 10,
  "registration-mail": 3,
  "invitation-mail": 3,
  "notice-mail": 20,
};
const hourMs = 60 * 60_000;

/**
 * Counts a message. Raises RATE_LIMITED: one in 30 seconds per user, 10 in 24 hours per user and per address, 3 for registrations
 * and invitations, 20 for notices.
 */
export function countMessage(
  history: MessageHistory,
  nowMs: number,
  channel: MessageChannel = "mail",
): MessageHistory {
  const toUser = lastDay(history.toUser, nowMs);
  const toAddress = lastDay(history.toAddress, nowMs);
  const last = toUser.at(-1);
  const free = Math.max(
    freeFrom(toUser, maxPerDay[channel]),
    freeFrom(toAddress, maxPerDay[channel]),
    last === undefined ? 0 : last + pauseMs,
  );
  if (free > nowMs) throw rateLimited("too many messages were sent to this user or address", free - nowMs);
  return { toUser: [...toUser, nowMs], toAddress: [...toAddress, nowMs] };
}

/**
 * Counts a message to a user of an organization, because administrators of an organization must not spend the operator's money
 * without end. Raises RATE_LIMITED beyond `limit` in 24 hours; an hour counts until all of it is 24 hours ago.
 */
export function countOrganizationMessage(
  counts: readonly HourlyCount[],
  limit: number,
  nowMs: number,
): readonly HourlyCount[] {
  const now = Math.floor(nowMs / hourMs);
  const last = counts
    .filter(({ hour }) => hour >= now - 24)
    .map(({ hour, count }) => ({ hour: Math.min(hour, now), count })); // as in lastDay, for a clock that went back
  const sumOf = (some: readonly HourlyCount[]) => some.reduce((sum, { count }) => sum + count, 0);
  if (sumOf(last) >= limit) {
    const freeMs = ((last[0]?.hour ?? now) + 25) * hourMs;
    throw rateLimited("too many messages were sent for this organization", freeMs - nowMs);
  }
  const thisHour = sumOf(last.filter(({ hour }) => hour === now));
  return [...last.filter(({ hour }) => hour < now), { hour: now, count: thisHour + 1 }];
}

/**
 * Lifts the pause that a message began, because it did not arrive. It still counts for the day: the provider was asked, and after a
 * timeout it may have arrived nevertheless.
 */
export function liftPause(history: MessageHistory, countedMs: number): MessageHistory {
  return {
    toUser: withoutPause(history.toUser, countedMs),
    toAddress: withoutPause(history.toAddress, countedMs),
  };
}

/**
 * Decides what a message leaves in the log that was not delivered. A user who can cause messages cannot fill the log with it: each
 * message was counted before it went out, and a failure lifts the pause only, so that `countMessage` bounds it to 10 in 24 hours
 * per user (3 for registrations and invitations), and `countOrganizationMessage` to the limit of the organization.
 */
export function failDelivery(
  user: User,
  { channel, purpose }: { readonly channel: MessageChannel; readonly purpose: MessagePurpose },
): NewEvent {
  const type = channel === "sms" ? "user.phone.delivery.failed" : "user.email.delivery.failed";
  const payload = { message: purpose };
  return { type, aggregateId: user.id, resourceOwner: user.details.resourceOwner, payload };
}

/** Checks whether none of the instants counts any more. */
export function isPast(instants: readonly number[], nowMs: number): boolean {
  return lastDay(instants, nowMs).length === 0;
}

function withoutPause(instants: readonly number[], instant: number): readonly number[] {
  const index = instants.lastIndexOf(instant);
  return index < 0
    ? instants
    : instants.with(index, instant - pauseMs).toSorted((left, right) => left - right);
}
