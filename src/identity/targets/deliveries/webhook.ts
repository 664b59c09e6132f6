import type { Secret } from "../../../kernel/base/secret.ts";

/** What is posted in an attempt. */
export interface WebhookMessage {
  /** The same in all attempts for an event. */
  readonly id: string;
  readonly body: string;
  /** At least one. */
  readonly secrets: readonly Secret[];
  /** For everything together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The result of an attempt. */
export type WebhookAnswer =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "forbidden" | "unreachable" };

/** A connection to a receiver, which is kept as long as possible. One message at a time. */
export interface WebhookConnection {
  /** Never rejects. An attempt whose signal is aborted is unreachable. */
  post(message: WebhookMessage): Promise<WebhookAnswer>;
  close(): void;
}

/** Opens connections to receivers, to addresses that the service may connect to for callers. */
export interface WebhookPort {
  /** Connects with the first message. */
  connect(url: string): WebhookConnection;
}
