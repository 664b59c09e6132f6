import { randomInt } from "node:crypto";
import type { HttpClient } from "./http-client.ts";
import type { LaneClient } from "./clients.ts";

/** As jest hands it over in the tiers `postgres-pair` and `workers-pair` (`.config/tiers.json`). */
const { testProcesses = 1 } = globalThis as { readonly testProcesses?: number };

/** How many services share the database of one that a test starts. They share nothing else, as if they were processes. */
export const serviceCount = testProcesses;

/** Draws one of them. */
export function draw<T>(items: readonly T[]): T {
  const drawn = items[randomInt(items.length)];
  if (drawn === undefined) throw new Error("there is nothing to draw from");
  return drawn;
}

/** Returns a client that makes each call with one of those. */
export function drawClient(clients: readonly LaneClient[]): LaneClient {
  return {
    lane: draw(clients).lane,
    call: (method, request, options) => draw(clients).call(method, request, options),
    close: () => clients.forEach((client) => client.close()),
  };
}

/** Returns a client that sends each request with one of those. */
export function drawHttpClient(clients: readonly HttpClient[]): HttpClient {
  return {
    send: (request) => draw(clients).send(request),
    close: () => clients.forEach((client) => client.close()),
  };
}
