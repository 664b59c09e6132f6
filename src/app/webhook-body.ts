import { toEventJson } from "../identity/events/rpc.ts";

/** Makes the body of a delivery (Standard Webhooks 1.0, payload structure): the event is as the API shows it. */
export function toWebhookBody(event: Parameters<typeof toEventJson>[0]): string {
  const timestamp = new Date(Math.floor(event.date / 1000)).toISOString();
  return JSON.stringify({ type: event.type, timestamp, data: toEventJson(event) });
}
