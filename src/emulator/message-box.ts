import type { Clock } from "../kernel/base/clock.ts";
import type { MailProvider, SmsProvider } from "../kernel/base/message-providers.ts";

/** A message that was sent. */
export interface SentMessage {
  readonly id: string;
  readonly kind: "EMAIL" | "SMS";
  readonly recipient: string;
  /** Empty for a text message. */
  readonly subject: string;
  readonly text: string;
  /** Empty if there is no such part. */
  readonly html: string;
  readonly dateMs: number;
}

/** Which messages are looked for. */
export interface MessageFilter {
  /** Empty: messages to anybody. */
  readonly recipient: string;
  /** Undefined: both kinds. */
  readonly kind: SentMessage["kind"] | undefined;
  readonly limit: number;
}

/** Keeps all messages instead of sending them. */
export interface MessageBox {
  readonly mail: MailProvider;
  readonly sms: SmsProvider;
  /** Lists messages, newest first. */
  list(filter: MessageFilter): readonly SentMessage[];
  /** Resolves when another message has come, or the signal is aborted. */
  another(signal: AbortSignal): Promise<void>;
  clear(): void;
}

const maxKept = 1000;

/** Creates an empty box, which keeps the last thousand messages. */
export function createMessageBox(clock: Clock): MessageBox {
  let kept: SentMessage[] = [];
  let count = 0;
  const waiting = new Set<() => void>();
  const keep = (message: Pick<SentMessage, "kind" | "recipient" | "text"> & Partial<SentMessage>) => {
    count += 1;
    kept = [{ subject: "", html: "", ...message, id: String(count), dateMs: clock.nowMs() }, ...kept].slice(
      0,
      maxKept,
    );
    for (const wake of waiting) wake();
  };
  return {
    mail: {
      async send({ to, subject, text, html = "" }) {
        keep({ kind: "EMAIL", recipient: to, subject, text, html });
      },
    },
    sms: {
      async send({ to, text }) {
        keep({ kind: "SMS", recipient: to, text });
      },
    },
    list({ recipient, kind, limit }) {
      const folded = recipient.toLowerCase();
      const isMeant = (message: SentMessage) =>
        (folded === "" || message.recipient.toLowerCase() === folded) &&
        (kind === undefined || message.kind === kind);
      return kept.filter(isMeant).slice(0, limit);
    },
    async another(signal) {
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener("abort", wake);
      });
    },
    clear() {
      kept = [];
    },
  };
}

/** Returns the URLs in a text, in their order. */
export function linksIn(text: string): readonly string[] {
  return text.match(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/g) ?? [];
}

/** Returns the code in a text that somebody is to type, in one of the forms of `identity/people/codes`; empty if there is none. */
export function codeIn(text: string): string {
  const rest = linksIn(text).reduce((left, link) => left.replace(link, ""), text);
  return /\b(?:[0-9]{8}|[A-Z2-7]{20})\b/.exec(rest)?.[0] ?? "";
}
