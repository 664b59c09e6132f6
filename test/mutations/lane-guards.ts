import type { Guard } from "./guards.ts";

/** What the lanes of unary calls have besides the pipeline. */
export const laneGuards: readonly Guard[] = [
  {
    name: "unary lane: nobody's body is read before he is known",
    file: "src/transport/lanes/unary-lane.ts",
    changes: [
      [
        "const answer = await callUnary(clock, exchange, { method, timeoutMs, receive });",
        "const early = await receive();\n  const answer = await callUnary(clock, exchange, { method, timeoutMs, receive: async () => early });",
      ],
    ],
    in: "test/transport/unary-lane.test.ts",
    test: "without a token",
  },
  {
    name: "unary lane: size of a body",
    file: "src/transport/lanes/unary-lane.ts",
    changes: [["bodies.read(exchange, maxBytes + headBytes,", "bodies.read(exchange, 2 ** 40,"]],
    in: "test/transport/unary-lane.test.ts",
    test: "announces|limit of its own",
  },
  {
    name: "unary lane: compressed requests are left to the lane that undoes it",
    file: "src/transport/lanes/unary-lane.ts",
    changes: [['(exchange.header("grpc-encoding") ?? "identity") === "identity"', "true"]],
    in: "test/transport/grpc.test.ts",
    test: "may be compressed",
  },
  {
    name: "bare streams: compressed requests are left to the lane that undoes it",
    file: "src/transport/dispatch.ts",
    changes: [['(headers["grpc-encoding"] ?? "identity") === "identity" &&', ""]],
    in: "test/transport/grpc.test.ts",
    test: "may be compressed",
  },
  {
    name: "bare streams: Host",
    file: "src/transport/dispatch.ts",
    changes: [["  checkHost(exchange.opened.headers);\n", ""]],
    in: "test/transport/stream-exchange.test.ts",
  },
  {
    name: "bare streams: size of headers",
    file: "src/transport/dispatch.ts",
    changes: [["  checkHeaderSize(exchange.opened, options.maxHeaderBytes);\n", ""]],
    in: "test/transport/stream-exchange.test.ts",
  },
  {
    name: "bare streams: who does not read is given up",
    file: "src/transport/stream-exchange.ts",
    changes: [["this.#unread.hold(body?.length ?? 0, () => this.cut());", "() => {};"]],
    in: "test/transport/stream-exchange.test.ts",
  },
  {
    name: "bare streams: what nobody reads of a request is thrown away",
    file: "src/transport/stream-exchange.ts",
    changes: [["drain(stream, () => stream.close(constants.NGHTTP2_NO_ERROR));", ";"]],
    in: "test/transport/stream-exchange.test.ts",
  },
  {
    name: "gRPC-web in text: strange characters and padding inside",
    file: "src/transport/lanes/web-text.ts",
    changes: [["else if (value >= padding || padded > 0) return undefined;", ""]],
    in: "test/transport/text-decoder.test.ts",
  },
  {
    name: "gRPC-web in text: a group that is not whole",
    file: "src/transport/lanes/web-text.ts",
    changes: [["isWhole: () => count === 0,", "isWhole: () => true,"]],
    in: "test/transport/text-decoder.test.ts",
  },
  {
    name: "gRPC-web in text: size that is announced",
    file: "src/transport/lanes/web-text.ts",
    changes: [["Math.floor(encodedLength / 4)", "0 * encodedLength"]],
    in: "test/transport/web-text.test.ts",
    test: "announced too long",
  },
  {
    name: "gRPC-web in text: the limit is that of the decoded bytes",
    file: "src/transport/lanes/web-text.ts",
    changes: [
      [
        "leastLength: (encodedLength) => Math.floor(encodedLength / 4),",
        "leastLength: (encodedLength) => encodedLength,",
      ],
    ],
    in: "test/transport/web-text.test.ts",
    test: "held to the limit",
  },
  {
    name: "gRPC-web in text: streams are text too",
    file: "src/transport/lanes/connect-lane.ts",
    changes: [["(isText ? encodeChunks(answer.body) : answer.body)", "answer.body"]],
    in: "test/transport/web-text.test.ts",
    test: "of a stream",
  },
  {
    name: "unary calls: deadline",
    file: "src/transport/lanes/unary-call.ts",
    changes: [["exchange.answering, timeoutMs)", "exchange.answering, undefined)"]],
    in: "test/transport/unary-lane.test.ts",
    test: "deadline",
  },
  {
    name: "unary calls: end with the caller",
    file: "src/transport/lanes/unary-call.ts",
    changes: [["scope.bound(method.call(", "(async (work: Promise<Message>) => await work)(method.call("]],
    in: "test/transport/unary-lane.test.ts",
    test: "that is reset while it runs",
  },
  {
    name: "gRPC on HTTP/1.1",
    file: "src/transport/lanes/framed-call.ts",
    changes: [['if (type.protocol === "grpc" && !exchange.isHttp2) {', "if (false) {"]],
    in: "test/transport/web.test.ts",
    test: "on HTTP/1.1 is refused",
  },
];
