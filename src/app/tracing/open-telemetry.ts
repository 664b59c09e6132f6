import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { TracedAnswer, Tracing } from "../../kernel/base/tracing/tracing.ts";
import { parseTraceparent, toTraceparent } from "./traceparent.ts";

/** A request that is answered. Its span begins when something first needs it, because only then it is known whether to trust it. */
interface Answering {
  readonly startedMs: number;
  readonly traceparent: string | undefined;
  isTrusted: boolean;
  isOver: boolean;
  span: Span | undefined;
}

/**
 * Makes spans with the tracer. Their names and attributes are words of ours, never something of a request: templates of paths, no
 * query, body, name or address (login.md, rule 43).
 */
export function createTracing(setup: {
  readonly tracer: Tracer;
  /** Hosts that get `traceparent`, in lower case. */
  readonly hosts: readonly string[];
  readonly stop: () => Promise<void>;
}): Tracing {
  const { tracer } = setup;
  const hosts = new Set(setup.hosts);
  const requests = createRequests(tracer);
  return {
    ...requests.tracing,
    commit: (change) => within(tracer.startSpan("commit", {}, requests.context()), change),
    send({ host, method }, send) {
      const attributes = method === "SMTP" ? {} : { "http.request.method": method };
      const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, requests.context());
      return within(span, () =>
        send({
          headers: hosts.has(host.toLowerCase()) ? { traceparent: toTraceparent(span.spanContext()) } : {},
          answered(status) {
            span.setAttribute("http.response.status_code", status);
            if (status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
          },
        }),
      );
    },
    stop: setup.stop,
  };
}

async function within<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR }); // without the message, which may hold anything
    throw error;
  } finally {
    span.end();
  }
}

/** The requests that are answered, and the context of spans within the one under way. */
function createRequests(tracer: Tracer): {
  readonly tracing: Pick<Tracing, "request" | "trust" | "ended" | "fields">;
  readonly context: () => Context;
} {
  const store = new AsyncLocalStorage<Answering>();
  // What was begun by a request and goes on without it, such as a loop in the background, is no part of it any more.
  const current = () => {
    const answering = store.getStore();
    return answering?.isOver === false ? answering : undefined;
  };
  const spanOf = (answering: Answering): Span => (answering.span ??= begin(tracer, answering));
  return {
    context() {
      const answering = current();
      return answering === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, spanOf(answering));
    },
    tracing: {
      async request(traceparent, answer) {
        const startedMs = performance.timeOrigin + performance.now();
        const answering: Answering = {
          startedMs,
          traceparent,
          isTrusted: false,
          isOver: false,
          span: undefined,
        };
        try {
          await store.run(answering, answer);
        } finally {
          spanOf(answering).end();
          answering.isOver = true;
        }
      },
      trust() {
        const answering = current();
        if (answering !== undefined) answering.isTrusted = true;
      },
      ended(answer) {
        const answering = current();
        if (answering !== undefined) describe(spanOf(answering), answer);
      },
      fields(): Readonly<Record<string, string>> {
        const answering = current();
        if (answering === undefined) return {};
        const { traceId, spanId } = spanOf(answering).spanContext();
        return { trace_id: traceId, span_id: spanId };
      },
    },
  };
}

function describe(span: Span, { operation, lane, code, requestId, reason, isFault }: TracedAnswer): void {
  span.updateName(operation);
  span.setAttributes({
    [operation.startsWith("/") ? "http.route" : "rpc.method"]: operation,
    "gatehouse.lane": lane,
    "gatehouse.code": code,
    "gatehouse.request_id": requestId,
    ...(reason === undefined ? {} : { "error.type": reason }),
  });
  if (isFault) span.setStatus({ code: SpanStatusCode.ERROR });
}

function begin(tracer: Tracer, { startedMs, traceparent, isTrusted }: Answering): Span {
  const parent = isTrusted && traceparent !== undefined ? parseTraceparent(traceparent) : undefined;
  const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
  return tracer.startSpan("request", { kind: SpanKind.SERVER, startTime: startedMs }, context);
}
