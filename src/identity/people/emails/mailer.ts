import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { MailProvider } from "../../../kernel/base/message-providers.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Secret } from "../../../kernel/base/secret.ts";
import { readMailBrand, wearBrand } from "../../branding/mail-brand.ts";
import type { FeatureContext } from "../../context.ts";
import { codeLifetimesMs, dayMs, invitationLifetimeMs } from "../codes/code.ts";
import { type CountedMessage, createMessageSender, type FailedMessage } from "../messages/commands.ts";
import { createDeliveryQueue, type DeliveryBounds, deliveryBounds } from "../messages/delivery-queue.ts";
import type { MessagePurpose } from "../messages/message.ts";
import type { HumanUser } from "../user/user.ts";
import { type Language, languageOf } from "../../texts/languages.ts";
import { readLanguageOf } from "../../texts/repository.ts";
import { toMailTexts } from "../../texts/mail-texts.ts";
import type { MailText } from "./mail-text.ts";

/** The delivery of mails. */
export interface MailDelivery {
  /** Undefined: nothing can be mailed. */
  readonly provider: MailProvider | undefined;
  /** Maximum number of mails to users of one organization in 24 hours. Default 10,000. */
  readonly maxPerOrganization?: number;
  /** Maximum number of invitations to users of one organization in 24 hours, which are counted apart. Default 200. */
  readonly maxInvitationsPerOrganization?: number;
  /** Returns where images of a branding are; undefined, or absent: nowhere. */
  readonly issuer?: () => string | undefined;
  /** Called for every mail that was not delivered. */
  readonly onFailure: (failure: FailedMessage) => void;
  /** Default: `deliveryBounds`. */
  readonly bounds?: DeliveryBounds;
}

/** What a mail carries. */
export type MailContent =
  | { readonly kind: "verification"; readonly code: Secret }
  /** `link` has the code in it. */
  | { readonly kind: "password"; readonly code: Secret; readonly link: Secret }
  | {
      readonly kind: "invitation";
      readonly code: Secret;
      readonly link: Secret;
      readonly organization: string;
      /** Undefined: none is named. */
      readonly application: string | undefined;
    };

/** Mails codes to users, in the language that they prefer. */
export interface Mailer {
  /** Whether anything can be mailed. */
  readonly isConfigured: boolean;
  /**
   * Counts a mail in the write that makes its code: one in 30 seconds per user, 10 in 24 hours per user and per address; of
   * invitations 3, which are counted apart. `email` is the address of the user after that write. Raises MAIL_NOT_CONFIGURED,
   * RATE_LIMITED, OVERLOADED.
   */
  count(
    tx: WriteTransaction,
    mail: {
      readonly user: HumanUser;
      readonly email: string;
      readonly content: MailContent;
      /**
       * Counted apart: 3 in 24 hours per address, and a tenth of the emails of the organization: strangers must not use up the
       * others.
       */
      readonly isRegistration?: boolean | undefined;
    },
  ): Promise<CountedMessage>;
  /** Starts the delivery once that write is durable, and does not wait for it. */
  start(requestId: string, mail: CountedMessage): void;
  /** Raises OVERLOADED when no more mails are taken at this moment. */
  requireRoom(): void;
  /** Resolves when no mail is being delivered. */
  idle(): Promise<void>;
}

/** How many mails go to users of one organization in 24 hours, unless the operator says otherwise. */
export const defaultMaxPerOrganization = 10_000;

const defaultMaxInvitations = 200;

/** Creates the mailer. A process has one, so that its end can wait for all mails. */
export function createMailer(context: FeatureContext, delivery: MailDelivery): Mailer {
  const { provider, issuer, maxPerOrganization = defaultMaxPerOrganization, onFailure } = delivery;
  const { maxInvitationsPerOrganization = defaultMaxInvitations } = delivery;
  const queue = createDeliveryQueue(delivery.bounds ?? deliveryBounds);
  const sender = createMessageSender(context, { channel: "mail", maxPerOrganization, onFailure, queue });
  const registrations = createMessageSender(context, {
    channel: "registration-mail",
    maxPerOrganization: Math.ceil(maxPerOrganization / 10),
    onFailure,
    queue,
  });
  const invitations = createMessageSender(context, {
    channel: "invitation-mail",
    maxPerOrganization: maxInvitationsPerOrganization,
    onFailure,
    queue,
  });
  const senderOf = (kind: MailContent["kind"], isRegistration: boolean) =>
    kind === "invitation" ? invitations : isRegistration ? registrations : sender;
  return {
    isConfigured: provider !== undefined,
    async count(tx, { user, email, content, isRegistration = false }) {
      if (provider === undefined) throw mailNotConfigured();
      const { code } = content;
      const language = await readLanguageOf(tx, languageOf(user), user);
      const look = await readMailBrand(tx, user.details.resourceOwner, issuer?.());
      return await senderOf(content.kind, isRegistration).count(tx, {
        user,
        address: email.toLowerCase(),
        code,
        purpose: purposes[content.kind],
        hidden: [email, email.toLowerCase()].map((text) => ({ text, name: "address" })),
        send: () => provider.send({ to: email, ...wearBrand(toText(language, content), look, language) }),
      });
    },
    start: sender.start,
    requireRoom: queue.requireRoom,
    idle: queue.idle,
  };
}

/** Returns the problem of a service that has no mail provider. */
function mailNotConfigured(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "MAIL_NOT_CONFIGURED",
    message:
      "this service cannot send emails; use return_code, or ask the operator to configure a mail provider",
  });
}

const purposes = {
  verification: "verification",
  password: "password_reset",
  invitation: "invitation",
} as const satisfies Record<MailContent["kind"], MessagePurpose>;

function toText({ words }: Language, content: MailContent): MailText {
  const { verification, password, invitation, applicationInvitation } = toMailTexts<"mails">(words.mails);
  switch (content.kind) {
    case "verification": {
      const values = { code: content.code.reveal(), minutes: codeLifetimesMs.email / 60_000 };
      return { subject: verification.subject, text: `${verification.text(values)}\n` };
    }
    case "password": {
      const values = { link: content.link.reveal(), minutes: codeLifetimesMs.reset / 60_000 };
      return { subject: password.subject, text: `${password.text(values)}\n` };
    }
    case "invitation": {
      const link = content.link.reveal();
      const organization = withoutLinks(content.organization);
      const values = { link, organization, days: invitationLifetimeMs / dayMs };
      if (content.application === undefined)
        return { subject: invitation.subject(values), text: `${invitation.text(values)}\n` };
      const named = { ...values, application: withoutLinks(content.application) };
      const { subject, text } = applicationInvitation;
      return { subject: subject(named), text: `${text(named)}\n` };
    }
  }
}

/**
 * Puts a space behind what makes a name look like an address. An administrator who invites a stranger must not choose a link for
 * them to follow, and mail programs make one of every address.
 */
function withoutLinks(name: string): string {
  return name.replaceAll(/[.:/@](?=\S)/gu, "$& ");
}
