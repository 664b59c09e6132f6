import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import type { Secret } from "../base/secret.ts";
import { urlViolation } from "../base/url.ts";
import type { SmsProvider } from "../base/sms-provider.ts";
import { deliver, type Sleep } from "./sms.ts";

/**
 * Returns a provider that POSTs each message as JSON
 * `{"to":"+41791234567","text":"…","date":"2026-06-01T12:00:00.000Z"}` to the operator's URL. The header
 * `x-gatehouse-signature: t=<seconds since 1970>,v1=<hex>` proves where it comes from: `v1` is the HMAC-SHA256 of
 * `<t>.<body>` with the shared secret. A receiver should compare it and refuse a `t` that is some minutes off. All
 * attempts for one message have the same body. Throws an Error for an invalid URL.
 */
export function createSmsWebhook(options: {
  readonly url: string;
  readonly secret: Secret;
  readonly clock: Clock;
  readonly sleep?: Sleep;
  /** For each attempt. Default 5000. */
  readonly timeoutMs?: number;
}): SmsProvider {
  const { url, secret, clock, sleep = pause, timeoutMs } = options;
  const violation = urlViolation(url, { allowQuery: true });
  if (violation !== undefined) throw new Error(`the URL of the SMS webhook ${violation}`);
  return {
    async send({ to, text }) {
      const body = JSON.stringify({ to, text, date: new Date(clock.nowMs()).toISOString() });
      const headers = () => ({
        "content-type": "application/json",
        "x-gatehouse-signature": signatureOf(body, secret, clock),
      });
      await deliver({ name: "the SMS webhook", url, body, headers, sleep, timeoutMs });
    },
  };
}

function signatureOf(body: string, secret: Secret, clock: Clock): string {
  const seconds = Math.floor(clock.nowMs() / 1000);
  const mac = createHmac("sha256", secret.reveal()).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${mac}`;
}
