import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { createCallMetrics, type EndedCall } from "./call-metrics.ts";
import { watchLoop } from "./loop-delay.ts";

/** Counts of open things. Count up where one is opened, and down where it is closed. */
export interface OpenCounts {
  connections: number;
  /** Streams of HTTP/2. */
  streams: number;
  calls: number;
}

/** A message of SAML that came, or that was sent to a service provider. */
export interface SamlMessageCount {
  /** Such as `login` or `logout` for those that came, and `login-answer` for those that were sent. */
  readonly kind: string;
  readonly binding: "redirect" | "post";
  /** Such as `accepted`, or the reason why it was refused: one of a fixed list. */
  readonly outcome: string;
}

/** The metrics of the service, in the text format of Prometheus. */
export interface Metrics {
  /** Counts one call that ended. */
  observe(call: EndedCall): void;
  readonly open: OpenCounts;
  /** Counts a connection that was closed because too many are open. */
  refused(): void;
  /** Counts a call that was refused because too many are in progress. */
  callRefused(): void;
  countSamlMessage(message: SamlMessageCount): void;
  /** Counts an attempt to deliver an event to a target. */
  observeWebhook(attempt: { readonly isDelivered: boolean; readonly durationMs: number }): void;
  /** Counts a call of a hook. */
  observeHook(call: { readonly kind: string; readonly outcome: string; readonly durationMs: number }): void;
  readonly contentType: string;
  text(): Promise<string>;
  /** Returns those of this process alone. */
  ownText(): Promise<string>;
  /** Ends the continuous measurements. */
  stop(): void;
}

/** What metrics are made of besides what is counted. */
export interface MetricsSource {
  readonly waitingWrites: () => number;
  /** Puts the metrics of this process together with those of others that serve the same port. Absent: there are none. */
  readonly join?: ((own: string) => Promise<string>) | undefined;
}

/** Creates the metrics, including those of the process. Nothing is registered globally. */
export function createMetrics({ waitingWrites, join = async (own) => own }: MetricsSource): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = createCallMetrics();
  const refused = new Counter({
    name: "gatehouse_connections_refused_total",
    help: "Connections closed at once because max-connections were open.",
    registers: [registry],
  });
  const callsRefused = new Counter({
    name: "gatehouse_calls_refused_total",
    help: "Calls refused because max-calls was reached; their bodies were not read.",
    registers: [registry],
  });
  const samlMessages = new Counter({
    name: "gatehouse_saml_messages_total",
    help: "Messages of SAML, by kind, binding and outcome.",
    labelNames: ["kind", "binding", "outcome"],
    registers: [registry],
  });
  const webhooks = new Histogram({
    name: "gatehouse_webhook_attempt_seconds",
    help: "Attempts to deliver an event to a webhook, by outcome: delivered or failed.",
    labelNames: ["outcome"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const hooks = new Histogram({
    name: "gatehouse_hook_call_seconds",
    help: "Calls of hooks, by kind and outcome: allowed, refused, failed, or skipped after too many failures.",
    labelNames: ["kind", "outcome"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2],
    registers: [registry],
  });
  const loopDelay = new Histogram({
    name: "gatehouse_loop_delay_seconds",
    help: "Delay of the event loop, sampled 20 times a second: every call waits this long, too.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  const stop = watchLoop((seconds) => loopDelay.observe(seconds));
  const open = addOpenCounts(registry);
  addGauge(registry, "gatehouse_writes_waiting", "Changes waiting for the disk.", waitingWrites);
  const ownText = async () => `${await registry.metrics()}\n${calls.text()}`;
  return {
    open,
    refused: () => refused.inc(),
    callRefused: () => callsRefused.inc(),
    countSamlMessage: ({ kind, binding, outcome }) => samlMessages.inc({ kind, binding, outcome }),
    observeWebhook: ({ isDelivered, durationMs }) =>
      webhooks.observe({ outcome: isDelivered ? "delivered" : "failed" }, durationMs / 1000),
    observeHook: ({ kind, outcome, durationMs }) => hooks.observe({ kind, outcome }, durationMs / 1000),
    observe: calls.observe,
    contentType: registry.contentType,
    ownText,
    text: async () => await join(await ownText()),
    stop,
  };
}

/** Returns the counts, which are read when the metrics are requested. */
function addOpenCounts(registry: Registry): OpenCounts {
  const open: OpenCounts = { connections: 0, streams: 0, calls: 0 };
  addGauge(registry, "gatehouse_connections", "Open connections.", () => open.connections);
  addGauge(registry, "gatehouse_streams", "Open HTTP/2 streams.", () => open.streams);
  addGauge(registry, "gatehouse_calls_in_flight", "Calls and streams in progress.", () => open.calls);
  return open;
}

/** Adds a value that is read when the metrics are requested. */
function addGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
}
