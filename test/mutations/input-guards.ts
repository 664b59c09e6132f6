import type { Guard } from "./guards.ts";

/** What comes in from callers, and from servers that callers name. */
export const inputGuards: readonly Guard[] = [
  {
    name: "xml: DOCTYPE",
    file: "src/features/applications/xml-scan.ts",
    changes: [["if (isDeclaration(text, start))", "if (false)"]],
    in: "test/features/applications/saml-metadata.test.ts",
  },
  {
    name: "xml: size of the document",
    file: "src/features/applications/saml-metadata.ts",
    changes: [["if (bytes.length > maxBytes) {", "if (false) {"]],
    in: "test/features/applications/saml-metadata.test.ts",
  },
  {
    name: "xml: numbers of elements, attributes, references, levels",
    file: "src/features/applications/xml-scan.ts",
    changes: [["if (scan[what] > limits[what])", "if (false)"]],
    in: "test/features/applications/saml-metadata-hostile.test.ts",
    test: "is refused",
  },
  {
    name: "xml: length of attributes",
    file: "src/features/applications/xml-scan.ts",
    changes: [["if (value.length > maxAttributeLength) {", "if (false) {"]],
    in: "test/features/applications/saml-metadata-hostile.test.ts",
    test: "is refused",
  },
  {
    name: "xml: encoding",
    file: "src/features/applications/saml-metadata.ts",
    changes: [['if (text.slice(0, 4).includes("\\0") ||', "if (false &&"]],
    in: "test/features/applications/saml-metadata.test.ts",
  },
  {
    name: "saml: location of the assertion consumer service",
    file: "src/features/applications/assertion-consumer-service.ts",
    changes: [['if (url?.protocol === "https:" ||', 'if (location !== "" ||']],
    in: "test/features/applications/saml-metadata.test.ts",
  },
  {
    name: "address: that a name resolves to",
    file: "src/outbound/connection.ts",
    changes: [["addresses.every(({ address }) => setup.rules.mayConnect(url, address))", "true"]],
    in: "test/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: resolved once, so that the checked one is connected to",
    file: "src/outbound/connection.ts",
    changes: [
      [
        "lookup: lookupOf(addresses),",
        "lookup: (name, options, done) => void setup.resolve(name).then((found) => lookupOf(found)(name, options, done)),",
      ],
    ],
    in: "test/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: by its spelling",
    file: "src/outbound/target.ts",
    changes: [['return isPublicHost(url) ? undefined : "must name a public host";', "return undefined;"]],
    in: "test/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: after a redirect",
    file: "src/outbound/guarded-fetch.ts",
    changes: [
      [
        "const violation = setup.rules.violationOf(url);",
        "const violation = redirects > 0 ? undefined : setup.rules.violationOf(url);",
      ],
    ],
    in: "test/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: blocks that are not public",
    file: "src/outbound/address.ts",
    changes: [['return !forbidden.check(address, "ipv4");', "return true;"]],
    in: "test/outbound/address.test.ts",
  },
  {
    name: "fetch: certificate",
    file: "src/outbound/connection.ts",
    changes: [["rejectUnauthorized: true,", "rejectUnauthorized: false,"]],
    in: "test/outbound/guarded-fetch.test.ts",
  },
  {
    name: "fetch: size of the answer",
    file: "src/outbound/guarded-fetch.ts",
    changes: [["if (size > maxBytes) return undefined;", ""]],
    in: "test/outbound/guarded-fetch-answers.test.ts",
  },
  {
    name: "fetch: number of redirects",
    file: "src/outbound/guarded-fetch.ts",
    changes: [["if (redirects >= limits.maxRedirects) {", "if (redirects >= 20) {"]],
    in: "test/outbound/guarded-fetch-answers.test.ts",
  },
  {
    name: "url: user information",
    file: "src/base/url.ts",
    changes: [['if (authority.includes("@")) return', "if (false) return"]],
    in: "test/base/url.test.ts",
  },
  {
    name: "bytes of bodies that are held at once",
    file: "src/transport/body.ts",
    changes: [["if (heldBytes + bytes > maxBytes)", "if (false)"]],
    in: "test/transport/admission.test.ts",
  },
  {
    name: "several authorization headers",
    file: "src/transport/dispatch.ts",
    changes: [['name === "authorization" ? authorizationOf(request) : headers[name]', "headers[name]"]],
    in: "test/transport/admission.test.ts",
  },
  {
    name: "size of a message",
    file: "src/transport/body.ts",
    changes: [["if (sink.length + chunk.length > maxBytes) return", "if (false) return"]],
    in: "test/transport/json.test.ts",
  },
  {
    name: "size of a message after decompression",
    file: "src/transport/body.ts",
    changes: [["if (length > maxBytes)", "if (false)"]],
    in: "test/transport/json.test.ts",
  },
  {
    name: "compressions by their own names only",
    file: "src/transport/body.ts",
    changes: [
      ["Object.hasOwn(decompressors, name) ? decompressors[name] : undefined", "decompressors[name]"],
    ],
    in: "test/transport/json.test.ts",
  },
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
    changes: [
      ["bodies.read(exchange.request, maxBytes + headBytes)", "bodies.read(exchange.request, 2 ** 40)"],
    ],
    in: "test/transport/unary-lane.test.ts",
    test: "announces|limit of its own",
  },
  {
    name: "unary lane: compressed requests are left to the lane that undoes it",
    file: "src/transport/lanes/unary-lane.ts",
    changes: [['(header("grpc-encoding") ?? "identity") === "identity"', "true"]],
    in: "test/transport/grpc.test.ts",
    test: "may be compressed",
  },
  {
    name: "unary calls: deadline",
    file: "src/transport/lanes/unary-call.ts",
    changes: [["openCallScope(clock, response, timeoutMs)", "openCallScope(clock, response, undefined)"]],
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
    name: "json: the same key twice",
    file: "src/transport/json/scan.ts",
    changes: [["if (top.keys.has(top.key)) return", "if (false) return"]],
    in: "test/transport/json.test.ts",
  },
  {
    name: "json: unknown fields",
    file: "src/transport/json/check.ts",
    changes: [
      [
        'if (field === undefined) throw invalid(join(path, shown(key)), "is not a field of this message");',
        "if (field === undefined) continue;",
      ],
    ],
    in: "test/transport/json.test.ts",
  },
  {
    name: "json: integers that would be rounded",
    file: "src/transport/json/scan.ts",
    changes: [["if (isInexact(literal)) return", "if (false) return"]],
    in: "test/transport/json.test.ts",
  },
  {
    name: "json: depth",
    file: "src/transport/json/scan.ts",
    changes: [["if (stack.length === maxDepth) return", "if (false) return"]],
    in: "test/transport/json-scan.test.ts",
  },
  {
    name: "json: number of values",
    file: "src/transport/json/scan.ts",
    changes: [
      ['if (++values > maxValues) return { kind: "too-many", path: [] };\n      top', "++values;\n      top"],
    ],
    in: "test/transport/json-scan.test.ts",
  },
  {
    name: "json: Object.prototype is no table of fields",
    file: "src/transport/json/check.ts",
    changes: [
      [
        "const field = fields.get(key);",
        "const field = fields.get(key) ?? (Object.fromEntries(fields) as Record<string, never>)[key];",
      ],
    ],
    in: "test/transport/json.test.ts",
  },
  {
    name: "json: UTF-8",
    file: "src/transport/json/codec.ts",
    changes: [['new TextDecoder("utf-8", { fatal: true })', 'new TextDecoder("utf-8")']],
    in: "test/transport/json.test.ts",
  },
  {
    name: "binary: number of fields",
    file: "src/transport/binary-scan.ts",
    changes: [["if (values > maxValues) throw", "if (false) throw"]],
    in: "test/transport/binary-scan.test.ts",
  },
  {
    name: "Host",
    file: "src/transport/dispatch.ts",
    changes: [["|| !authority.test(host)", ""]],
    in: "test/transport/listener.test.ts",
    test: "400 in the shape",
  },
  {
    name: "several Hosts",
    file: "src/transport/dispatch.ts",
    changes: [["(request.headersDistinct.host?.length ?? 1) > 1", "false"]],
    in: "test/transport/listener.test.ts",
    test: "400 in the shape",
  },
  {
    name: "CORS: origins",
    file: "src/transport/cors.ts",
    changes: [["origin !== undefined && allowed.has(origin)", "origin !== undefined"]],
    in: "test/transport/beside.test.ts",
  },
  {
    name: "CORS: headers that pages may read",
    file: "src/transport/cors.ts",
    changes: [['"access-control-expose-headers": exposedHeaders.join(","),', ""]],
    in: "test/transport/beside.test.ts",
  },
  {
    name: "deprecation",
    file: "src/transport/deprecation.ts",
    changes: [["return descriptor?.deprecated === true ? headers : none;", "return none;"]],
    in: "test/transport/grpc.test.ts",
    test: "deprecated",
  },
  {
    name: "metrics are closed through a proxy",
    file: "src/transport/beside.ts",
    changes: [["return isLocal && !isForwarded;", "return isLocal;"]],
    in: "test/transport/beside.test.ts",
  },
  {
    name: "X-Forwarded-For counts from trusted proxies only",
    file: "src/transport/remote-address.ts",
    changes: [["|| !isProxy(peer))", ")"]],
    in: "test/transport/listener.test.ts",
    test: "configured proxies only",
  },
  {
    name: "x-service-orgid may not be repeated",
    file: "src/transport/pipeline.ts",
    changes: [['if (header?.includes(",") === true) {', "if (false) {"]],
    in: "test/transport/pipeline.test.ts",
  },
  {
    name: "headers that ask for a condition are not passed over",
    file: "src/transport/pipeline.ts",
    changes: [["        refuseConditions(arrival);", ""]],
    in: "test/api/guards.test.ts",
  },
  {
    name: "field rules",
    file: "src/transport/pipeline.ts",
    changes: [["if (violations.length > 0) throw", "if (false) throw"]],
    in: "test/transport/pipeline.test.ts",
  },
  {
    name: "a bug tells the caller a request id only",
    file: "src/transport/refusals.ts",
    changes: [
      ["message: `internal error; request id ${requestId}`", "message: `internal error: ${String(cause)}`"],
    ],
    in: "test/transport/pipeline.test.ts",
  },
  {
    name: "time for the first bytes",
    file: "src/transport/sniff.ts",
    changes: [["setTimeout(() => socket.destroy(), timeoutMs)", "setTimeout(() => {}, timeoutMs)"]],
    in: "test/transport/listener.test.ts",
    test: "that sends nothing",
  },
  {
    name: "time for a body",
    file: "src/transport/body.ts",
    changes: [
      [
        "setTimeout(() => refuse(bodyTooSlow(limits.bodyTimeoutMs)), limits.bodyTimeoutMs)",
        "setTimeout(() => {}, limits.bodyTimeoutMs)",
      ],
    ],
    in: "test/transport/listener.test.ts",
    test: "answer 504 to a body",
  },
  {
    name: "time for the settings of HTTP/2",
    file: "src/transport/session-guard.ts",
    changes: [["setTimeout(cut, timeoutMs)", "setTimeout(() => {}, timeoutMs)"]],
    in: "test/transport/limits.test.ts",
    test: "first-byte-timeout-ms",
  },
  {
    name: "floods of control frames",
    file: "src/transport/session-guard.ts",
    changes: [["if (left >= 0 || session.destroyed) return;", "return;"]],
    in: "test/transport/floods.test.ts",
  },
  {
    name: "streams that are reset at once",
    file: "src/transport/listener.ts",
    changes: [
      ["streamResetBurst: 200", "streamResetBurst: 1e9"],
      ["streamResetRate: 20", "streamResetRate: 1e9"],
    ],
    in: "test/transport/listener.test.ts",
    test: "resets",
  },
  {
    name: "transfer codings that end in chunked",
    file: "src/transport/dispatch.ts",
    changes: [['coding.toLowerCase() === "chunked"', "true"]],
    in: "test/transport/odd-requests.test.ts",
    test: "chunks twice",
  },
  {
    name: "length of what an error repeats",
    file: "src/transport/errors.ts",
    changes: [["text.length <= maxCharacters ?", "true ?"]],
    in: "test/api/guards.test.ts",
    test: "is answered in full",
  },
];
