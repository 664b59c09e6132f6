import type { ReadTransaction, WriteTransaction } from "../../../base/database.ts";
import type { Keyring } from "../../../base/keyring.ts";
import type { OrganizationId, UserId } from "../../../base/ids.ts";
import type { Appliers } from "../../../events/event.ts";
import {
  findSecret,
  listSecrets,
  putSecret,
  removeSecret,
  removeSecretsOf,
} from "../../../events/secret-store.ts";
import { type HourlyCount, isPast, type PhoneCode, type SmsHistory } from "./phone.ts";

/** Appliers of the phone columns in the table of users; part of the projection of users. */
export const phoneAppliers: Appliers = {
  "user.phone.removed": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_users SET phone = NULL, is_phone_verified = 0, sequence = ? WHERE id = ?", [
      date,
      aggregateId,
    ]);
  },
  "user.phone.set": async (tx, { aggregateId, date, payload }) => {
    await tx.run("UPDATE stored_users SET phone = ?, is_phone_verified = 0, sequence = ? WHERE id = ?", [
      payload.phone ?? null,
      date,
      aggregateId,
    ]);
  },
  "user.phone.code.added": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_users SET sequence = ? WHERE id = ?", [date, aggregateId]);
  },
  "user.phone.verified": async (tx, { aggregateId, date }) => {
    await tx.run("UPDATE stored_users SET is_phone_verified = 1, sequence = ? WHERE id = ?", [
      date,
      aggregateId,
    ]);
  },
};

// Codes, wrong attempts and message counters are among the secrets, because the log must not hold them.

/** Returns the code that is pending for the user, or undefined. */
export async function findPhoneCode(tx: ReadTransaction, userId: UserId): Promise<PhoneCode | undefined> {
  const secret = await findSecret(tx, codeId(userId));
  if (secret === undefined) return undefined;
  const stored = JSON.parse(Buffer.from(secret.value).toString("utf8")) as StoredCode; // written by putPhoneCode
  const value = new Uint8Array(Buffer.from(stored.mac, "base64"));
  return {
    mac: { keyId: secret.keyId, value },
    expirationMs: stored.expirationMs,
    tries: stored.tries,
  };
}

/** Stores the code, replacing the previous one. */
export async function putPhoneCode(tx: WriteTransaction, userId: UserId, code: PhoneCode): Promise<void> {
  const stored: StoredCode = {
    mac: Buffer.from(code.mac.value).toString("base64"),
    expirationMs: code.expirationMs,
    tries: code.tries,
  };
  await putSecret(tx, codeId(userId), {
    keyId: code.mac.keyId,
    value: new Uint8Array(Buffer.from(JSON.stringify(stored))),
  });
}

/** Makes the pending code void; does nothing when there is none. */
export async function removePhoneCode(tx: WriteTransaction, userId: UserId): Promise<void> {
  await removeSecret(tx, codeId(userId));
}

/**
 * Destroys the codes and counters of removed users, whom the query names by `id`. The counters of their numbers stay for as
 * long as they count: they hold no personal data, and without them new users could be used to send endless messages to a
 * number.
 */
export async function removePhoneSecretsOf(
  tx: WriteTransaction,
  users: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  for (const prefix of [codePrefix, triesPrefix, userRatePrefix]) await removeSecretsOf(tx, prefix, users);
}

/** Destroys the message counter of a removed organization. */
export async function removeOrganizationSms(tx: WriteTransaction, id: string): Promise<void> {
  await removeSecret(tx, `${organizationPrefix}${id}`);
}

/** Returns the instants of the user's wrong attempts, oldest first. */
export async function findWrongTries(tx: ReadTransaction, userId: UserId): Promise<readonly number[]> {
  return await findInstants(tx, triesId(userId));
}

/** Stores the instants of wrong codes of a user, which replace those that were stored. */
export async function putWrongTries(
  tx: WriteTransaction,
  userId: UserId,
  instants: readonly number[],
): Promise<void> {
  await putInstants(tx, triesId(userId), instants);
}

/** The ids of the counters of one user and one number. The id of the number is a keyed hash. */
export interface SmsCounters {
  readonly userId: UserId;
  readonly numberId: string;
}

