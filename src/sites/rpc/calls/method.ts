import type { DescMethod, Message } from "@bufbuild/protobuf";

/** The ways in which a call can come in. */
export type Lane = "json" | "proto" | "grpc" | "grpc-web" | "grpc-web-text" | "connect";

/** What is known about a call before its body is read: plain values that any lane can supply. */
export interface Arrival {
  readonly requestId: string;
  /** Address of the caller, without port. */
  readonly remoteAddress: string | undefined;
  readonly verb: string;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** Instant of the wall clock, ms since 1970. */
  readonly deadlineMs: number | undefined;
  /** Aborted when the caller is gone, at the deadline, and for streams when the service stops. */
  readonly signal: AbortSignal;
  /** As in `Call`. */
  readonly onAccepted?: (() => void) | undefined;
  /** As in `Call`. */
  readonly onOpen?: (() => void) | undefined;
  /** Reads a header of the request by its name in lower case; the values of a repeated one are joined by ", ". */
  header(name: string): string | undefined;
  /** Adds a header to the answer, even if that is an error. Call it before the answer begins. */
  answerHeader(name: string, value: string): void;
}

/** A method with one request and one response. */
export interface UnaryMethod {
  readonly kind: "unary";
  readonly descriptor: DescMethod;
  /** Largest request, where the limit is lower than the general one: for methods that take no token. */
  readonly maxRequestBytes?: number;
  /** Makes the call. `receive` reads and decodes the body; it is called once the caller is known. */
  call(arrival: Arrival, receive: () => Promise<Message>): Promise<Message>;
}

/** A method that answers with a stream. */
export interface StreamMethod {
  readonly kind: "stream";
  readonly descriptor: DescMethod;
  readonly maxRequestBytes?: number;
  /**
   * Makes the call. The promise resolves when the call is accepted, so that a refused call has no answers. `receive` yields the
   * requests as they come; it is called once the caller is known.
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
