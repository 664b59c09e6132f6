import type { IncomingHttpHeaders } from "node:http2";
import type { Problem } from "../base/problem.ts";
import type { AdmissionKind, Leave } from "./admission.ts";
import type { Cors } from "./cors.ts";
import type { Exchange } from "./exchanges/exchange.ts";
import type { NodeExchange } from "./exchanges/node-exchange.ts";
import type { StreamExchange } from "./exchanges/stream-exchange.ts";

/** Takes some of the paths of the port, and answers their requests in its own way. */
export interface Site {
  /** Names the site in what is wrong with a list of sites. */
  readonly name: string;
  /**
   * Exact paths such as `/healthz`, and prefixes such as `/login/*`. `others`: every path that no other site takes. Paths are
   * compared as they were sent.
   */
  readonly paths: readonly string[] | "others";
  /** Lets pages of other origins call the site; undefined: none may read an answer, and no CORS header is sent. */
  readonly cors: Cors | undefined;
  /** The kind of place that a request takes while it is answered. */
  readonly admission: AdmissionKind | ((path: string) => AdmissionKind);
  /** Headers that mean something here and that no request may repeat; the port refuses such requests to every site. */
  readonly singularHeaders?: readonly string[];
  /** Checks a request before it takes a place. Raises a problem if the check fails. */
  readonly check?: (exchange: Exchange) => void;
  /**
   * Answers a request. `refuse` answers if it throws. `leave` gives the place back before the end of the answer, for
   * requests that need nothing but time.
   */
  readonly handle: (exchange: NodeExchange, leave: Leave) => Promise<Outcome>;
  /**
   * Finds a handler that answers a bare HTTP/2 stream, for frequent calls: Node's compatibility layer costs as much
   * as a call. Decides by the headers alone; undefined leaves the request to `handle`.
   */
  readonly findStreamHandler?: (headers: IncomingHttpHeaders) => StreamHandler | undefined;
  /** Answers with a problem in the shape that the callers of the site read. Default: the `refuse` of the server. */
  readonly refuse?: Refuse;
  /** Ends answers that would last forever. Called when the service stops. */
  readonly stop?: () => void;
}

/** Serves a bare HTTP/2 stream, and gives its place back by `leave` when the call is over. */
export type StreamHandler = (exchange: StreamExchange, leave: Leave) => Promise<Outcome>;

/** Answers with a problem: one of the site, of the port (overload, bad headers, a stop) or a bug. */
export type Refuse = (exchange: Exchange, problem: Problem, leave: Leave) => Promise<Outcome>;

/** Says how a request ended, for the log and the metrics. */
export interface Outcome {
  /**
   * The requested operation: a full name such as `gatehouse.v1.ProjectService/GetProject`, or a path that the site
   * knows. Undefined when none was reached: no text of a caller may get into the metrics.
   */
  readonly operation: string | undefined;
  /** The protocol of the request, such as `grpc`, or `http` for pages. */
  readonly protocol: string;
  /** 0: success. Anything else names the failure: a canonical gRPC code for calls, the HTTP status for pages. */
  readonly code: number;
  /** The error, for the log of internal errors. */
  readonly error?: unknown;
}