/** Returns the counters of a user and a number in E.164. */
export function smsCountersOf(keyring: Keyring, userId: UserId, phone: string): SmsCounters {
  const hash = Buffer.from(keyring.mac("phone-number", phone).value).toString("hex");
  return { userId, numberId: `${numberRatePrefix}${hash}` };
}

/** Reads when messages went to the user and to the number; empty lists when none did. */
export async function findSmsHistory(tx: ReadTransaction, counters: SmsCounters): Promise<SmsHistory> {
  return {
    toUser: await findInstants(tx, rateId(counters.userId)),
    toNumber: await findInstants(tx, counters.numberId),
  };
}

/** Stores when messages went to the user and to the number, which replaces what was stored. */
export async function putSmsHistory(
  tx: WriteTransaction,
  counters: SmsCounters,
  history: SmsHistory,
): Promise<void> {
  await putInstants(tx, rateId(counters.userId), history.toUser);
  await putInstants(tx, counters.numberId, history.toNumber);
}

/** Returns the number of SMS to users of the organization by hour, oldest first. */
export async function findOrganizationSms(
  tx: ReadTransaction,
  id: OrganizationId,
): Promise<readonly HourlyCount[]> {
  const secret = await findSecret(tx, organizationId(id));
  // Written by putOrganizationSms.
  return secret === undefined
    ? []
    : (JSON.parse(Buffer.from(secret.value).toString("utf8")) as HourlyCount[]);
}

/** Stores how many messages the organization has sent by the hour, which replaces what was stored. */
export async function putOrganizationSms(
  tx: WriteTransaction,
  id: OrganizationId,
  counts: readonly HourlyCount[],
): Promise<void> {
  await putSecret(tx, organizationId(id), {
    keyId: "",
    value: new Uint8Array(Buffer.from(JSON.stringify(counts))),
  });
}

/**
 * Destroys some expired counters: those that follow the given ones in the order of ids, starting over after the last.
 * Each message removes more counters than it adds, so none is left behind.
 */
export async function removePastCounters(
  tx: WriteTransaction,
  counters: SmsCounters,
  nowMs: number,
): Promise<void> {
  const ids = [rateId(counters.userId), counters.numberId, triesId(counters.userId)];
  for (const [at, prefix] of [userRatePrefix, numberRatePrefix, triesPrefix].entries()) {
    const behind = await listSecrets(tx, { prefix, after: ids[at] ?? prefix, limit: countersLookedAt });
    const isEnd = behind.length < countersLookedAt;
    const first = isEnd ? await listSecrets(tx, { prefix, after: prefix, limit: countersLookedAt }) : [];
    for (const { id, value } of [...behind, ...first]) {
      const instants = JSON.parse(Buffer.from(value).toString("utf8")) as number[]; // written by putInstants
      if (isPast(instants, nowMs)) await removeSecret(tx, id);
    }
  }
}

const countersLookedAt = 5;
const codePrefix = "phone-code:";
const userRatePrefix = "sms-rate:user:";
const numberRatePrefix = "sms-rate:number:";
const triesPrefix = "phone-tries:";
const organizationPrefix = "sms-rate:organization:";

interface StoredCode {
  readonly mac: string;
  readonly expirationMs: number;
  readonly tries: number;
}

function codeId(userId: UserId): string {
  return `${codePrefix}${userId}`;
}

function triesId(userId: UserId): string {
  return `${triesPrefix}${userId}`;
}

function rateId(userId: UserId): string {
  return `${userRatePrefix}${userId}`;
}

function organizationId(id: OrganizationId): string {
  return `${organizationPrefix}${id}`;
}

async function findInstants(tx: ReadTransaction, id: string): Promise<readonly number[]> {
  const secret = await findSecret(tx, id);
  return secret === undefined ? [] : (JSON.parse(Buffer.from(secret.value).toString("utf8")) as number[]); // written by putInstants
}

async function putInstants(tx: WriteTransaction, id: string, instants: readonly number[]): Promise<void> {
  if (instants.length === 0) await removeSecret(tx, id);
  else
    await putSecret(tx, id, {
      keyId: "",
      value: new Uint8Array(Buffer.from(JSON.stringify(instants))),
    });
}
