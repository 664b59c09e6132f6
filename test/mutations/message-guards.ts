import type { Guard } from "./guards.ts";

/** What is looked at in a message, and around it, before anything is made of it. */
export const messageGuards: readonly Guard[] = [
  {
    name: "binary: messages in frames are scanned before they are decoded",
    file: "src/sites/rpc/lanes/framed-body.ts",
    change: ['    if (call.codec === "proto") scanBinary(method.descriptor.input, data);\n', ""],
    in: "test/api/wire-types.sized.test.ts",
  },
  {
    name: "binary: messages are scanned before they are decoded",
    file: "src/sites/rpc/lanes/binary/codec.ts",
    change: ["  scanBinary(input, bytes);\n", ""],
    in: "test/api/wire-types.sized.test.ts",
  },
  {
    name: "free-form: values in binary",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    change: ["++this.#freeValues > freeFormBounds.maxValues", "false"],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "free-form",
  },
  {
    name: "free-form: values in JSON",
    file: "src/sites/rpc/lanes/json/check.ts",
    change: ["count.values > freeFormBounds.maxValues ||", ""],
    in: "test/api/bounds.sized.test.ts",
    test: "on every lane",
  },
  {
    name: "gRPC-web: bytes behind the trailers of a unary call",
    file: "src/sites/rpc/lanes/framed-body.ts",
    change: [
      "  for (const frame of splitFrames(body, call.maxBytes)) {\n    if (isOver) throw behindTrailers();",
      "  for (const frame of splitFrames(body, call.maxBytes)) {\n    if (isOver) return;",
    ],
    in: "test/sites/rpc/web.test.ts",
    test: "behind the trailers",
  },
  {
    name: "repeated headers, on HTTP/1.1",
    file: "src/kernel/http/exchanges/request-checks.ts",
    change: ["http1: checkRepeated, http2: checkRepeated", "http2: checkRepeated"],
    in: "test/kernel/http/body-admission.test.ts",
    test: "two headers",
  },
  {
    name: "repeated headers, on HTTP/2",
    file: "src/kernel/http/exchanges/request-checks.ts",
    change: ["http1: checkRepeated, http2: checkRepeated", "http1: checkRepeated"],
    in: "test/kernel/http/body-admission.test.ts",
    test: "two headers",
  },
  {
    name: "frames: one message for a call that takes one",
    file: "src/sites/rpc/calls/single-request.ts",
    change: [
      '  for (const request of requests) {\n    if (only !== undefined) throw notOneMessage("more than one");',
      "  for (const request of requests) {",
    ],
    in: "test/sites/rpc/grpc.test.ts",
    test: "are UNIMPLEMENTED",
  },
];
