import type { Guard } from "./guards.ts";

/** What the lanes of unary calls have besides the pipeline. */
export const laneGuards: readonly Guard[] = [
  {
    name: "unary lane: nobody's body is read before they are known",
    file: "src/sites/rpc/lanes/unary-lane.ts",
    change: [
      "const answer = await callUnary(clock, exchange, { method, timeoutMs, receive });",
      "const early = await receive();\n  const answer = await callUnary(clock, exchange, { method, timeoutMs, receive: async () => early });",
    ],
    in: "test/sites/rpc/lanes/unary-lane.test.ts",
    test: "without a token",
  },
  {
    name: "unary lane: size of a body",
    file: "src/sites/rpc/lanes/unary-lane.ts",
    change: ["bodies.read(exchange, maxBytes + headBytes,", "bodies.read(exchange, 2 ** 40,"],
    in: "test/sites/rpc/lanes/unary-lane.test.ts",
    test: "announces|limit of its own",
  },
  {
    name: "bare streams: Host",
    file: "src/kernel/http/exchanges/request-checks.ts",
    change: ["http1: checkHttp1Host, http2: checkHost", "http1: checkHttp1Host"],
    in: "test/kernel/http/exchanges/stream-exchange.test.ts",
  },
  {
    name: "bare streams: size of headers",
    file: "src/kernel/http/exchanges/request-checks.ts",
    change: ["    { http2: checkSize },\n", ""],
    in: "test/kernel/http/exchanges/stream-exchange.test.ts",
  },
  {
    name: "gRPC on HTTP/1.1",
    file: "src/sites/rpc/lanes/framed-call.ts",
    change: ['if (type.protocol === "grpc" && !exchange.isHttp2) {', "if (false) {"],
    in: "test/sites/rpc/web.test.ts",
    test: "on HTTP/1.1 is refused",
  },
];
