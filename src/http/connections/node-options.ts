import type { Limits } from "../limits.ts";

/** Time beyond the limits of headers and body in which what was refused is answered and the rest of it thrown away. */
const requestMarginMs = 10_000;
/** A dead peer is found after this time without a byte, and ten tries a second apart. */
const keepAliveDelayMs = 60_000;

/** Returns the options of Node for HTTP/1.1. */
export function httpOptions(limits: Limits) {
  return {
    ...httpTimeouts(limits),
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: Math.min(1000, limits.headerTimeoutMs),
    // A missing Host is answered by dispatch, in the shape of all errors.
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveDelayMs,
  };
}

/** Returns those that say how long a connection may take. */
export function httpTimeouts({ headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs }: Limits) {
  return {
    headersTimeout: headerTimeoutMs,
    // The body has a limit of its own, which answers; this one is for requests that nobody reads.
    requestTimeout: headerTimeoutMs + bodyTimeoutMs + requestMarginMs,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveTimeoutBuffer: 0,
  };
}

/** Returns the options of Node for HTTP/2. */
export function http2Options(limits: Limits) {
  return {
    // Memory of one session in MB; streams beyond it are refused.
    maxSessionMemory: 16,
    // Out of the way: reset-guard.ts counts, and says why it ends a session. What Node rejects are streams that came in one
    // read with as many that were reset, which stay in its table for that long.
    streamResetBurst: 1_000_000,
    streamResetRate: 1_000_000,
    maxSessionRejectedStreams: 100_000,
    maxSessionInvalidFrames: 1000 + limits.maxResets,
    maxSettings: 32,
    settings: {
      maxConcurrentStreams: limits.maxStreams + limits.maxWaitingStreams,
      maxHeaderListSize: limits.maxHeaderBytes,
      enablePush: false,
      initialWindowSize: 256 * 1024,
    },
  };
}
