import type { Guard } from "./guards.ts";

/** What comes in from callers, and from servers that callers name. */
export const inputGuards: readonly Guard[] = [
  {
    name: "address: that a name resolves to",
    file: "src/kernel/outbound/connection.ts",
    changes: [["addresses.every(({ address }) => setup.rules.mayConnect(url, address))", "true"]],
    in: "test/kernel/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: resolved once, so that the checked one is connected to",
    file: "src/kernel/outbound/connection.ts",
    changes: [
      [
        "lookup: lookupOf(addresses),",
        "lookup: (name, options, done) => void setup.resolve(name).then((found) => lookupOf(found)(name, options, done)),",
      ],
    ],
    in: "test/kernel/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: by its spelling",
    file: "src/kernel/outbound/target.ts",
    changes: [['return isPublicHost(url) ? undefined : "must name a public host";', "return undefined;"]],
    in: "test/kernel/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: after a redirect",
    file: "src/kernel/outbound/guarded-fetch.ts",
    changes: [
      [
        "const violation = setup.rules.violationOf(url);",
        "const violation = redirects > 0 ? undefined : setup.rules.violationOf(url);",
      ],
    ],
    in: "test/kernel/outbound/guarded-fetch.test.ts",
  },
  {
    name: "address: blocks that are not public",
    file: "src/kernel/outbound/address.ts",
    changes: [['return !forbidden.check(address, "ipv4");', "return true;"]],
    in: "test/kernel/outbound/address.test.ts",
  },
  {
    name: "fetch: certificate",
    file: "src/kernel/outbound/connection.ts",
    changes: [["rejectUnauthorized: true,", "rejectUnauthorized: false,"]],
    in: "test/kernel/outbound/guarded-fetch.test.ts",
  },
  {
    name: "fetch: size of the answer",
    file: "src/kernel/outbound/guarded-fetch.ts",
    changes: [['if (size > maxBytes) return { kind: "size" };', ""]],
    in: "test/kernel/outbound/guarded-fetch-answers.test.ts",
    test: "body is too long",
  },
  {
    name: "url: user information",
    file: "src/kernel/base/url.ts",
    changes: [['if (authority.includes("@")) return', "if (false) return"]],
    in: "test/kernel/base/url.test.ts",
  },
  {
    name: "several authorization headers",
    file: "src/kernel/http/exchanges/request-headers.ts",
    changes: [
      [
        'name === "authorization" ? authorizationOf(request.rawHeaders) : request.headers[name]',
        "request.headers[name]",
      ],
    ],
    in: "test/kernel/http/body-admission.test.ts",
  },
  {
    name: "size of a message",
    file: "src/kernel/http/bodies/body.ts",
    changes: [["if (first.length + (sink?.length ?? 0) + chunk.length > maxBytes)", "if (false)"]],
    in: "test/sites/rpc/json.test.ts",
    test: "is limited when it is not announced",
  },
  {
    name: "size of a message after decompression",
    file: "src/kernel/http/bodies/decompression.ts",
    changes: [["if (length > maxBytes)", "if (false)"]],
    in: "test/sites/rpc/json.test.ts",
    test: "a small body become a huge one",
  },
  {
    name: "json: the same key twice",
    file: "src/sites/rpc/lanes/json/scan.ts",
    changes: [["if (top.keys.has(top.key)) return", "if (false) return"]],
    in: "test/sites/rpc/json.test.ts",
    test: "a JSON body",
  },
  {
    name: "json: unknown fields",
    file: "src/sites/rpc/lanes/json/check.ts",
    changes: [
      [
        'if (field === undefined) throw invalid(join(path, shown(key)), "is not a field of this message");',
        "if (field === undefined) continue;",
      ],
    ],
    in: "test/sites/rpc/json.test.ts",
    test: "a JSON body",
  },
  {
    name: "json: Object.prototype is no table of fields",
    file: "src/sites/rpc/lanes/json/check.ts",
    changes: [
      [
        "const field = fields.get(key);",
        "const field = fields.get(key) ?? (Object.fromEntries(fields) as Record<string, never>)[key];",
      ],
    ],
    in: "test/sites/rpc/json.test.ts",
    test: "a JSON body",
  },
  {
    name: "Host",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["|| !authority.test(host)", ""]],
    in: "test/kernel/http/listener.test.ts",
    test: "400 in the shape",
  },
  {
    name: "several Hosts",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["(headersDistinct.host?.length ?? 1) > 1", "false"]],
    in: "test/kernel/http/listener.test.ts",
    test: "400 in the shape",
  },
  {
    name: "a Host beside :authority",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["    { http2: checkSameHost },\n", ""]],
    in: "test/kernel/http/odd-requests.test.ts",
    test: "refused as malformed if they differ",
  },
  {
    name: "strict-transport-security",
    file: "src/kernel/http/dispatch.ts",
    changes: [["...commonHeaders, ", ""]],
    in: "test/sites/front/transport-security.test.ts",
  },
  {
    name: "CORS: origins",
    file: "src/kernel/http/cors.ts",
    changes: [["origin !== undefined && (isAny || allowed.has(origin))", "origin !== undefined"]],
    in: "test/kernel/http/status-pages.test.ts",
  },
  {
    name: "metrics are closed through a proxy",
    file: "src/kernel/http/status-pages.ts",
    changes: [["return isLocal && !isForwarded;", "return isLocal;"]],
    in: "test/kernel/http/status-pages.test.ts",
  },
  {
    name: "X-Forwarded-For counts from trusted proxies only",
    file: "src/kernel/http/exchanges/client-address.ts",
    changes: [["|| !isProxy(peer))", ")"]],
    in: "test/kernel/http/listener.test.ts",
    test: "configured proxies only",
  },
  {
    name: "x-service-orgid may not be repeated",
    file: "src/sites/rpc/calls/pipeline.ts",
    changes: [['if (header?.includes(",") === true) {', "if (false) {"]],
    in: "test/sites/rpc/calls/pipeline.test.ts",
  },
  {
    name: "field rules",
    file: "src/sites/rpc/calls/pipeline.ts",
    changes: [["if (violations.length > 0) throw", "if (false) throw"]],
    in: "test/sites/rpc/calls/pipeline.test.ts",
  },
  {
    name: "a bug tells the caller a request id only",
    file: "src/kernel/http/errors/refusals.ts",
    changes: [
      ["message: `internal error; request id ${requestId}`", "message: `internal error: ${String(cause)}`"],
    ],
    in: "test/sites/rpc/calls/pipeline.test.ts",
  },
  {
    name: "transfer codings that end in chunked",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [['coding.toLowerCase() === "chunked"', "true"]],
    in: "test/kernel/http/odd-requests.test.ts",
    test: "chunks twice",
  },
  {
    name: "url: a redirect to a host that nobody can have",
    file: "src/kernel/outbound/guarded-fetch.ts",
    changes: [["if (hostViolation(url) !== undefined) return", "if (false) return"]],
    in: "test/kernel/outbound/guarded-fetch-answers.test.ts",
  },
  {
    name: "versions that are not framed as HTTP/1.1 is",
    file: "src/kernel/http/exchanges/request-checks.ts",
    changes: [["    { http1: checkVersion },\n", ""]],
    in: "test/kernel/http/odd-requests.test.ts",
    test: "the version of another framing",
  },
  {
    name: "sites: one without CORS is for its own origin",
    file: "src/kernel/http/dispatch.ts",
    changes: [["site.cors?.headersFor(", 'options.findSite("/").cors?.headersFor(']],
    in: "test/kernel/http/second-site.test.ts",
    test: "origins that may make calls",
  },
  {
    name: "another try: the link stays at this origin",
    file: "src/kernel/http/exchanges/retry-path.ts",
    changes: [["(?![/\\\\])", ""]],
    in: "test/kernel/http/exchanges/retry-path.test.ts",
    test: "may lead elsewhere",
  },
  {
    name: "another try: no backslash that a browser reads as a slash",
    file: "src/kernel/http/exchanges/retry-path.ts",
    changes: [["[\\\\#]", "#"]],
    in: "test/kernel/http/exchanges/retry-path.test.ts",
    test: "may lead elsewhere",
  },
];
