import { urlViolation } from "../kernel/base/url.ts";
import { ConfigError } from "./config-error.ts";
import { environmentNameOf } from "./option.ts";
import { type OptionName, optionDefinitions } from "./options.ts";
import type { ValueOf } from "./values.ts";

/** What decides whether messages may go to a file. */
export interface OutboxRules {
  readonly isLocal: boolean;
  /** False: several processes may serve, so that no file of one of them holds all messages. */
  readonly hasOutbox: boolean;
}

/** Returns a function that reads an option which the chosen provider needs. It throws ConfigError without a value. */
export function needOf(text: ValueOf, provider: "sms-provider" | "mail-provider"): ValueOf {
  return (name) => {
    const value = text(name);
    if (value === "")
      throw new ConfigError(`--${provider} ${text(provider)} needs ${environmentNameOf(name)}`);
    return value;
  };
}

/** Throws ConfigError where several processes may serve. */
export function requireOutbox(
  provider: "sms-provider" | "mail-provider",
  { hasOutbox }: OutboxRules,
): { readonly kind: "outbox" } {
  if (!hasOutbox) {
    throw new ConfigError(
      `--${provider} outbox writes to a file of one process; with --database it needs --dev`,
    );
  }
  return { kind: "outbox" };
}

/**
 * Refuses provider settings without a chosen provider: otherwise users who get no codes would be the first to notice. `pattern`
 * matches the names of such options, and its group is the provider. Throws ConfigError.
 */
export function refuseUnused(
  text: ValueOf,
  provider: "sms-provider" | "mail-provider",
  pattern: RegExp,
): void {
  for (const { name } of optionDefinitions) {
    const [, needed] = pattern.exec(name) ?? [];
    if (needed !== undefined && text(name) !== "")
      throw new ConfigError(`${environmentNameOf(name)} has no effect without --${provider} ${needed}`);
  }
}

/** Parses the URL of a webhook. Throws ConfigError. */
export function parseWebhookUrl(name: OptionName, value: string): string {
  const violation = urlViolation(value, { allowQuery: true });
  if (violation !== undefined) throw new ConfigError(`--${name} ${violation}`);
  return new URL(value).href;
}
