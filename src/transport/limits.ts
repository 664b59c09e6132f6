/** What one caller, and all together, may take of the service. Times in milliseconds. */
export interface Limits {
  /** Connections open at the same time; further ones are closed. */
  readonly maxConnections: number;
  /** From the connection to its first bytes, and to the end of a TLS handshake. */
  readonly firstBytesTimeoutMs: number;
  /** For the headers of a request on HTTP/1.1. */
  readonly headersTimeoutMs: number;
  /** For a whole request on HTTP/1.1; more than `bodyTimeoutMs`, which answers. */
  readonly requestTimeoutMs: number;
  /** Between two requests on a connection of HTTP/1.1. */
  readonly keepAliveTimeoutMs: number;
  /** Headers of one request, in bytes. */
  readonly maxHeaderBytes: number;
  /** From the start of an HTTP/2 session to the caller's settings. */
  readonly settingsTimeoutMs: number;
  /** An HTTP/2 session without streams is closed after this time. */
  readonly idleSessionTimeoutMs: number;
  /** A stream of HTTP/2, or a connection of HTTP/1.1 in a request, is closed after this time without a byte. */
  readonly silenceTimeoutMs: number;
  readonly maxConcurrentStreams: number;
  /** Memory of one HTTP/2 session in MB. */
  readonly maxSessionMemoryMb: number;
  /** Largest message, compressed or not. */
  readonly maxMessageBytes: number;
  /** For a whole body to arrive. */
  readonly bodyTimeoutMs: number;
  /** Bytes of bodies that the process holds at the same time. */
  readonly maxBufferedBytes: number;
  /** How long a caller may leave an answer unread. */
  readonly writeTimeoutMs: number;
  /** At stop: how long calls in flight may take before they are cut. */
  readonly stopTimeoutMs: number;
}

export const defaultLimits: Limits = {
  maxConnections: 10_000,
  firstBytesTimeoutMs: 10_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  maxHeaderBytes: 16 * 1024,
  settingsTimeoutMs: 10_000,
  idleSessionTimeoutMs: 300_000,
  silenceTimeoutMs: 120_000,
  maxConcurrentStreams: 128,
  maxSessionMemoryMb: 16,
  maxMessageBytes: 8 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  maxBufferedBytes: 256 * 1024 * 1024,
  writeTimeoutMs: 30_000,
  stopTimeoutMs: 8000,
};
