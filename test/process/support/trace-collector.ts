import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import protobuf from "protobufjs";

/** A span as the collector got it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** 1: inside of the service, 2: it answers, 3: it asks another server. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2: it failed. */
  readonly status: number;
  readonly nanoseconds: bigint;
}

/** A collector of traces by OTLP/HTTP, on loopback. */
export interface TraceCollector {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The attributes of the last resource. */
  readonly resource: Readonly<Record<string, unknown>>;
  readonly headers: readonly IncomingHttpHeaders[];
  /** Everything that came, for a search. */
  readonly bytes: () => Buffer;
  /** What it answers with; undefined: it never answers. */
  status: number | undefined;
  /** Resolves with the first span that fits. */
  find(fits: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  stop(): Promise<void>;
}

/** The fields that the tests look at, by the numbers of opentelemetry-proto 1 (collector/trace/v1, trace/v1, common/v1). */
const root = protobuf.Root.fromJSON({
  nested: {
    Request: { fields: { resourceSpans: { rule: "repeated", type: "ResourceSpans", id: 1 } } },
    ResourceSpans: {
      fields: {
        resource: { type: "Resource", id: 1 },
        scopeSpans: { rule: "repeated", type: "ScopeSpans", id: 2 },
      },
    },
    Resource: { fields: { attributes: { rule: "repeated", type: "KeyValue", id: 1 } } },
    ScopeSpans: { fields: { spans: { rule: "repeated", type: "Span", id: 2 } } },
    Span: {
      fields: {
        traceId: { type: "bytes", id: 1 },
        spanId: { type: "bytes", id: 2 },
        parentSpanId: { type: "bytes", id: 4 },
        name: { type: "string", id: 5 },
        kind: { type: "int32", id: 6 },
        start: { type: "fixed64", id: 7 },
        end: { type: "fixed64", id: 8 },
        attributes: { rule: "repeated", type: "KeyValue", id: 9 },
        status: { type: "Status", id: 15 },
      },
    },
    Status: { fields: { code: { type: "int32", id: 3 } } },
    KeyValue: { fields: { key: { type: "string", id: 1 }, value: { type: "AnyValue", id: 2 } } },
    AnyValue: {
      oneofs: { value: { oneof: ["text", "flag", "integer", "number"] } },
      fields: {
        text: { type: "string", id: 1 },
        flag: { type: "bool", id: 2 },
        integer: { type: "int64", id: 3 },
        number: { type: "double", id: 4 },
      },
    },
  },
});

interface Pair {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Decoded {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly { readonly spans: readonly DecodedSpan[] }[];
  }[];
}

interface DecodedSpan {
  readonly traceId: Buffer;
  readonly spanId: Buffer;
  readonly parentSpanId?: Buffer;
  readonly name: string;
  readonly kind: number;
  readonly start: string;
  readonly end: string;
  readonly attributes?: readonly Pair[];
  readonly status?: { readonly code?: number };
}

/** Starts a collector. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const bodies: Buffer[] = [];
  let resource: Readonly<Record<string, unknown>> = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks);
      bodies.push(body);
      headers.push(request.headers);
      for (const each of decode(body).resourceSpans) {
        resource = toRecord(each.resource.attributes);
        spans.push(...each.scopeSpans.flatMap((scope) => scope.spans.map(toSpan)));
      }
      if (collector.status !== undefined) response.writeHead(collector.status).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector: TraceCollector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    get resource() {
      return resource;
    },
    bytes: () => Buffer.concat(bodies),
    status: 200,
    async find(fits) {
      for (let tries = 0; tries < 2000; tries += 1) {
        const found = spans.find(fits);
        if (found !== undefined) return found;
        await pause(10);
      }
      throw new Error(`no such span came, but ${spans.map(({ name }) => name).join(", ")}`);
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return collector;
}

function decode(body: Buffer): Decoded {
  const type = root.lookupType("Request");
  return type.toObject(type.decode(body), { longs: String, bytes: Buffer }) as Decoded;
}

function toSpan(span: DecodedSpan): ReceivedSpan {
  return {
    traceId: span.traceId.toString("hex"),
    spanId: span.spanId.toString("hex"),
    parentSpanId: span.parentSpanId?.toString("hex") ?? "",
    name: span.name,
    kind: span.kind,
    attributes: toRecord(span.attributes ?? []),
    status: span.status?.code ?? 0,
    nanoseconds: BigInt(span.end) - BigInt(span.start),
  };
}

function toRecord(pairs: readonly Pair[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
