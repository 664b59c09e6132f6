/**
 * The limits for one caller and for all callers together: the values of the options with the same names, whose table
 * says more. Times are in milliseconds.
 */
export interface Limits {
  readonly maxConnections: number;
  /** Calls of one HTTP/2 connection in progress at the same time. */
  readonly maxStreams: number;
  /** Calls of one HTTP/2 connection that wait for their turn. */
  readonly maxWaitingStreams: number;
  /** Calls of one HTTP/2 connection that may end early at once. */
  readonly maxResets: number;
  /** Calls in progress at the same time on all connections. */
  readonly maxCalls: number;
  readonly maxHeaderBytes: number;
  /** Largest message, compressed or not. */
  readonly maxMessageBytes: number;
  /** Bytes of bodies that the process holds at the same time. */
  readonly maxBufferedBytes: number;
  /** From the connection to its first bytes, to the end of a TLS handshake, and to the settings of HTTP/2. */
  readonly firstByteTimeoutMs: number;
  /** For the headers of a request on HTTP/1.1. */
  readonly headerTimeoutMs: number;
  /** For a whole body to arrive. */
  readonly bodyTimeoutMs: number;
  /** How long a caller may leave an answer, or a message of a stream of answers, unread. */
  readonly writeTimeoutMs: number;
  /** A connection without calls is closed after this time; one with calls is asked for a sign of life as often. */
  readonly idleTimeoutMs: number;
  /** Between new connections of an address that has flooded a short while ago; 0: none. */
  readonly floodPauseMs: number;
  /** At a stop: how long calls in progress may take before they are cut. */
  readonly stopTimeoutMs: number;
}
