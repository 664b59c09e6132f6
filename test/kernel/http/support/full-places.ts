import type { TestService } from "../../../support/service.ts";
import { readMetrics } from "./metrics.ts";
import { eventually, openRaw } from "./sockets.ts";

/** Takes all places of a service with so few (`--max-calls`), by calls whose bodies do not come. Returns what gives them back. */
export async function fillPlaces(service: TestService, count: number): Promise<() => Promise<void>> {
  const head =
    "POST /v1/projects HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n";
  const bytes = `${head}Authorization: Bearer ${service.adminToken}\r\n\r\n`;
  const inFlight = async () => (await readMetrics(service))?.get("gatehouse_calls_in_flight"); // and the question itself
  // Some more than there is room for: a place of before may be given back only after its answer.
  const held = await Promise.all(Array.from({ length: 2 * count }, () => openRaw(service.port, bytes)));
  await eventually(async () => (await inFlight()) === count + 1);
  return async () => {
    for (const { socket } of held) socket.destroy();
    await eventually(async () => (await inFlight()) === 1);
  };
}
