import type { Clock } from "../base/clock.ts";
import type { Secret } from "../base/secret.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import type { KeptConnectionOptions, KeptPostOutcome } from "./kept-connection.ts";
import { toStandardWebhookHeaders } from "./standard-webhook.ts";

/** A message to a receiver, as Standard Webhooks 1.0 describes it. */
interface WebhookMessage {
  readonly id: string;
  readonly body: string;
  readonly secrets: readonly Secret[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** As of every kept connection. */
  readonly maxBytes?: number | undefined;
}

/** Creates what signs messages and sends them, each over the connection of its receiver. */
export function createWebhookPort(
  fetcher: Pick<GuardedFetch, "connect">,
  clock: Clock,
  options?: KeptConnectionOptions,
): {
  connect(url: string): { post(message: WebhookMessage): Promise<KeptPostOutcome>; close(): void };
} {
  return {
    connect(url) {
      const connection = fetcher.connect(url, options);
      return {
        post({ id, body, secrets, ...limits }) {
          const signed = toStandardWebhookHeaders({ id, nowMs: clock.nowMs(), body, secrets });
          const headers = { "content-type": "application/json", ...signed };
          return connection.post({ ...limits, body, headers });
        },
        close: () => connection.close(),
      };
    },
  };
}
