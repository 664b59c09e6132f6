import type { SpanContext } from "@opentelemetry/api";

/** W3C Trace Context §3.2.2: version, trace, parent, flags; a later version may add fields. */
const pattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** Reads the header; undefined if it is malformed (W3C Trace Context §4.3: it is then as if absent). */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = pattern.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (text.startsWith("00") && text.length !== 55) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** Writes the header for a span. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? "01" : "00"}`;
}
