import type { DescMethod, Message } from "@bufbuild/protobuf";

/** The lanes of calls, by their names in logs and metrics. */
export type Lane = "json" | "proto" | "grpc" | "grpc-web" | "grpc-web-text" | "connect";

/** The facts about a call before its body is read, as plain values that any lane can make. */
export interface Arrival {
  readonly requestId: string;
  /** Address of the caller, without port. */
  readonly remoteAddress: string | undefined;
  /** Instant of the wall clock, ms since 1970. */
  readonly deadlineMs: number | undefined;
  /** Aborted when the caller is gone, at the deadline, and for streams when the service stops. */
  readonly signal: AbortSignal;
  /** Returns a header of the request by its name in lower case; the values of a repeated one joined by ", ". */
  header(name: string): string | undefined;
  /** Adds a header to the answer, also to an error. Only before the answer starts. */
  answerHeader(name: string, value: string): void;
}

/** A method with one request and one response. */
export interface UnaryMethod {
  readonly kind: "unary";
  readonly descriptor: DescMethod;
  /** Maximum size of a request if it is less than the general limit: for methods that need no token. */
  readonly maxRequestBytes?: number;
  /** Makes the call. `receive` reads and decodes the body; it is called only once the caller is known. */
  call(arrival: Arrival, receive: () => Promise<Message>): Promise<Message>;
}

/** A method that answers with a stream. */
export interface StreamMethod {
  readonly kind: "stream";
  readonly descriptor: DescMethod;
  readonly maxRequestBytes?: number;
  /**
   * Makes the call. The promise resolves when the call is accepted, so a refused call has no answers. `receive`
   * yields the requests as they come; it is called only once the caller is known.
   */
  open(arrival: Arrival, receive: () => AsyncIterable<Message>): Promise<AsyncIterable<Message>>;
}

/** A method as lanes see it, with all rules inside. Raises Problems. */
export type Method = UnaryMethod | StreamMethod;

/** Builds the path that RPC clients call the method on. */
export function rpcPathOf(descriptor: DescMethod): string {
  return `/${descriptor.parent.typeName}/${descriptor.name}`;
}

/** Names the method in logs and metrics; undefined when no method was reached. */
export function nameOf(descriptor: DescMethod | undefined): string | undefined {
  return descriptor === undefined ? undefined : rpcPathOf(descriptor).slice(1);
}
