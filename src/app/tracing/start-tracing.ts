import { setTimeout as pause } from "node:timers/promises";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { ConfigError } from "../../config/config-error.ts";
import type { TracesConfig } from "../../config/traces.ts";
import type { Tracing } from "../../kernel/base/tracing/tracing.ts";
import { createTracing } from "./open-telemetry.ts";

const stopMs = 2000;

/**
 * Starts to record and send traces. The library reads OTEL_EXPORTER_OTLP_* and OTEL_RESOURCE_ATTRIBUTES. Throws ConfigError if it
 * cannot follow them.
 */
export function startTracing(
  config: TracesConfig,
  setup: {
    readonly version: string;
    readonly hosts: readonly string[];
    /** Called for each batch that could not be sent, which is lost. */
    readonly onFailure: () => void;
  },
): Tracing {
  const { version, hosts, onFailure } = setup;
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "gatehouse", "service.version": version }))
      .merge(detectResources({ detectors: [envDetector] })), // the operator's word wins
    sampler: toSampler(config),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: reporting(openExporter(), onFailure), ...config.batch }),
    ],
  });
  return createTracing({
    tracer: provider.getTracer("gatehouse", version),
    hosts,
    async stop() {
      // It would wait for as long as it tries again: a collector that answers 503 holds it for ten seconds.
      const stopped = provider.shutdown().catch(onFailure);
      await Promise.race([stopped, pause(stopMs, undefined, { ref: false })]);
    },
  });
}

function openExporter(): SpanExporter {
  try {
    return new OTLPTraceExporter();
  } catch (error) {
    throw new ConfigError("the variables OTEL_EXPORTER_OTLP_… are not usable", { cause: error });
  }
}

function reporting(exporter: SpanExporter, onFailure: () => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const code: number = result.code; // 0: sent
        if (code !== 0) onFailure();
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

function toSampler({ sampler, ratio }: TracesConfig): Sampler {
  const [, parentBased, kind] = /^(parentbased_)?(.*)$/.exec(sampler) ?? [];
  const root =
    kind === "always_on"
      ? new AlwaysOnSampler()
      : kind === "always_off"
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return parentBased === undefined ? root : new ParentBasedSampler({ root });
}
