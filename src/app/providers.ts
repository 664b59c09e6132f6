import type { Logger } from "pino";
import type { Clock } from "../kernel/base/clock.ts";
import type { Random } from "../kernel/base/random.ts";
import type { Tracing } from "../kernel/base/tracing/tracing.ts";
import type { MailProvider, SmsProvider } from "../kernel/base/message-providers.ts";
import type { Config } from "../config/config.ts";
import type { MailDelivery } from "../identity/people/emails/mailer.ts";
import type { FailedMessage } from "../identity/people/messages/commands.ts";
import type { SmsDelivery } from "../identity/people/phones/texter.ts";
import { createOutbox } from "../kernel/outbound/outbox.ts";
import { createSmtp } from "../kernel/outbound/smtp.ts";
import { createTwilio } from "../kernel/outbound/twilio.ts";
import { createWebhook } from "../kernel/outbound/webhook.ts";
import type { DataFolder } from "../kernel/storage/data-folder.ts";

/** What providers are made with. */
export interface ProvidersSetup {
  /** Where an outbox is. */
  readonly folder: DataFolder;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Take all messages, whatever the options name; absent in any service but an emulator. */
  readonly messages?: { readonly mail: MailProvider; readonly sms: SmsProvider } | undefined;
  readonly tracing: Tracing | undefined;
}

/** Makes the delivery of SMS that the options name. */
export function createSmsDelivery({ sms, limits }: Config, setup: ProvidersSetup): SmsDelivery {
  return {
    provider: setup.messages?.sms ?? toSmsProvider(sms, setup),
    maxPerOrganization: limits.smsPerOrganization,
    onFailure: reportTo(setup, "sms.not_delivered"),
  };
}

/** Makes the delivery of mails that the options name. */
export function createMailDelivery({ mail, limits }: Config, setup: ProvidersSetup): MailDelivery {
  return {
    provider: setup.messages?.mail ?? toMailProvider(mail, setup),
    maxPerOrganization: limits.mailPerOrganization,
    maxInvitationsPerOrganization: limits.invitationsPerOrganization,
    onFailure: reportTo(setup, "mail.not_delivered"),
  };
}

function toSmsProvider(
  config: Config["sms"],
  { folder, clock, random, tracing }: ProvidersSetup,
): SmsProvider | undefined {
  switch (config.kind) {
    case "none":
      return undefined;
    case "outbox":
      return createOutbox({ file: folder.smsOutbox, clock });
    case "webhook":
      return createWebhook({ ...config, name: "the SMS webhook", clock, random, tracing });
    case "twilio":
      return createTwilio({ ...config, tracing });
  }
}

function toMailProvider(
  config: Config["mail"],
  { folder, clock, random, tracing }: ProvidersSetup,
): MailProvider | undefined {
  switch (config.kind) {
    case "none":
      return undefined;
    case "outbox":
      return createOutbox({ file: folder.mailOutbox, clock });
    case "webhook":
      return createWebhook({ ...config, name: "the mail webhook", clock, random, tracing });
    case "smtp":
      return createSmtp({ ...config, clock, tracing });
  }
}

function reportTo({ logger }: ProvidersSetup, event: string): (failure: FailedMessage) => void {
  return ({ userId, requestId, detail }) =>
    logger.warn({ user_id: userId, request_id: requestId, detail }, event);
}
