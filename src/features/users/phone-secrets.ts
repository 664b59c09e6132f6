import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import type { Keyring } from "../../base/keyring.ts";
import type { UserId } from "../../base/ids.ts";
import { findSecret, putSecret, removeSecret } from "../../events/secret-store.ts";
import type { PhoneCode, SmsHistory } from "./phone.ts";

/** Codes, wrong tries and counters of messages. They lie among the secrets, because the log must not hold them. */

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

/** Stores the code in place of the one before. */
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

/** Returns the instants of the user's wrong tries, oldest first. */
export async function findWrongTries(tx: ReadTransaction, userId: UserId): Promise<readonly number[]> {
  return await findInstants(tx, triesId(userId));
}

export async function putWrongTries(
  tx: WriteTransaction,
  userId: UserId,
  instants: readonly number[],
): Promise<void> {
  await putInstants(tx, triesId(userId), instants);
}

/** Where the messages to one user and one number are counted. The id of the number is a keyed hash. */
export interface SmsCounters {
  readonly userId: UserId;
  readonly numberId: string;
}

/** Returns the counters of a user and a number in E.164. */
export function smsCountersOf(keyring: Keyring, userId: UserId, phone: string): SmsCounters {
  const hash = Buffer.from(keyring.mac("phone-number", phone).value).toString("hex");
  return { userId, numberId: `sms-rate:number:${hash}` };
}

export async function findSmsHistory(tx: ReadTransaction, counters: SmsCounters): Promise<SmsHistory> {
  return {
    toUser: await findInstants(tx, rateId(counters.userId)),
    toNumber: await findInstants(tx, counters.numberId),
  };
}

export async function putSmsHistory(
  tx: WriteTransaction,
  counters: SmsCounters,
  history: SmsHistory,
): Promise<void> {
  await putInstants(tx, rateId(counters.userId), history.toUser);
  await putInstants(tx, counters.numberId, history.toNumber);
}

interface StoredCode {
  readonly mac: string;
  readonly expirationMs: number;
  readonly tries: number;
}

function codeId(userId: UserId): string {
  return `phone-code:${userId}`;
}

function triesId(userId: UserId): string {
  return `phone-tries:${userId}`;
}

function rateId(userId: UserId): string {
  return `sms-rate:user:${userId}`;
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
