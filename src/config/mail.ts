import { isEmailAddress } from "../kernel/base/message-providers.ts";
import { Secret } from "../kernel/base/secret.ts";
import { hasLoopbackHost, hostViolation } from "../kernel/base/url.ts";
import { ConfigError } from "./config-error.ts";
import { environmentNameOf } from "./option.ts";
import { needOf, type OutboxRules, parseWebhookUrl, refuseUnused, requireOutbox } from "./providers.ts";
import type { Flags, ValueOf } from "./values.ts";

/** How mails are delivered. Without a provider, a code can only be returned to the caller who asked for it. */
export type MailConfig =
  | { readonly kind: "none" }
  | { readonly kind: "outbox" }
  | { readonly kind: "webhook"; readonly url: string; readonly secret: Secret }
  | ({ readonly kind: "smtp" } & SmtpConfig);

/** A server that takes mails. */
export interface SmtpConfig {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
  /**
   * `tls` from the first byte; `starttls`: a server that does not offer it gets nothing; `none` on loopback only, whose connections
   * nobody else can read.
   */
  readonly security: "tls" | "starttls" | "none";
  /** Undefined: the server asks for none. */
  readonly credentials: { readonly user: string; readonly password: Secret } | undefined;
  readonly from: Sender;
}

/** The sender of mails. */
export interface Sender {
  /** Empty for an address alone. */
  readonly name: string;
  readonly address: string;
}

/** Reads how mails are delivered. Throws ConfigError. */
export function parseMail(text: ValueOf, flags: Flags, rules: OutboxRules): MailConfig {
  const need = needOf(text, "mail-provider");
  switch (text("mail-provider")) {
    case "outbox":
      return requireOutbox("mail-provider", rules);
    case "webhook":
      return {
        kind: "webhook",
        url: parseWebhookUrl("mail-webhook-url", need("mail-webhook-url")),
        secret: new Secret(need("mail-webhook-secret")),
      };
    case "smtp":
      if (flags["smtp-url"] !== undefined && /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/i.test(text("smtp-url"))) {
        throw new ConfigError(
          `--smtp-url must not contain the password, because others can read a command line; set ${environmentNameOf("smtp-password")}`,
        );
      }
      return {
        kind: "smtp",
        ...parseSmtpUrl(need("smtp-url"), text("smtp-password")),
        from: parseSender(need("smtp-from")),
      };
    default:
      refuseUnused(text, "mail-provider", /^(?:mail-)?(webhook|smtp)-/);
      return { kind: rules.isLocal ? "outbox" : "none" };
  }
}

/** The URL is in no message: it may hold the password. */
function parseSmtpUrl(value: string, password: string): Omit<SmtpConfig, "from"> {
  const parts = /^smtps?:\/\/(?<authority>[^/?#\s]+)\/?$/i.exec(value);
  // As https, because the parser leaves hosts of other schemes as they are.
  const url = URL.parse(`https://${parts?.groups?.["authority"] ?? ""}/`);
  if (parts === null || url === null || hostViolation(url) !== undefined) throw smtpUrlInvalid();
  const isTls = value.toLowerCase().startsWith("smtps:");
  const port = Number(/:(?<port>\d+)\/?$/.exec(value)?.groups?.["port"] ?? (isTls ? 465 : 587));
  const security = hasLoopbackHost(url) ? "none" : "starttls";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port,
    security: isTls ? "tls" : security,
    credentials: toCredentials(url, password),
  };
}

function toCredentials(url: URL, option: string): SmtpConfig["credentials"] {
  const [user, inUrl] = [url.username, url.password].map(decode);
  const password = option === "" ? (inUrl ?? "") : option;
  if (user === undefined || inUrl === undefined) throw smtpUrlInvalid();
  if (inUrl !== "" && option !== "") {
    throw new ConfigError(
      `the password is in ${environmentNameOf("smtp-url")} and in ${environmentNameOf("smtp-password")}; give it once`,
    );
  }
  if ((user === "") !== (password === "")) {
    throw new ConfigError(
      `--smtp-url needs a user and a password, or neither: smtp://user@mail.example.com and ${environmentNameOf("smtp-password")}`,
    );
  }
  return user === "" ? undefined : { user, password: new Secret(password) };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function smtpUrlInvalid(): ConfigError {
  return new ConfigError(
    "--smtp-url must be of the form smtp://user@host:port or smtps://user@host:port, without a path; special characters of user and password are written as in URLs",
  );
}

function parseSender(value: string): Sender {
  const parts = /^(?:(?<name>[^<>"\p{C}]{0,100})<(?<inside>[^<>]*)>|(?<alone>[^<>]*))$/u.exec(value);
  const address = parts?.groups?.["inside"] ?? parts?.groups?.["alone"] ?? "";
  if (!isEmailAddress(address)) {
    throw new ConfigError(
      "--smtp-from must be an address such as no-reply@example.com or Example <no-reply@example.com>",
    );
  }
  return { name: parts?.groups?.["name"]?.trim() ?? "", address };
}
