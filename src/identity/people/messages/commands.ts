import type { Origin } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { findUserById } from "../user/repository.ts";
import type { HumanUser } from "../user/user.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import {
  countMessage,
  countOrganizationMessage,
  failDelivery,
  liftPause,
  type MessageChannel,
  type MessagePurpose,
} from "./message.ts";
import {
  countersOf,
  findHistory,
  findOrganizationCounts,
  type MessageCounters,
  putHistory,
  putOrganizationCounts,
  removePastCounters,
} from "./repository.ts";

/** A message that was not delivered. */
export interface FailedMessage {
  readonly userId: string;
  readonly requestId: string;
  /** Contains neither the code nor the address. */
  readonly detail: string;
}

/** How the messages of a channel go out. */
export interface MessageOptions {
  readonly channel: MessageChannel;
  /** Maximum number of messages to users of one organization in 24 hours. */
  readonly maxPerOrganization: number;
  /** Called for every message that was not delivered. */
  readonly onFailure: (failure: FailedMessage) => void;
  /** That of the provider, which channels may share. */
  readonly queue: DeliveryQueue;
}

/** A message with a code. */
export interface Message {
  readonly user: HumanUser;
  /**
   * The user or organization that it is counted for: a phone number or an email address, in the one form that all its spellings
   * have.
   */
  readonly address: string;
  readonly code: Secret;
  readonly purpose: MessagePurpose;
  /** What an error of the provider might say of the address, and what the log says instead. */
  readonly hidden: readonly { readonly text: string; readonly name: string }[];
  /** Hands the message to the provider. */
  readonly send: () => Promise<void>;
}

/** A message that was counted, and waits for the commit of the write that counted it. */
export interface CountedMessage extends Message {
  readonly counters: MessageCounters;
  readonly countedMs: number;
}

/** Sends the messages of a channel, within its limits. */
export interface MessageSender {
  /** Counts a message in the write of what it is about. Raises RATE_LIMITED; OVERLOADED while too many are being delivered. */
  count(tx: WriteTransaction, message: Message): Promise<CountedMessage>;
  /**
   * Starts the delivery after that write is durable, as soon as the queue comes to it, and does not wait for it: a slow provider must
   * not hold up the caller. If it fails, one write lifts the pause before the next message and records that it failed, unless the user is
   * gone by then.
   */
  start(requestId: string, message: CountedMessage): void;
}

/** Creates the sender of a channel. The clear code of a message is only in its memory. */
export function createMessageSender(context: FeatureContext, options: MessageOptions): MessageSender {
  return {
    count: (tx, message) => count(context, options, { tx, message }),
    start: (requestId, message) => options.queue.add(() => deliver(context, options, { requestId, message })),
  };
}

async function count(
  context: FeatureContext,
  { channel, maxPerOrganization, queue }: MessageOptions,
  { tx, message }: { readonly tx: WriteTransaction; readonly message: Message },
): Promise<CountedMessage> {
  queue.requireRoom();
  const { user, address } = message;
  return { ...message, ...(await countIn(tx, context, { channel, maxPerOrganization, user, address })) };
}

/** Counts a message against its user, its address and the organization. Raises RATE_LIMITED, having stored nothing. */
export async function countIn(
  tx: WriteTransaction,
  { keyring, clock }: Pick<FeatureContext, "keyring" | "clock">,
  {
    channel,
    maxPerOrganization,
    user,
    address,
  }: Pick<MessageOptions, "channel" | "maxPerOrganization"> & Pick<Message, "user" | "address">,
): Promise<Pick<CountedMessage, "counters" | "countedMs">> {
  const countedMs = clock.nowMs();
  const counters = countersOf(keyring, channel, { userId: user.id, address });
  const id = toId<OrganizationId>(user.details.resourceOwner);
  const before = await findOrganizationCounts(tx, channel, id);
  // Both are counted before anything is stored: a message that is refused leaves nothing.
  const history = countMessage(await findHistory(tx, counters), countedMs, channel);
  const counts = countOrganizationMessage(before, maxPerOrganization, countedMs);
  await putHistory(tx, counters, history);
  await putOrganizationCounts(tx, channel, { id, counts });
  await removePastCounters(tx, counters, countedMs);
  return { counters, countedMs };
}

async function deliver(
  { database, log }: FeatureContext,
  { channel, onFailure }: MessageOptions,
  { requestId, message }: { readonly requestId: string; readonly message: CountedMessage },
): Promise<void> {
  const { user, code, purpose, hidden, counters, countedMs } = message;
  const failed = (error: unknown) => {
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const detail = hidden.reduce(
      (said, { text: secret, name }) => said.replaceAll(secret, `[${name}]`),
      text.replaceAll(code.reveal(), "[code]"),
    );
    onFailure({ userId: user.id, requestId, detail });
  };
  const origin: Origin = { editor: "system", remoteAddress: undefined, requestId };
  const record = () =>
    database.write(async (tx) => {
      await putHistory(tx, counters, liftPause(await findHistory(tx, counters), countedMs));
      const found = await findUserById(tx, user.id);
      if (found !== undefined) await log.append(tx, origin, [failDelivery(found, { channel, purpose })]);
    });
  try {
    await message.send();
  } catch (error) {
    failed(error);
    await record().catch(failed);
  }
}
