import { Counter, Gauge, Registry, collectDefaultMetrics } from "prom-client";
import { createCallMetrics, type EndedCall } from "./call-metrics.ts";

/** What is open at the moment. Who opens counts up, who closes counts down. */
export interface OpenCounts {
  connections: number;
  /** Streams of HTTP/2. */
  streams: number;
  calls: number;
}

/** What is counted and timed, in the text format of Prometheus. */
export interface Metrics {
  /** Counts one call that ended. */
  observe(call: EndedCall): void;
  readonly open: OpenCounts;
  /** Counts a connection that was closed because too many are open. */
  refused(): void;
  readonly contentType: string;
  text(): Promise<string>;
}

/** Returns metrics of their own: nothing is registered globally. Process metrics are among them. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const observe = createCallMetrics(registry);
  const refused = new Counter({
    name: "gatehouse_connections_refused_total",
    help: "Connections that were closed at once because max-connections were open.",
    registers: [registry],
  });
  const open: OpenCounts = { connections: 0, streams: 0, calls: 0 };
  addGauge(registry, "gatehouse_connections", "Connections that are open.", () => open.connections);
  addGauge(registry, "gatehouse_streams", "Streams of HTTP/2 that are open.", () => open.streams);
  addGauge(registry, "gatehouse_calls_in_flight", "Calls and streams under way.", () => open.calls);
  return {
    open,
    refused: () => refused.inc(),
    observe,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** Adds a value that is read when somebody asks for the metrics. */
function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
}
