import { ConfigError } from "./config-error.ts";
import type { Environment } from "./values.ts";

/** How traces are made and sent, by the variables of OpenTelemetry that the library does not read by itself. */
export interface TracesConfig {
  readonly sampler: SamplerName;
  /** Part of the traces that a sampler with a ratio records: 0 to 1. */
  readonly ratio: number;
  /** Undefined: the default of the library. */
  readonly batch: {
    readonly scheduledDelayMillis: number | undefined;
    readonly exportTimeoutMillis: number | undefined;
    readonly maxQueueSize: number | undefined;
    readonly maxExportBatchSize: number | undefined;
  };
}

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Which traces are recorded (OpenTelemetry, general SDK configuration). */
export type SamplerName = (typeof samplers)[number];

/**
 * Returns undefined if no traces are asked for: by an endpoint, or by OTEL_TRACES_EXPORTER. Throws ConfigError for a value that
 * the service cannot follow.
 */
export function parseTraces(environment: Environment): TracesConfig | undefined {
  const text = (name: string) => environment[name]?.trim() || undefined; // an empty variable is one that is not set
  if (text("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return undefined;
  const hasEndpoint =
    (text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? text("OTEL_EXPORTER_OTLP_ENDPOINT")) !== undefined;
  const exporter = text("OTEL_TRACES_EXPORTER") ?? (hasEndpoint ? "otlp" : "none");
  if (exporter === "none") return undefined;
  if (exporter !== "otlp") throw new ConfigError("OTEL_TRACES_EXPORTER must be otlp or none");
  const protocol = text("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? text("OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol !== undefined && protocol !== "http/protobuf")
    throw new ConfigError("OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf");
  const named = text("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const sampler = samplers.find((name) => name === named);
  if (sampler === undefined)
    throw new ConfigError(`OTEL_TRACES_SAMPLER must be one of ${samplers.join(", ")}`);
  const number = (name: string, max: number) => {
    const value = text(name);
    if (value !== undefined && !(Number(value) >= 0 && Number(value) <= max))
      throw new ConfigError(`${name} must be a number from 0 to ${max}`);
    return value === undefined ? undefined : Number(value);
  };
  return {
    sampler,
    ratio: number("OTEL_TRACES_SAMPLER_ARG", 1) ?? 1,
    batch: {
      scheduledDelayMillis: number("OTEL_BSP_SCHEDULE_DELAY", 3_600_000),
      exportTimeoutMillis: number("OTEL_BSP_EXPORT_TIMEOUT", 3_600_000),
      maxQueueSize: number("OTEL_BSP_MAX_QUEUE_SIZE", 1_000_000),
      maxExportBatchSize: number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1_000_000),
    },
  };
}
