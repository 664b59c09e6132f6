import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { OrganizationId, UserId } from "../../../kernel/base/ids.ts";
import type { Keyring, KeyUse } from "../../../kernel/base/keyring.ts";
import {
  findSecret,
  listSecrets,
  putSecret,
  removeSecret,
  removeSecretsOf,
} from "../../../kernel/events/secret-store.ts";
import { findInstants, putInstants, triesPrefixOf } from "../codes/repository.ts";
import type { CodeKind } from "../codes/code.ts";
import { type HourlyCount, isPast, type MessageChannel, type MessageHistory } from "./message.ts";

// Message counters are among the secrets, because the log must not hold them.

/** What a channel calls its addresses in the ids of counters, what their hash is keyed with, and the codes that it carries. */
const channels = {
  sms: { address: "number", keyUse: "phone-number", codes: ["phone", "phone-factor"] },
  mail: { address: "address", keyUse: "email-address", codes: ["email", "reset", "email-factor"] },
  "registration-mail": { address: "address", keyUse: "email-address", codes: [] },
  "invitation-mail": { address: "address", keyUse: "email-address", codes: [] },
  "notice-mail": { address: "address", keyUse: "email-address", codes: [] },
} as const satisfies Record<
  MessageChannel,
  { readonly address: string; readonly keyUse: KeyUse; readonly codes: readonly CodeKind[] }
>;
const channelNames = Object.keys(channels) as MessageChannel[];

/**
 * Destroys the message counters of removed users, which the query names by `id`. The counters of their addresses stay for as long
 * as they count: they hold no personal data, and without them new users could be used to send endless messages to an address.
 */
export async function removeMessageCountersOf(
  tx: WriteTransaction,
  users: { readonly sql: string; readonly parameters: readonly string[] },
): Promise<void> {
  for (const channel of channelNames) await removeSecretsOf(tx, userPrefixOf(channel), users);
}

/** Destroys the message counters of a removed organization. */
export async function removeOrganizationCounters(tx: WriteTransaction, id: string): Promise<void> {
  for (const channel of channelNames) await removeSecret(tx, `${organizationPrefixOf(channel)}${id}`);
}

/** The counters of one user and one address. The id of the address is a keyed hash. */
export interface MessageCounters {
  readonly channel: MessageChannel;
  readonly userId: UserId;
  readonly addressId: string;
}

/** Returns the counters of a user and a phone number in E.164, or an email address in the form in which all its spellings are one. */
export function countersOf(
  keyring: Keyring,
  channel: MessageChannel,
  { userId, address }: { readonly userId: UserId; readonly address: string },
): MessageCounters {
  const hash = Buffer.from(keyring.mac(channels[channel].keyUse, address).value).toString("hex");
  return { channel, userId, addressId: `${addressPrefixOf(channel)}${hash}` };
}

/** Reads when messages went to the user and to the address; empty lists when none did. */
export async function findHistory(tx: ReadTransaction, counters: MessageCounters): Promise<MessageHistory> {
  return {
    toUser: await findInstants(tx, userCounterId(counters)),
    toAddress: await findInstants(tx, counters.addressId),
  };
}

/** Stores when messages went to the user and to the address, which replaces what was stored. */
export async function putHistory(
  tx: WriteTransaction,
  counters: MessageCounters,
  history: MessageHistory,
): Promise<void> {
  await putInstants(tx, userCounterId(counters), history.toUser);
  await putInstants(tx, counters.addressId, history.toAddress);
}

/** Returns the number of messages to users of the organization by hour, oldest first. */
export async function findOrganizationCounts(
  tx: ReadTransaction,
  channel: MessageChannel,
  id: OrganizationId,
): Promise<readonly HourlyCount[]> {
  const secret = await findSecret(tx, `${organizationPrefixOf(channel)}${id}`);
  // Written by putOrganizationCounts.
  return secret === undefined
    ? []
    : (JSON.parse(Buffer.from(secret.value).toString("utf8")) as HourlyCount[]);
}

/** Stores how many messages the organization has sent by the hour, which replaces what was stored. */
export async function putOrganizationCounts(
  tx: WriteTransaction,
  channel: MessageChannel,
  { id, counts }: { readonly id: OrganizationId; readonly counts: readonly HourlyCount[] },
): Promise<void> {
  await putSecret(tx, `${organizationPrefixOf(channel)}${id}`, {
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
  counters: MessageCounters,
  nowMs: number,
): Promise<void> {
  const { channel, userId, addressId } = counters;
  const triesPrefixes = channels[channel].codes.map(triesPrefixOf);
  const begun = [
    { prefix: userPrefixOf(channel), id: userCounterId(counters) },
    { prefix: addressPrefixOf(channel), id: addressId },
    ...triesPrefixes.map((prefix) => ({ prefix, id: `${prefix}${userId}` })),
  ];
  for (const { prefix, id } of begun) {
    const behind = await listSecrets(tx, { prefix, after: id, limit: countersLookedAt });
    const isEnd = behind.length < countersLookedAt;
    const first = isEnd ? await listSecrets(tx, { prefix, after: prefix, limit: countersLookedAt }) : [];
    for (const found of [...behind, ...first]) {
      const instants = JSON.parse(Buffer.from(found.value).toString("utf8")) as number[]; // written by putInstants
      if (isPast(instants, nowMs)) await removeSecret(tx, found.id);
    }
  }
}

const countersLookedAt = 5;

function userCounterId({ channel, userId }: MessageCounters): string {
  return `${userPrefixOf(channel)}${userId}`;
}

function userPrefixOf(channel: MessageChannel): string {
  return `${channel}-rate:user:`;
}

function addressPrefixOf(channel: MessageChannel): string {
  return `${channel}-rate:${channels[channel].address}:`;
}

function organizationPrefixOf(channel: MessageChannel): string {
  return `${channel}-rate:organization:`;
}
