import { createHmac } from "node:crypto";
import type { Secret } from "../base/secret.ts";

/** A body that a receiver is to trust, as Standard Webhooks 1.0 describes it. */
export interface SignedBody {
  /** The same for all attempts of one message, so that a receiver can leave out one that it has seen: `msg_2KWPBgLlAfx`. */
  readonly id: string;
  /** When the attempt is made. A receiver refuses it some minutes later. */
  readonly nowMs: number;
  readonly body: string;
  /** At least one. While secrets change there are two, and either proves where the body comes from. */
  readonly secrets: readonly Secret[];
}

/**
 * Returns the headers `webhook-id`, `webhook-timestamp` (seconds since 1970) and `webhook-signature`: `v1,` and the HMAC-SHA256 of
 * `<id>.<timestamp>.<body>` in base64, for each secret, with one space in between (Standard Webhooks 1.0). The key is
 * what follows `whsec_`, decoded from base64; the bytes of a secret without this prefix are the key themselves.
 */
export function toStandardWebhookHeaders({
  id,
  nowMs,
  body,
  secrets,
}: SignedBody): Readonly<Record<string, string>> {
  const seconds = Math.floor(nowMs / 1000);
  const signatures = secrets.map((secret) => {
    const mac = createHmac("sha256", toKey(secret)).update(`${id}.${seconds}.${body}`);
    return `v1,${mac.digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}

const prefix = "whsec_";

function toKey(secret: Secret): Buffer {
  const text = secret.reveal();
  return text.startsWith(prefix) ? Buffer.from(text.slice(prefix.length), "base64") : Buffer.from(text);
}
