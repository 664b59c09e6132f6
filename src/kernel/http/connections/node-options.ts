import type { Limits } from "./limits.ts";

/** Time beyond the limits of headers and body for answering a refused request and discarding the rest of it. */
const requestMarginMs = 10_000;
/** A dead peer is found after this time without a byte and ten probes, one per second. */
const keepAliveDelayMs = 60_000;

/** Builds Node's options for HTTP/1.1. */
export function httpOptions(limits: Limits) {
  return {
    ...httpTimeouts(limits),
    maxHeaderSize: limits.maxHeaderBytes,
    connectionsCheckingInterval: Math.min(1000, limits.headerTimeoutMs),
    // A missing Host is refused by the checks of all requests, in the shape that the site's callers read.
    requireHostHeader: false,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepAliveDelayMs,
  };
}

/** Builds the options that limit how long a connection may take. */
export function httpTimeouts({ headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs }: Limits) {
  return {
    headersTimeout: headerTimeoutMs,
    // The body has a limit of its own, which gives an answer; this one is for requests whose body is not read.
    requestTimeout: headerTimeoutMs + bodyTimeoutMs + requestMarginMs,
    keepAliveTimeout: idleTimeoutMs,
    keepAliveTimeoutBuffer: 0,
  };
}

/** Builds Node's options for HTTP/2. */
export function http2Options(limits: Limits) {
  return {
    // Memory of one session in MB. Streams beyond it are refused.
    maxSessionMemory: 16,
    // Too high to matter: reset-guard.ts counts resets, and says why it ends a session. The streams that Node rejects came in
    // the same read as that many reset ones, which stay in its table until the read is over.
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
