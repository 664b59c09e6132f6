import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { SmsProvider } from "../../../kernel/base/message-providers.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import type { FeatureContext } from "../../context.ts";
import { type CountedMessage, createMessageSender, type FailedMessage } from "../messages/commands.ts";
import { createDeliveryQueue, deliveryBounds } from "../messages/delivery-queue.ts";
import type { HumanUser } from "../user/user.ts";
import { languageOf } from "../../texts/languages.ts";
import { readLanguageOf } from "../../texts/repository.ts";
import { smsNotConfigured, smsText } from "./phone.ts";

/** The delivery of messages. */
export interface SmsDelivery {
  /** Undefined: codes cannot be sent. */
  readonly provider: SmsProvider | undefined;
  /** Maximum number of messages to users of one organization in 24 hours. Default 1,000. */
  readonly maxPerOrganization?: number;
  /** Called for every message that was not delivered. */
  readonly onFailure: (failure: FailedMessage) => void;
}

/** Sends codes to phones, as the mailer mails them, in the language that their user prefers. */
export interface Texter {
  /** Whether anything can be sent. */
  readonly isConfigured: boolean;
  /** Counts a message in the write that makes its code. Raises SMS_NOT_CONFIGURED, RATE_LIMITED, OVERLOADED. */
  count(
    tx: WriteTransaction,
    message: { readonly user: HumanUser; readonly phone: string; readonly code: Secret },
  ): Promise<CountedMessage>;
  /** Starts the delivery once that write is durable, and does not wait for it. */
  start(requestId: string, message: CountedMessage): void;
  /** Resolves when no message is being delivered. */
  idle(): Promise<void>;
}

const defaultMaxPerOrganization = 1000;

/** Creates the texter. A process has one, so that its end can wait for all messages. */
export function createTexter(context: FeatureContext, delivery: SmsDelivery): Texter {
  const { provider, maxPerOrganization = defaultMaxPerOrganization, onFailure } = delivery;
  const queue = createDeliveryQueue(deliveryBounds);
  const sender = createMessageSender(context, { channel: "sms", maxPerOrganization, onFailure, queue });
  return {
    isConfigured: provider !== undefined,
    async count(tx, { user, phone, code }) {
      if (provider === undefined) throw smsNotConfigured();
      const language = await readLanguageOf(tx, languageOf(user), user);
      return await sender.count(tx, {
        user,
        address: phone,
        code,
        purpose: "verification",
        hidden: [{ text: phone.slice(1), name: "number" }],
        send: () => provider.send({ to: phone, text: smsText(language, code.reveal()) }),
      });
    },
    start: sender.start,
    idle: queue.idle,
  };
}
