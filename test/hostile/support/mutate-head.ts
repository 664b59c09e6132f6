import type { Headers, HostileRequest } from "./exchange.ts";
import { hostileTexts } from "./requests.ts";
import type { Random } from "./random.ts";

/** What a mutation of a request's head changes. */
type Change = Partial<Pick<HostileRequest, "verb" | "path" | "headers" | "mayBeCut" | "hasDeadline">> & {
  readonly what: string;
};

/** Returns the request with one of its headers hostile, or a header more. */
export function mutateHeaders(request: HostileRequest, random: Random): HostileRequest {
  const change = random.pick(headerMutations)(request, random);
  return { ...request, ...change };
}

const without = (headers: Headers, name: string): Headers => headers.filter(([each]) => each !== name);
const replaced = (headers: Headers, name: string, value: string): Headers => [
  ...without(headers, name),
  [name, value],
];

const tokens: readonly string[] = [
  ...[
    "",
    "Bearer",
    "Bearer ",
    "bearer  x",
    "Basic YTpi",
    "Bearer null",
    "Bearer gatehouse_pat_",
    "Negotiate",
  ],
  ...[
    "Bearer gatehouse_pat_1_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "Bearer \u00ff\u00fe",
    "Bearer __proto__",
  ],
  ...[
    "Bearer gatehouse_pat_9223372036854775808_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    `Bearer ${"a".repeat(8000)}`,
  ],
  ...[
    "Bearer eyJhbGciOiJub25lIn0.e30.",
    "Bearer ' OR 1=1 --",
    "Bearer a, Bearer b",
    "Bearer\ta",
    "gatehouse_pat_1",
  ],
];

const organizations: readonly string[] = [
  ...[
    "",
    " ",
    "0",
    "-1",
    "1",
    "1,2",
    "9223372036854775807",
    "9223372036854775808",
    "1e3",
    "__proto__",
    "' OR 1=1 --",
  ],
  ...["\u00e9", "a".repeat(5000), "null", "%00", "../..", "1;2", "*", "%", "\u00ff\u00ff"],
];

const forwarded: Headers = [
  ["x-forwarded-for", "127.0.0.1"],
  ["x-forwarded-for", "' OR 1=1 --, ::1, 1.2.3.4"],
  ["x-forwarded-for", ",,,,"],
  ["x-forwarded-host", "evil.example"],
  ["x-forwarded-proto", "javascript"],
  ["x-forwarded-prefix", "/../.."],
  ["forwarded", 'for="_a";host=evil.example;proto=https'],
  ["x-real-ip", "10.0.0.1"],
  ["x-original-url", "/metrics"],
  ["x-rewrite-url", "/v1/orgs"],
  ["x-http-method-override", "DELETE"],
  ["x-request-id", "ffffffffffffffffffffffffffffffff"],
  ["cookie", "a=b; __proto__=c; token=d"],
  ["expect", "100-continue"],
  ["expect", "a miracle"],
  ["te", "trailers"],
  ["te", "gzip, chunked;q=0"],
  ["accept-encoding", "gzip;q=NaN, *;q=-1"],
  ["accept-encoding", "identity;q=0, *;q=0"],
  ["accept", "text/html, */*;q=2"],
  ["range", "bytes=0-0"],
  ["if-none-match", "*"],
  ["origin", "null"],
  ["origin", "https://evil.example"],
  ["access-control-request-method", "__proto__"],
  ["upgrade-insecure-requests", "1"],
  ["content-disposition", 'form-data; name="__proto__"'],
  ["connect-protocol-version", "1"],
  ["connect-protocol-version", "99"],
  ["connect-accept-encoding", "br, __proto__"],
  ["grpc-accept-encoding", "a,b,,c"],
  ["grpc-trace-bin", "!!!"],
  ["x-bin-bin", "="],
  ["__proto__", "polluted"],
  ["constructor", "polluted"],
  ["sec-fetch-site", "cross-site"],
  ["idempotency-key", "a"],
  ["if-match", "*"],
  ["x-service-validate-only", "true"],
  ["accept-language", "x".repeat(9000)],
  ["user-agent", "${jndi:ldap://127.0.0.1/a}"],
  ["x-odd", "\u00e9\u00ff\u0080"],
];

const contentTypes: readonly string[] = [
  ...[
    "",
    "text/plain",
    "application/json; charset=utf-16",
    "application/json; charset=",
    'application/json; charset="utf-8"',
  ],
  ...[
    "application/json;;;",
    "APPLICATION/JSON",
    " application/json",
    "application/jsonx",
    "application/*",
    "*/*",
    "application",
  ],
  ...[
    "multipart/form-data; boundary=a",
    "application/x-www-form-urlencoded",
    "application/grpc+json",
    "application/grpc+",
  ],
  ...[
    "application/grpc+__proto__",
    "application/grpc-web+json",
    "application/grpc-web-text+proto",
    "application/grpc;a=b",
  ],
  ...[
    "application/connect",
    "application/connect+",
    "application/connect+xml",
    "application/proto; messageType=a",
  ],
  ...[
    "application/x-protobuf",
    "application/json, application/grpc",
    "application/grpc, application/json",
    "\u00e9/\u00e9",
  ],
  ...[
    `application/json; a=${"b".repeat(4000)}`,
    "application/grpc-web+proto, a",
    "application/json; charset=utf-8; charset=utf-16",
  ],
];

