import type { OptionDefinition } from "./option.ts";

/** The options of what SMS and emails go out with; a part of the table of options. */
export const messageOptions = [
  {
    name: "sms-provider",
    kind: "text",
    value: "name",
    default: "",
    choices: ["", "outbox", "webhook", "twilio"],
    description:
      "How codes are delivered to phones: outbox writes them to sms.jsonl. Without a provider none are sent. Default in local mode: outbox.",
  },
  {
    name: "sms-per-organization",
    kind: "integer",
    value: "messages",
    default: "1000",
    min: 1,
    max: 10_000_000,
    description:
      "Maximum number of messages to the users of one organization in 24 hours. Users and phone numbers have limits of their own.",
  },
  {
    name: "sms-webhook-url",
    kind: "text",
    value: "url",
    default: "",
    description: "URL that receives each message as a signed POST.",
  },
  {
    name: "sms-webhook-secret",
    kind: "text",
    value: "secret",
    default: "",
    isSecret: true,
    description:
      "Key of the HMAC-SHA256 signatures in the headers x-gatehouse-signature and webhook-signature.",
  },
  { name: "twilio-account-sid", kind: "text", value: "sid", default: "", description: "Twilio account SID." },
  {
    name: "twilio-auth-token",
    kind: "text",
    value: "secret",
    default: "",
    isSecret: true,
    description: "Twilio auth token.",
  },
  {
    name: "twilio-from",
    kind: "text",
    value: "number",
    default: "",
    description: "Sender: a phone number (E.164) or the SID of a messaging service (MG…).",
  },
  {
    name: "mail-provider",
    kind: "text",
    value: "name",
    default: "",
    choices: ["", "outbox", "webhook", "smtp"],
    description:
      "How emails are delivered: outbox writes them to mail.jsonl. Without a provider no emails are sent. Default in local mode: outbox.",
  },
  {
    name: "mail-per-organization",
    kind: "integer",
    value: "messages",
    default: "10000",
    min: 1,
    max: 10_000_000,
    description:
      "Maximum number of emails to the users of one organization in 24 hours. Users and addresses have limits of their own.",
  },
  {
    name: "invitations-per-organization",
    kind: "integer",
    value: "messages",
    default: "200",
    min: 1,
    max: 10_000_000,
    description:
      "Maximum number of invitations to the users of one organization in 24 hours. They do not count as other emails. An address gets at most 3 in 24 hours.",
  },
  {
    name: "mail-webhook-url",
    kind: "text",
    value: "url",
    default: "",
    description: "URL that receives each email as a signed POST.",
  },
  {
    name: "mail-webhook-secret",
    kind: "text",
    value: "secret",
    default: "",
    isSecret: true,
    description:
      "Key of the HMAC-SHA256 signatures of emails in the headers x-gatehouse-signature and webhook-signature.",
  },
  {
    name: "smtp-url",
    kind: "text",
    value: "url",
    default: "",
    description:
      "SMTP server: smtp://user@host:port, which must offer STARTTLS unless it is on loopback, or smtps://user@host:port for TLS. Default ports: 587 and 465. A flag with a password is refused.",
  },
  {
    name: "smtp-password",
    kind: "text",
    value: "secret",
    default: "",
    isSecret: true,
    description: "Password of the user in smtp-url.",
  },
  {
    name: "smtp-from",
    kind: "text",
    value: "address",
    default: "",
    description: "Sender of emails: an address, or a name and an address: Example <no-reply@example.com>.",
  },
] as const satisfies readonly OptionDefinition[];
