import type { Guard } from "./guards.ts";

/** What is looked at in a message, and around it, before anything is made of it. */
export const messageGuards: readonly Guard[] = [
  {
    name: "binary: number of values",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [["if (++this.#values > this.#maxValues)", "if (false)"]],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "values are counted",
  },
  {
    name: "binary: entries of packed lists are values",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [
      [
        "      this.#count();\n      this.#skipValue(wireType, packedEnd);",
        "      this.#skipValue(wireType, packedEnd);",
      ],
    ],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "packed",
  },
  {
    name: "binary: wire types of known fields",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [
      [
        "else throw this.#malformed(`${field.fullName} has",
        "else this.#skip(tag, end, depth);\n      if (false) throw this.#malformed(`${field.fullName} has",
      ],
    ],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "a known field",
  },
  {
    name: "binary: what cannot be followed",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [["  new Scan(desc, bytes).run();", "  try { new Scan(desc, bytes).run(); } catch { return; }"]],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "is refused when it is not",
  },
  {
    name: "binary: messages end where they say",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [["if (innerEnd > end) throw", "if (false) throw"]],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "nothing goes on behind",
  },
  {
    name: "binary: packed lists end where they say",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [["if (packedEnd > end) throw", "if (false) throw"]],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "nothing goes on behind",
  },
  {
    name: "binary: levels of groups",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [["if (depth >= maxDepth) throw", "if (false) throw"]],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "levels",
  },
  {
    name: "binary: messages in frames are scanned before they are decoded",
    file: "src/sites/rpc/lanes/framed-body.ts",
    changes: [['    if (call.codec === "proto") scanBinary(method.descriptor.input, data);\n', ""]],
    in: "test/api/wire-types.sized.test.ts",
  },
  {
    name: "binary: messages are scanned before they are decoded",
    file: "src/sites/rpc/lanes/binary/codec.ts",
    changes: [["  scanBinary(input, bytes);\n", ""]],
    in: "test/api/wire-types.sized.test.ts",
  },
  {
    name: "free-form: values in binary",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [["++this.#freeValues > freeFormBounds.maxValues", "false"]],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "free-form",
  },
  {
    name: "free-form: levels in binary",
    file: "src/sites/rpc/lanes/binary/scan.ts",
    changes: [["if (inner > freeFormBounds.maxLevels) throw", "if (false) throw"]],
    in: "test/sites/rpc/lanes/binary-scan.test.ts",
    test: "free-form",
  },
  {
    name: "free-form: values in JSON",
    file: "src/sites/rpc/lanes/json/check.ts",
    changes: [["count.values > freeFormBounds.maxValues ||", ""]],
    in: "test/api/bounds.sized.test.ts",
    test: "on every lane",
  },
  {
    name: "free-form: levels in JSON",
    file: "src/sites/rpc/lanes/json/check.ts",
    changes: [["|| ++count.levels > freeFormBounds.maxLevels", ""]],
    in: "test/api/bounds.sized.test.ts",
    test: "on every lane",
  },
  {
    name: "json: base64 that is none",
    file: "src/sites/rpc/lanes/json/check.ts",
    changes: [[" && isBase64(json) ? undefined", " ? undefined"]],
    in: "test/sites/rpc/json.test.ts",
    test: "the broken base64",
  },
  {
    name: "json: instants that there are not",
    file: "src/sites/rpc/lanes/json/check.ts",
    changes: [['  if (checked === "absent") throw', "  if (false) throw"]],
    in: "test/sites/rpc/json.test.ts",
    test: "which there is not",
  },
  {
    name: "json: instants beyond the years 1 to 9999",
    file: "src/sites/rpc/lanes/json/check.ts",
    changes: [['throw checked === "there" ? fieldInvalid(path, noInstant) : invalid', "throw invalid"]],
    in: "test/sites/rpc/json.test.ts",
    test: "which there is not",
  },
  {
    name: "gRPC-web: bytes behind the trailers of a unary call",
    file: "src/sites/rpc/lanes/framed-body.ts",
    changes: [
      [
        "  for (const frame of splitFrames(body, call.maxBytes)) {\n    if (isOver) throw behindTrailers();",
        "  for (const frame of splitFrames(body, call.maxBytes)) {\n    if (isOver) return;",
      ],
    ],
    in: "test/sites/rpc/web.test.ts",
    test: "behind the trailers",
  },
  {
    name: "gRPC-web: bytes behind the trailers in all other calls",
    file: "src/sites/rpc/lanes/framed-body.ts",
    changes: [
      [
        "  for await (const frame of frames) {\n    if (isOver) throw behindTrailers();",
        "  for await (const frame of frames) {\n    if (isOver) return;",
      ],
    ],
    in: "test/sites/rpc/web.test.ts",
    test: "behind the trailers",
  },
  {
    name: "repeated headers, on HTTP/1.1",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["http1: checkRepeated, http2: checkRepeated", "http2: checkRepeated"]],
    in: "test/kernel/http/body-admission.test.ts",
    test: "two headers",
  },
  {
    name: "repeated headers, on HTTP/2",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["http1: checkRepeated, http2: checkRepeated", "http1: checkRepeated"]],
    in: "test/kernel/http/body-admission.test.ts",
    test: "two headers",
  },
  {
    name: "frames: one message for a call that takes one",
    file: "src/sites/rpc/calls/single-request.ts",
    changes: [
      [
        '  for (const request of requests) {\n    if (only !== undefined) throw notOneMessage("more than one");',
        "  for (const request of requests) {",
      ],
    ],
    in: "test/sites/rpc/grpc.test.ts",
    test: "are UNIMPLEMENTED",
  },
  {
    name: "frames: compression that no header names is the caller's fault",
    file: "src/sites/rpc/errors/refusals.ts",
    changes: [['kind: "protocol",', 'kind: "internal",']],
    in: "test/sites/rpc/grpc.test.ts",
    test: "compression that no header names",
  },
  {
    name: "frames: limits of a stream of requests are those of a message",
    file: "src/sites/rpc/lanes/framed-body.ts",
    changes: [['methodKind === "client_streaming" || ', ""]],
    in: "test/kernel/http/bodies/body.test.ts",
    test: "limits of a call",
  },
];
