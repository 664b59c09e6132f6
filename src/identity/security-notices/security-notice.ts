import { maxClockSkewMs } from "../../kernel/base/clock.ts";

/** The changes that users are notified of: something that they sign in with was added, changed or removed. */
export const securityChanges = [
  "password_added",
  "password_changed",
  "password_removed",
  "passkey_added",
  "passkey_removed",
  "security_key_added",
  "security_key_removed",
  "authenticator_app_added",
  "authenticator_app_removed",
  "sent_codes_added",
  "sent_codes_removed",
  "recovery_codes_added",
  "recovery_codes_replaced",
  "recovery_codes_removed",
  "recovery_code_used",
  "provider_link_added",
  "provider_link_removed",
  "username_changed",
  "email_changed",
  "email_removed",
  "personal_access_token_added",
  "personal_access_token_removed",
] as const;
/** One of them. */
export type SecurityChange = (typeof securityChanges)[number];

/** What a user was before a change. */
export interface UserBefore {
  readonly creationMs: number;
  readonly hasPassword: boolean;
  /** Whether the user could sign in at all: with a password, a passkey or an identity provider. */
  readonly hasWayIn: boolean;
}

/** So long after somebody made the account, its parts are set up rather than changed. A login has no more time either. */
const settingUpMs = 15 * 60_000;

const waysIn: ReadonlySet<SecurityChange> = new Set([
  "password_added",
  "passkey_added",
  "provider_link_added",
]);

/**
 * Says whether a user is notified of a change: not of what belongs to setting up the account. That is everything in its first 15
 * minutes, however it is made: in a registration, by the calls and batches of an administrator, by an import. It is also, whenever
 * it comes, the first way to sign in of a user without one: after an invitation, or by a hash of another system.
 */
export function isToldOf(change: SecurityChange, before: UserBefore, nowMs: number): boolean {
  if (nowMs - before.creationMs < settingUpMs) return false;
  return before.hasWayIn || !waysIn.has(change);
}

/** The user that a notice is for, and the address that it goes to. */
export interface Addressee {
  readonly userId: string;
  /** The address that was verified before the change. */
  readonly email: string;
}

/** A change that a mail tells of: that of the event with this sequence. */
export interface SecurityNotice {
  readonly sequence: number;
  readonly change: SecurityChange;
}

/** Notices that go into one mail. No other process sends them as long as the claim lasts. */
export interface ClaimedNotices extends Addressee {
  /** The oldest ones; there may be more than a mail lists. */
  readonly notices: readonly SecurityNotice[];
  /** How many others the mail stands for. */
  readonly more: number;
  /** At this instant the claim ends. It also names the claim: the rows have it. */
  readonly untilMs: number;
}

/** How many changes a mail lists. */
export const listedInMail = 20;

/** The longest time of a try: a provider makes several attempts by itself. */
const mailTryMs = 60_000;

/** So much the clock of one process may be ahead of that of another one. */
const clockDifferenceMs = 2 * maxClockSkewMs;

/** From the claim to the provider: the commit, and reading what the mail says. */
const preparationMs = 25_000;

/** So long a try counts as under way: longer than any takes, so that only tries of dead processes are made again. */
export const noticeClaimMs = preparationMs + mailTryMs + clockDifferenceMs;

/** Says whether a try that begins now ends before any other process may take over what was claimed. */
export function mayStillSend({ untilMs }: Pick<ClaimedNotices, "untilMs">, nowMs: number): boolean {
  return nowMs + mailTryMs + clockDifferenceMs <= untilMs;
}

const minuteMs = 60_000;
/** The pauses after a try that has failed; there is one try more than pauses. */
const pausesMs: readonly number[] = [
  minuteMs,
  10 * minuteMs,
  60 * minuteMs,
  6 * 60 * minuteMs,
  24 * 60 * minuteMs,
];

/** How many tries to send a notice begin. */
export const noticeTries = pausesMs.length + 1;

/** Returns the pause after the try of that number, counted from 1, which was not the last one. */
export function pauseAfter(tries: number): number {
  return pausesMs[Math.min(tries, pausesMs.length) - 1] ?? minuteMs;
}
