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
  /** Lets browsers of other origins in; undefined: none may read an answer, and nothing about CORS is sent. */
  readonly cors: Cors | undefined;
  /** The kind of place that a request takes while it is answered. */
  readonly admission: AdmissionKind | ((path: string) => AdmissionKind);
  /** Headers that mean something here and that no request may repeat; the port refuses such requests to every site. */
  readonly singularHeaders?: readonly string[];
  /** Raises what is wrong with a request before it takes a place. */
  readonly check?: (exchange: Exchange) => void;
  /**
   * Answers a request. What it throws is answered by `refuse`. `leave` gives the place back before the answer is over, for
   * what needs nothing but time.
   */
  readonly handle: (exchange: NodeExchange, leave: Leave) => Promise<Outcome>;
  /**
   * Finds what answers a stream of HTTP/2 as it is, for calls that are too many for Node's compatibility layer, which costs as
   * much as a call. The headers alone decide; undefined leaves the request to `handle`.
   */
  readonly findStreamHandler?: (headers: IncomingHttpHeaders) => StreamHandler | undefined;
  /** Answers with a problem in the shape that the callers of the site read. Default: that of the server. */
  readonly refuse?: Refuse;
  /** Ends what would last forever. Called when the service stops. */
  readonly stop?: () => void;
}

/** Serves a bare HTTP/2 stream, and gives its place back by `leave` when the call is over. */
export type StreamHandler = (exchange: StreamExchange, leave: Leave) => Promise<Outcome>;

/** Answers with a problem: one of the site, of the port (overload, bad headers, a stop) or a bug. */
export type Refuse = (exchange: Exchange, problem: Problem, leave: Leave) => Promise<Outcome>;

/** Says how a request ended, for the log and the metrics. */
export interface Outcome {
  /**
   * What was asked for: a full name such as `gatehouse.v1.ProjectService/GetProject`, or a path that the site knows. Undefined
   * when nothing was reached: no text of a caller may get into the metrics.
   */
  readonly operation: string | undefined;
  /** The way in which it was asked for, such as `grpc`, or `http` for pages. */
  readonly protocol: string;
  /** 0: done. Anything else names the failure: a canonical code of gRPC for calls, the status of HTTP for pages. */
  readonly code: number;
  /** What went wrong, for the log of internal errors. */
  readonly error?: unknown;
}
