import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import type { Secret } from "../base/secret.ts";
import type { Tracing } from "../base/tracing/tracing.ts";
import { urlViolation } from "../base/url.ts";
import { deliver, type Recipient, type Sleep } from "./delivery.ts";
import { toStandardWebhookHeaders } from "./standard-webhook.ts";

/**
 * Returns a recipient that POSTs each message to the operator's URL, as JSON with its fields and a `date`, such as
 * `{"to":"+41791234567","text":"…","date":"2026-06-01T12:00:00.000Z"}`. The header
 * `x-gatehouse-signature: t=<seconds since 1970>,v1=<hex>` proves where it comes from: `v1` is the HMAC-SHA256 of
 * `<t>.<body>` with the shared secret. A receiver should compare it and refuse a `t` that is some minutes off. The headers of
 * Standard Webhooks prove the same. All attempts for one message have the same body and `webhook-id`. Throws an Error for an
 * invalid URL.
 */
export function createWebhook<T extends object>(options: {
  /** For error messages: `the SMS webhook`. */
  readonly name: string;
  readonly url: string;
  readonly secret: Secret;
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep?: Sleep;
  /** For each attempt. Default 5000. */
  readonly timeoutMs?: number;
  readonly tracing?: Tracing | undefined;
}): Recipient<T> {
  const { name, url, secret, clock, random, sleep = pause, timeoutMs, tracing } = options;
  const violation = urlViolation(url, { allowQuery: true });
  if (violation !== undefined) throw new Error(`the URL of ${name} ${violation}`);
  return {
    async send(message) {
      const body = JSON.stringify({ ...message, date: new Date(clock.nowMs()).toISOString() });
      const id = `msg_${Buffer.from(random.bytes(16)).toString("base64url")}`;
      const headers = () => ({
        "content-type": "application/json",
        ...toStandardWebhookHeaders({ id, nowMs: clock.nowMs(), body, secrets: [secret] }),
        "x-gatehouse-signature": signatureOf(body, secret, clock),
      });
      await deliver({ name, url, body, headers, sleep, timeoutMs, tracing });
    },
  };
}

function signatureOf(body: string, secret: Secret, clock: Clock): string {
  const seconds = Math.floor(clock.nowMs() / 1000);
  const mac = createHmac("sha256", secret.reveal()).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}
