import { Secret } from "../kernel/base/secret.ts";
import { needOf, type OutboxRules, parseWebhookUrl, refuseUnused, requireOutbox } from "./providers.ts";
import type { ValueOf } from "./values.ts";

/** How SMS are delivered. Without a provider, a code can only be returned to the caller who asked for it. */
export type SmsConfig =
  | { readonly kind: "none" }
  | { readonly kind: "outbox" }
  | { readonly kind: "webhook"; readonly url: string; readonly secret: Secret }
  | {
      readonly kind: "twilio";
      readonly accountSid: string;
      readonly authToken: Secret;
      readonly from: string;
    };

/** Reads how SMS are delivered. Throws ConfigError. */
export function parseSms(text: ValueOf, rules: OutboxRules): SmsConfig {
  const need = needOf(text, "sms-provider");
  switch (text("sms-provider")) {
    case "outbox":
      return requireOutbox("sms-provider", rules);
    case "webhook":
      return {
        kind: "webhook",
        url: parseWebhookUrl("sms-webhook-url", need("sms-webhook-url")),
        secret: new Secret(need("sms-webhook-secret")),
      };
    case "twilio":
      return {
        kind: "twilio",
        accountSid: need("twilio-account-sid"),
        authToken: new Secret(need("twilio-auth-token")),
        from: need("twilio-from"),
      };
    default:
      refuseUnused(text, "sms-provider", /^(?:sms-)?(webhook|twilio)-/);
      return { kind: rules.isLocal ? "outbox" : "none" };
  }
}
