import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import type { Projection, RecordedEvent } from "../../kernel/events/event.ts";
import { holdsOutside } from "../held-roles/outside.ts";
import { listHeldRoles } from "../held-roles/repository.ts";
import { readLoginPolicy } from "../policies/repository.ts";
import {
  type Addressee,
  type ClaimedNotices,
  isToldOf,
  listedInMail,
  noticeTries,
  type SecurityChange,
  type SecurityNotice,
} from "./security-notice.ts";

/**
 * The notices that follow from changes of what users sign in with, which are kept beside the log. Whatever makes the event makes
 * the notice, in the same transaction: a call, a page, a batch, a command. Links that are removed with their identity provider are
 * no events of their users, so these get no notice.
 */
export const securityNoticeProjection: Projection = {
  tables: [],
  on: {
    "user.removed": (tx, { aggregateId }) => removeNoticesOf(tx, aggregateId),
  },
  once: {
    "user.password.set": (tx, event) =>
      add(tx, event, ({ hasPassword }) => (hasPassword ? "password_changed" : "password_added")),
    "user.password.removed": (tx, event) => add(tx, event, () => "password_removed"),
    "user.passkey.verified": (tx, event) => add(tx, event, () => "passkey_added"),
    "user.passkey.removed": (tx, event) =>
      addOfReady(tx, event, ["passkeys", event.payload.passkey_id, "passkey_removed"]),
    "user.u2f.verified": (tx, event) => add(tx, event, () => "security_key_added"),
    "user.u2f.removed": (tx, event) =>
      addOfReady(tx, event, ["second_factors", event.payload.u2f_id, "security_key_removed"]),
    "user.totp.verified": (tx, event) => add(tx, event, () => "authenticator_app_added"),
    "user.totp.removed": (tx, event) =>
      addOfReady(tx, event, ["second_factors", event.payload.totp_id, "authenticator_app_removed"]),
    "user.code_factor.added": (tx, event) => add(tx, event, () => "sent_codes_added"),
    "user.code_factor.removed": (tx, event) => add(tx, event, () => "sent_codes_removed"),
    "user.recovery_codes.added": (tx, event) =>
      add(tx, event, async () => {
        const former = await tx.get("SELECT 1 FROM recovery_codes WHERE user_id = ?", [event.aggregateId]);
        return former === undefined ? "recovery_codes_added" : "recovery_codes_replaced";
      }),
    "user.recovery_codes.used": (tx, event) => add(tx, event, () => "recovery_code_used"),
    "user.recovery_codes.removed": (tx, event) => add(tx, event, () => "recovery_codes_removed"),
    "user.idp_link.added": (tx, event) => add(tx, event, () => "provider_link_added"),
    "user.idp_link.removed": (tx, event) => add(tx, event, () => "provider_link_removed"),
    "user.token.added": (tx, event) => add(tx, event, () => "personal_access_token_added"),
    "user.token.removed": (tx, event) => add(tx, event, () => "personal_access_token_removed"),
    "user.email.set": (tx, event) => add(tx, event, ({ email }) => changeOf(email, event.payload.email)),
    "user.changed": (tx, event) =>
      add(tx, event, ({ email, username }) => {
        const isRenamed = event.payload.username !== undefined && event.payload.username !== username;
        return changeOf(email, event.payload.email) ?? (isRenamed ? "username_changed" : undefined);
      }),
  },
};

interface UserRow {
  readonly username: string | null;
  readonly email: string;
  readonly creation_date: number;
  readonly resource_owner: OrganizationId;
  readonly hasPassword: boolean;
}

/** An address that the key of the user does not open any more is not there: then the user is being removed. */
function changeOf(former: string, now: string | undefined): SecurityChange | undefined {
  if (now === former) return undefined;
  return now === undefined || now === "" ? "email_removed" : "email_changed";
}

/** Adds a notice about a factor or passkey whose registration was completed: nobody has signed in with any other one. */
async function addOfReady(
  tx: WriteTransaction,
  event: RecordedEvent,
  [table, id, change]: readonly ["passkeys" | "second_factors", string, SecurityChange],
): Promise<void> {
  await add(tx, event, async () => {
    const found = await tx.get(`SELECT 1 FROM ${table} WHERE id = ? AND state = 'READY'`, [id]);
    return found === undefined ? undefined : change;
  });
}

/** Adds a notice of the change, if it needs one, for a user with notices switched on and a verified address. */
async function add(
  tx: WriteTransaction,
  { aggregateId: userId, sequence, date }: RecordedEvent,
  toChange: (before: UserRow) => SecurityChange | undefined | Promise<SecurityChange | undefined>,
): Promise<void> {
  const found = await tx.get<UserRow & { readonly password_date: number | null }>(
    `SELECT username, email, creation_date, resource_owner, password_date FROM stored_users
     WHERE id = ? AND kind = 'human' AND email IS NOT NULL AND is_email_verified = 1`,
    [userId],
  );
  if (found === undefined) return;
  const user = { ...found, hasPassword: found.password_date !== null };
  const change = await toChange(user);
  if (change === undefined) return;
  const before = {
    creationMs: toMs(user.creation_date),
    hasPassword: user.hasPassword,
    hasWayIn: user.hasPassword || (await hasOtherWayIn(tx, userId)),
  };
  if (!isToldOf(change, before, toMs(date)) || !(await isWanted(tx, userId, user.resource_owner))) return;
  await tx.run(
    "INSERT INTO security_notices (sequence, user_id, email, change, tries, next_ms) VALUES (?, ?, ?, ?, 0, 0)",
    [sequence, userId, user.email, change],
  );
}

function toMs(micros: number): number {
  return Math.floor(micros / 1000);
}

