/** How a request to this service has ended. No field may hold anything of the request itself. */
export interface TracedAnswer {
  /** A method of ours, or the template of a path. */
  readonly operation: string;
  readonly lane: string;
  /** 0: it succeeded. Otherwise the canonical code of a call, or the status of a page. */
  readonly code: number;
  readonly requestId: string;
  /** A reason of the catalogue. */
  readonly reason: string | undefined;
  /** Whether the service is to blame. */
  readonly isFault: boolean;
}

/** A request to another server that is under way. */
export interface TracedSending {
  /** Headers for it: `traceparent` for a host that may see it, else none. */
  readonly headers: Readonly<Record<string, string>>;
  /** Notes the status of the answer. */
  answered(status: number): void;
}

/** A request to another server, without its address. */
export interface OutboundRequest {
  readonly host: string;
  /** The verb of HTTP, or `SMTP`. */
  readonly method: string;
}

/** Traces of what the service does. Whatever becomes of them changes nothing for callers. */
export interface Tracing {
  /**
   * Runs what answers a request. The caller's trace (`traceparent`, W3C Trace Context) goes on in it only once `trust` was called,
   * so that nobody without a token decides what is recorded.
   */
  request(traceparent: string | undefined, answer: () => Promise<void>): Promise<void>;
  /** Says that the token of the request under way is valid. */
  trust(): void;
  /** Says how the request under way has ended. */
  ended(answer: TracedAnswer): void;
  /** Runs a change of the database, until it is durable. */
  commit<T>(change: () => Promise<T>): Promise<T>;
  /** Runs a request to another server. */
  send<T>(request: OutboundRequest, send: (sending: TracedSending) => Promise<T>): Promise<T>;
  /** The ids of the trace and the span under way, for a log line; empty outside of requests. */
  fields(): Readonly<Record<string, string>>;
  /** Hands over what was recorded. Never rejects, and takes two seconds at most. */
  stop(): Promise<void>;
}

const untraced: TracedSending = { headers: {}, answered: () => {} };

/** Runs a request to another server, in a span where there are traces. */
export async function sendTraced<T>(
  tracing: Tracing | undefined,
  request: OutboundRequest,
  send: (sending: TracedSending) => Promise<T>,
): Promise<T> {
  return tracing === undefined ? await send(untraced) : await tracing.send(request, send);
}