const timeouts: readonly string[] = [
  ...[
    "",
    "0n",
    "1n",
    "1u",
    "1m",
    "0S",
    "99999999H",
    "100000000H",
    "-1S",
    "1",
    "S",
    "1s",
    "1 S",
    "1.5S",
    "0x1S",
  ],
  ...[
    "NaN",
    "1S, 2S",
    "00000001S",
    "\u0661S",
    "10000",
    "9999999999",
    "99999999999",
    "1e3",
    "+1",
    "__proto__",
  ],
];

const compressions = [
  "gzip",
  "br",
  "deflate",
  "zstd",
  "x-gzip",
  "identity, gzip",
  "gzip, gzip",
  "",
  "__proto__",
  "*",
  "GZIP",
];

const headerMutations: readonly ((request: HostileRequest, random: Random) => Change)[] = [
  ({ headers }, random) => {
    const value = random.chance(0.7) ? random.pick(tokens) : `Bearer ${random.text(40)}`;
    return { what: "a hostile token", headers: replaced(headers, "authorization", value) };
  },
  ({ headers }, random) => ({
    what: "several authorization headers",
    headers: [...headers, ["authorization", random.pick(tokens)], ["authorization", "Bearer x"]],
  }),
  ({ headers }) => ({ what: "no token", headers: without(headers, "authorization") }),
  ({ headers }, random) => ({
    what: "a hostile organization",
    headers: replaced(headers, "x-service-orgid", random.pick(organizations)),
  }),
  ({ headers }, random) => ({
    what: "several organizations",
    headers: [...headers, ["x-service-orgid", random.pick(organizations)], ["x-service-orgid", "1"]],
  }),
  ({ headers }, random) => ({
    what: "a hostile time-out",
    headers: [...headers, [random.pick(["grpc-timeout", "connect-timeout-ms"]), random.pick(timeouts)]],
    hasDeadline: true,
  }),
  ({ headers }, random) => ({
    what: "an encoding",
    headers: [
      ...headers,
      [
        random.pick(["grpc-encoding", "content-encoding", "connect-content-encoding"]),
        random.pick(compressions),
      ],
    ],
  }),
  ({ headers }, random) => ({
    what: "another content type",
    headers: replaced(headers, "content-type", random.pick(contentTypes)),
  }),
  ({ headers }) => ({ what: "no content type", headers: without(headers, "content-type") }),
  ({ headers }, random) => ({
    what: "two content types",
    headers: [...headers, ["content-type", random.pick(contentTypes)]],
    mayBeCut: true, // HTTP/2 does not take it twice
  }),
  ({ headers }, random) => ({
    what: "a header of a proxy or a browser",
    headers: [...headers, random.pick(forwarded)],
  }),
  ({ headers }, random) => ({
    what: "many headers",
    headers: [
      ...headers,
      ...Array.from(
        { length: random.pick([50, 150, 400]) },
        (_, at) => [`x-h${at}`, random.text(3)] as const,
      ),
    ],
    mayBeCut: true, // 431 on HTTP/1.1, the end of the stream on HTTP/2
  }),
  ({ headers }, random) => ({
    what: "long headers",
    headers: [...headers, ["x-long", random.text(random.pick([8000, 15_000, 40_000]))]],
    mayBeCut: true,
  }),
  ({ headers }, random) => ({
    what: "a byte in a header that may not be there",
    headers: [
      ...headers,
      [
        "x-odd",
        `a${random.pick(["\u0000", "\r", "\n", "\r\n x", "\r\nx-injected: 1", "\u007f", "\u0001"])}b`,
      ],
    ],
    mayBeCut: true,
  }),
  ({ headers }, random) => ({
    what: "a header with a name that may not be",
    headers: [
      ...headers,
      [
        random.pick([
          "a b",
          "",
          "a\u0000",
          "\u00e9",
          "a:",
          "(",
          "x_y",
          "X-Upper",
          ":path",
          ":status",
          ":unknown",
        ]),
        "1",
      ],
    ],
    mayBeCut: true,
  }),
  ({ headers }, random) => ({
    what: "a hostile host",
    headers: [
      ...headers,
      [
        "host",
        random.pick([
          "",
          "a b",
          "[",
          "[::1",
          "evil.example:99999",
          "a@b",
          "a/b",
          "\u00e9",
          "a,b",
          "*",
          "-",
          ".",
          "a:b:c",
          "x".repeat(5000),
        ]),
      ],
    ],
    mayBeCut: true,
  }),
  ({ headers }, random) => ({
    what: "a length that lies",
    // Less than there is, or none: what follows is not read as another request.
    headers: [
      [
        "content-length",
        random.pick(["0", "-1", "1e3", "0x10", "99999999999999999999", "1, 2", "+5", " 5", "a", "", "5;"]),
      ],
      ...headers,
    ],
    mayBeCut: true,
  }),
];