async function hasOtherWayIn(tx: ReadTransaction, userId: string): Promise<boolean> {
  const passkey = await tx.get("SELECT 1 FROM passkeys WHERE user_id = ? AND state = 'READY'", [userId]);
  return (
    passkey !== undefined ||
    (await tx.get("SELECT 1 FROM idp_links WHERE user_id = ?", [userId])) !== undefined
  );
}

/** By the policy of the user's organization; by the policy of the instance for a user with a role outside of the organization. */
async function isWanted(
  tx: ReadTransaction,
  userId: string,
  organizationId: OrganizationId,
): Promise<boolean> {
  const isOutside = holdsOutside(await listHeldRoles(tx, userId), organizationId);
  const policy = await readLoginPolicy(tx, isOutside ? undefined : organizationId);
  return policy.notifySecurityChanges;
}

/** Removes all notices for a user. */
export async function removeNoticesOf(tx: WriteTransaction, userId: string): Promise<void> {
  await tx.run("DELETE FROM security_notices WHERE user_id = ?", [userId]);
}

/** Finds the instant from which on a try may begin, for any notice. Undefined: there is none. */
export async function findNextSecurityNoticeMs(tx: ReadTransaction): Promise<number | undefined> {
  const row = await tx.get<{ next: number | null }>("SELECT MIN(next_ms) AS next FROM security_notices");
  return row?.next ?? undefined;
}

/** How many due notices one look reads: more than a few addressees have, even if somebody makes many changes. */
const lookedAt = 500;

/** Lists the users with a notice that is due, the one that has waited longest first: at most `limit`. */
export async function listDueAddressees(
  tx: ReadTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<readonly Addressee[]> {
  const rows = await tx.all<{ user_id: string; email: string }>(
    "SELECT user_id, email FROM security_notices WHERE next_ms <= ? ORDER BY next_ms, sequence LIMIT ?",
    [nowMs, lookedAt],
  );
  const found = new Map(
    rows.map(({ user_id: userId, email }) => [JSON.stringify([userId, email]), { userId, email }]),
  );
  return [...found.values()].slice(0, limit);
}

const ofAddressee = "user_id = ? AND email = ?";

/** Begins a try for all notices that are due for an addressee, which nobody else begins before `untilMs`. */
export async function claimSecurityNotices(
  tx: WriteTransaction,
  { userId, email }: Addressee,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): Promise<ClaimedNotices | undefined> {
  const claimed = await tx.change(
    `UPDATE security_notices SET tries = tries + 1, next_ms = ? WHERE ${ofAddressee} AND next_ms <= ?`,
    [untilMs, userId, email, nowMs],
  );
  if (claimed === 0) return undefined;
  const notices = await tx.all<SecurityNotice>(
    `SELECT sequence, change FROM security_notices WHERE ${ofAddressee} AND next_ms = ? ORDER BY sequence LIMIT ?`,
    [userId, email, untilMs, listedInMail],
  );
  return { userId, email, notices, more: claimed - notices.length, untilMs };
}

/** Gives back a claim for which nothing was sent: no try has begun, and none begins before `nextMs`. */
export async function giveBackNotices(
  tx: WriteTransaction,
  { userId, email, untilMs }: ClaimedNotices,
  nextMs: number,
): Promise<void> {
  await tx.run(
    `UPDATE security_notices SET tries = tries - 1, next_ms = ? WHERE ${ofAddressee} AND next_ms = ?`,
    [nextMs, userId, email, untilMs],
  );
}

/** Removes the notices that are due for an addressee although all of their tries have begun. Returns how many. */
export async function removeSpentNotices(
  tx: WriteTransaction,
  { userId, email }: Addressee,
  nowMs: number,
): Promise<number> {
  return await tx.change(
    `DELETE FROM security_notices WHERE ${ofAddressee} AND next_ms <= ? AND tries >= ?`,
    [userId, email, nowMs, noticeTries],
  );
}

/** Removes claimed notices; nothing if the claim was taken over. */
export async function removeClaimedNotices(
  tx: WriteTransaction,
  { userId, email, untilMs }: ClaimedNotices,
): Promise<void> {
  await tx.run(`DELETE FROM security_notices WHERE ${ofAddressee} AND next_ms = ?`, [userId, email, untilMs]);
}

/** Returns the fewest tries that have begun for any of the claimed notices. Undefined: the claim was taken over. */
export async function findFewestTries(
  tx: ReadTransaction,
  { userId, email, untilMs }: ClaimedNotices,
): Promise<number | undefined> {
  const row = await tx.get<{ fewest: number | null }>(
    `SELECT MIN(tries) AS fewest FROM security_notices WHERE ${ofAddressee} AND next_ms = ?`,
    [userId, email, untilMs],
  );
  return row?.fewest ?? undefined;
}

/** Lets the next try of claimed notices begin at an instant; nothing happens if the claim was taken over. */
export async function postponeClaimedNotices(
  tx: WriteTransaction,
  { userId, email, untilMs }: ClaimedNotices,
  nextMs: number,
): Promise<void> {
  await tx.run(`UPDATE security_notices SET next_ms = ? WHERE ${ofAddressee} AND next_ms = ?`, [
    nextMs,
    userId,
    email,
    untilMs,
  ]);
}

/** Deletes at most `limit` notices: those of a service that sends no mails. Returns how many. */
export async function deleteSecurityNotices(
  tx: WriteTransaction,
  { limit }: { readonly limit: number },
): Promise<number> {
  return await tx.change(
    "DELETE FROM security_notices WHERE sequence IN (SELECT sequence FROM security_notices ORDER BY sequence LIMIT ?)",
    [limit],
  );
}
