import { accessSync, constants, lstatSync } from "node:fs";
import { dirname } from "node:path";
import { type Config, parseConfig } from "../../config/config.ts";
import { ConfigError } from "../../config/config-error.ts";
import { type Flags, processEnvironment } from "../../config/values.ts";
import type { Finding } from "../../kernel/storage/finding.ts";
import type { Place } from "../../kernel/storage/place.ts";

/**
 * Says what mails and SMS go out with, by the settings that this command got, whether an outbox can be written, and which passwords
 * are refused. Nothing is sent, and no provider is asked; messages that wait for one are only in the memory of the process that serves.
 */
export function checkOptions(flags: Flags, { folder }: Pick<Place, "folder">): readonly Finding[] {
  const config = readConfig(flags);
  if (config instanceof ConfigError)
    return [{ state: "FAILED", check: "settings", detail: `the settings are wrong: ${config.message}` }];
  return [
    { check: "mail", ...toWay(config.mail, folder.mailOutbox) },
    { check: "SMS", ...toWay(config.sms, folder.smsOutbox) },
    { check: "passwords", ...toRefused(config.breachedPasswords) },
  ];
}

type Way = Pick<Finding, "state" | "detail">;

/** Reads the settings that this command got; returns the fault if they are wrong. */
export function readConfig(flags: Flags): Config | ConfigError {
  try {
    return parseConfig(flags, processEnvironment());
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** Names hosts only: the rest of a URL may be secret. */
function toWay(config: Config["mail"] | Config["sms"], outbox: string): Way {
  switch (config.kind) {
    case "none":
      return ok("no provider is set, so codes are only returned to the callers who ask for them");
    case "outbox":
      return toOutboxWay(outbox);
    case "webhook":
      return ok(`sent to the webhook at ${new URL(config.url).host}`);
    case "smtp":
      return ok(`sent to the server ${config.host}, port ${config.port}, ${secured[config.security]}`);
    case "twilio":
      return ok("sent to Twilio");
  }
}

const secured = {
  tls: "with TLS",
  starttls: "with STARTTLS",
  none: "without TLS on this machine",
} as const;

/** The service makes a file that is not there, and follows no link. It may be another user who runs it. */
function toOutboxWay(file: string): Way {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile())
      return { state: "FAILED", detail: `${file} is no file, so messages are lost; move it away` };
    accessSync(found === undefined ? dirname(file) : file, constants.W_OK);
    return ok(`written to ${file}`);
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException; // of node:fs
    return { state: "warning", detail: `this user cannot write to ${file}: ${code}` };
  }
}

/** Whether the list is one was checked with the other settings. */
function toRefused(list: string | undefined): Way {
  return ok(
    list === undefined
      ? "no list of breached passwords is set (--breached-passwords), so only common ones are refused"
      : "common ones are refused, and those of the list of breached ones",
  );
}

function ok(detail: string): Way {
  return { state: "ok", detail };
}