/** Returns the request with another path, query or verb. */
export function mutatePath(request: HostileRequest, random: Random): HostileRequest {
  return { ...request, ...random.pick(pathMutations)(request, random) };
}

const segments: readonly string[] = [
  ...[
    "%00",
    "%",
    "%2",
    "%zz",
    "%2F",
    "%2f..%2f",
    "..",
    ".",
    "%2e%2e",
    "",
    "%C3%A9",
    "%c0%af",
    "%ff",
    "%ED%A0%80",
    "%0d%0a",
    "+",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "0",
    "-1",
    "9223372036854775808",
    "1e3",
    "me",
    "%F0%9F%92%A9",
    "a;b=c",
    "*",
    "a:b",
    "%25",
  ],
  ...[
    "' OR 1=1 --".replaceAll(" ", "%20"),
    "x".repeat(3000),
    "{id}",
    "[",
    "]",
    "|",
    "\\",
    "^",
    "`",
    "~",
    "\u00e9",
  ],
];

const queries: readonly string[] = [
  ...[
    "?",
    "??",
    "?&",
    "?=",
    "?a",
    "?__proto__=1",
    "?constructor=1",
    "?__proto__[a]=1",
    "?constructor[prototype][a]=1",
    "?page_size=1&page_size=2",
  ],
  ...[
    "?page_size=-1",
    "?page_size=4294967296",
    "?page_size=1e3",
    "?page_size=",
    "?page_size=0x10",
    "?pageSize=1&page_size=1",
    "?page_token=a",
  ],
  ...[
    "?page_token=%00",
    "?name=%ff",
    "?name=%",
    "?count_total=maybe",
    "?state=99",
    "?state=NOPE",
    "?state=PROJECT_STATE_ACTIVE",
    "?name=%25",
    "?name=_",
  ],
  ...[
    "?name='%20OR%201=1%20--",
    "?name=*",
    "?name=%5C",
    "?details=%7B%7D",
    "?a=b#c",
    "?page_size=1;page_size=2",
    `?name=${"x".repeat(5000)}`,
    "?%00=1",
  ],
  ...[
    `?${"a=b&".repeat(1500)}`,
    "?name=a&name=b",
    "?toString=1",
    "?hasOwnProperty=1",
    "?%5F%5Fproto%5F%5F=1",
    "?\u00e9=1",
    "?count_total=true&page_size=1000",
  ],
];

const verbs = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "HEAD",
  "OPTIONS",
  "TRACE",
  "PROPFIND",
  "QUERY",
  "LOCK",
  "SEARCH",
  "PURGE",
];

const pathMutations: readonly ((request: HostileRequest, random: Random) => Change)[] = [
  ({ path }, random) => {
    const parts = path.split("/");
    parts[1 + random.below(parts.length - 1)] = random.pick(segments);
    return { what: "a segment of the path", path: parts.join("/") };
  },
  ({ path }, random) => ({ what: "a segment more", path: `${path}/${random.pick(segments)}` }),
  ({ path }, random) => ({
    what: "another path",
    path: `${random.pick(["//", "/./", "/../", "/%2e/", "/;/", "/v1//", "/V1"])}${path}`,
  }),
  (_request, random) => ({
    what: "a random path",
    path: `/${Array.from({ length: random.below(5) }, () => random.pick(segments)).join("/")}`,
  }),
  ({ path }) => ({ what: "a path in another case", path: path.toUpperCase() }),
  ({ path }, random) => ({ what: "a query", path: path.split("?")[0] + random.pick(queries) }),
  (_request, random) => ({
    what: "a query of a list",
    verb: "GET",
    path: `/v1/projects${random.pick(queries)}`,
  }),
  (_request, random) => {
    const filter = encodeURIComponent(random.pick(hostileTexts));
    return { what: "a filter of a list", verb: "GET", path: `/v1/projects?name=${filter}&count_total=true` };
  },
  (_request, random) => ({ what: "another verb", verb: random.pick(verbs) }),
  (_request, random) => ({
    what: "what stands beside",
    verb: random.pick(["GET", "POST", "HEAD", "OPTIONS"]),
    path: random.pick([
      "/healthz",
      "/readyz",
      "/metrics",
      "/openapi.json",
      "/healthz/",
      "/metrics?a=b",
      "/openapi.json/../metrics",
    ]),
  }),
  ({ path }, random) => ({
    what: "a path in absolute form",
    path: `${random.pick(["http://evil.example", "https://a@b:1", "HTTP://x", "file://", "javascript:", "http://", "*"])}${path}`,
    mayBeCut: true,
  }),
];
