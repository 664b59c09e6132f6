import { setTimeout as pause } from "node:timers/promises";
import type { Secret } from "../base/secret.ts";
import type { Tracing } from "../base/tracing/tracing.ts";
import type { SmsProvider } from "../base/message-providers.ts";
import { deliver, type Sleep } from "./delivery.ts";

/**
 * Returns a provider that sends through Twilio's REST API,
 * https://www.twilio.com/docs/messaging/api/message-resource#create-a-message-resource. It resolves when Twilio has
 * queued the message. Twilio has no idempotency keys: if the answer to an attempt is lost, the message can arrive
 * twice.
 */
export function createTwilio(options: {
  /** `AC…`. */
  readonly accountSid: string;
  readonly authToken: Secret;
  /** A number in E.164 form, or the sid of a messaging service (`MG…`). */
  readonly from: string;
  /** Default https://api.twilio.com. */
  readonly baseUrl?: string;
  readonly sleep?: Sleep;
  /** For each attempt. Default 5000. */
  readonly timeoutMs?: number;
  readonly tracing?: Tracing | undefined;
}): SmsProvider {
  const {
    accountSid,
    authToken,
    from,
    baseUrl = "https://api.twilio.com",
    sleep = pause,
    timeoutMs,
    tracing,
  } = options;
  const url = `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`;
  const sender = /^MG[0-9a-f]{32}$/i.test(from) ? "MessagingServiceSid" : "From";
  const headers = () => ({
    "content-type": "application/x-www-form-urlencoded",
    accept: "application/json",
    authorization: `Basic ${Buffer.from(`${accountSid}:${authToken.reveal()}`, "utf8").toString("base64")}`,
  });
  return {
    async send({ to, text }) {
      const body = new URLSearchParams({ To: to, [sender]: from, Body: text }).toString();
      await deliver({ name: "Twilio", url, body, headers, sleep, timeoutMs, tracing, explain });
    },
  };
}

/**
 * Returns the code of Twilio's error, https://www.twilio.com/docs/api/errors; its message would contain the phone
 * number.
 */
function explain(body: string): string {
  const code = /"code"\s*:\s*(?<code>\d{1,6})\b/.exec(body)?.groups?.["code"];
  return code === undefined ? "" : ` and error ${code}`;
}
