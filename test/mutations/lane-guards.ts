import type { Guard } from "./guards.ts";

/** What the lanes of unary calls have besides the pipeline. */
export const laneGuards: readonly Guard[] = [
  {
    name: "unary lane: nobody's body is read before they are known",
    file: "src/sites/rpc/lanes/unary-lane.ts",
    changes: [
      [
        "const answer = await callUnary(clock, exchange, { method, timeoutMs, receive });",
        "const early = await receive();\n  const answer = await callUnary(clock, exchange, { method, timeoutMs, receive: async () => early });",
      ],
    ],
    in: "test/sites/rpc/lanes/unary-lane.test.ts",
    test: "without a token",
  },
  {
    name: "unary lane: size of a body",
    file: "src/sites/rpc/lanes/unary-lane.ts",
    changes: [["bodies.read(exchange, maxBytes + headBytes,", "bodies.read(exchange, 2 ** 40,"]],
    in: "test/sites/rpc/lanes/unary-lane.test.ts",
    test: "announces|limit of its own",
  },
  {
    name: "unary calls: compressed requests are left to the lane that undoes it",
    file: "src/sites/rpc/lanes/unary-lane.ts",
    changes: [['(encoding ?? "identity") === "identity" &&', ""]],
    in: "test/sites/rpc/grpc.test.ts",
    test: "may be compressed",
  },
  {
    name: "bare streams: Host",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["http1: checkHttp1Host, http2: checkHost", "http1: checkHttp1Host"]],
    in: "test/kernel/http/exchanges/stream-exchange.test.ts",
  },
  {
    name: "bare streams: size of headers",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["    { http2: checkSize },\n", ""]],
    in: "test/kernel/http/exchanges/stream-exchange.test.ts",
  },
  {
    name: "bare streams: who does not read is given up",
    file: "src/kernel/http/exchanges/stream-exchange.ts",
    changes: [['this.#unread.hold(Buffer.byteLength(body ?? ""), () => this.cut());', "() => {};"]],
    in: "test/kernel/http/exchanges/stream-exchange.test.ts",
  },
  {
    name: "bare streams: what nobody reads of a request is thrown away",
    file: "src/kernel/http/exchanges/stream-exchange.ts",
    changes: [["drain(stream, { isTooLong: this.#isTooLong, cut });", ";"]],
    in: "test/kernel/http/exchanges/stream-exchange.test.ts",
  },
  {
    name: "gRPC-web in text: strange characters and padding inside",
    file: "src/sites/rpc/lanes/web-text.ts",
    changes: [["else if (value >= padding || padded > 0) return undefined;", ""]],
    in: "test/sites/rpc/lanes/text-decoder.test.ts",
  },
  {
    name: "gRPC-web in text: a group that is not whole",
    file: "src/sites/rpc/lanes/web-text.ts",
    changes: [["isWhole: () => count === 0,", "isWhole: () => true,"]],
    in: "test/sites/rpc/lanes/text-decoder.test.ts",
  },
  {
    name: "gRPC-web in text: size that is announced",
    file: "src/sites/rpc/lanes/web-text.ts",
    changes: [["Math.floor(encodedLength / 4)", "0 * encodedLength"]],
    in: "test/sites/rpc/lanes/web-text.test.ts",
    test: "announced too long",
  },
  {
    name: "gRPC-web in text: the limit is that of the decoded bytes",
    file: "src/sites/rpc/lanes/web-text.ts",
    changes: [
      [
        "leastLength: (encodedLength) => Math.floor(encodedLength / 4),",
        "leastLength: (encodedLength) => encodedLength,",
      ],
    ],
    in: "test/sites/rpc/lanes/web-text.test.ts",
    test: "held to the limit",
  },
  {
    name: "gRPC-web in text: streams are text too",
    file: "src/sites/rpc/lanes/connect-lane.ts",
    changes: [["(isText ? encodeChunks(answer.body) : answer.body)", "answer.body"]],
    in: "test/sites/rpc/lanes/web-text.test.ts",
    test: "of a stream",
  },
  {
    name: "unary calls: deadline",
    file: "src/sites/rpc/lanes/unary-call.ts",
    changes: [["exchange.answering, timeoutMs)", "exchange.answering, undefined)"]],
    in: "test/sites/rpc/lanes/unary-lane.test.ts",
    test: "deadline",
  },
  {
    name: "unary calls: end with the caller",
    file: "src/sites/rpc/lanes/unary-call.ts",
    changes: [["scope.bound(method.call(", "(async (work: Promise<Message>) => await work)(method.call("]],
    in: "test/sites/rpc/lanes/unary-lane.test.ts",
    test: "that is reset while it runs",
  },
  {
    name: "gRPC on HTTP/1.1",
    file: "src/sites/rpc/lanes/framed-call.ts",
    changes: [['if (type.protocol === "grpc" && !exchange.isHttp2) {', "if (false) {"]],
    in: "test/sites/rpc/web.test.ts",
    test: "on HTTP/1.1 is refused",
  },
];
