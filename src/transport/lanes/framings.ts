import type { Problem } from "../../base/problem.ts";
import { parseConnectTimeout, parseGrpcTimeout } from "../call-scope.ts";
import { toConnectJson, toTrailers, toUnboundTrailers } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import type { Lane } from "../method.ts";
import { encodeFrame } from "./frames.ts";

/** What the three protocols with frames do differently. */
export interface Framing {
  readonly lane: Lane;
  readonly encodingHeader: string;
  readonly acceptEncodingHeader: string;
  /** Returns the time-out of the call in ms, if the caller set one. Raises INVALID_REQUEST. */
  timeoutOf(exchange: Exchange): number | undefined;
  /** Returns what ends an answer: trailers of HTTP or a last frame. `metadata` goes with the error. */
  end(
    problem: Problem | undefined,
    metadata: Readonly<Record<string, string>>,
  ): { readonly trailers?: Readonly<Record<string, string>>; readonly frame?: Uint8Array };
}

const grpcTimeout = (exchange: Exchange) => parseGrpcTimeout(exchange.header("grpc-timeout"));

/** https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
export const grpc: Framing = {
  lane: "grpc",
  encodingHeader: "grpc-encoding",
  acceptEncodingHeader: "grpc-accept-encoding",
  timeoutOf: grpcTimeout,
  end: (problem, metadata) => ({
    trailers: problem === undefined ? { "grpc-status": "0" } : { ...toTrailers(problem), ...metadata },
  }),
};

/** https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md: trailers go as the last frame. */
export const grpcWeb: Framing = {
  lane: "grpc-web",
  encodingHeader: "grpc-encoding",
  acceptEncodingHeader: "grpc-accept-encoding",
  timeoutOf: grpcTimeout,
  end(problem, metadata) {
    const trailers =
      problem === undefined ? { "grpc-status": "0" } : { ...toUnboundTrailers(problem), ...metadata };
    const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`);
    return { frame: encodeFrame(0x80, Buffer.from(lines.join(""))) };
  },
};

/** https://connectrpc.com/docs/protocol#streaming-rpcs: the last frame is JSON. */
export const connectStream: Framing = {
  lane: "connect",
  encodingHeader: "connect-content-encoding",
  acceptEncodingHeader: "connect-accept-encoding",
  timeoutOf: (exchange) => parseConnectTimeout(exchange.header("connect-timeout-ms")),
  end(problem, metadata) {
    const lists = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, [value]]));
    const end = problem === undefined ? {} : { error: toConnectJson(problem), metadata: lists };
    return { frame: encodeFrame(0x02, Buffer.from(JSON.stringify(end))) };
  },
};
