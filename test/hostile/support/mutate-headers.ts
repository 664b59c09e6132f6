import type { Headers, HostileRequest } from "./exchange.ts";
import { compressions, contentTypes, forwarded, organizations, timeouts, tokens } from "./hostile-values.ts";
import type { Random } from "./random.ts";

/** What a mutation of a request's head changes. */
export type Change = Partial<
  Pick<HostileRequest, "verb" | "path" | "headers" | "mayBeCut" | "hasDeadline">
> & {
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
    headers: [...headers, ["x-long", random.text(100).repeat(random.pick([80, 150, 400]))]],
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
        random.pick(["0", "-1", "1e3", "0x10", "99999999999999999999", "1, 2", "+5", "a", "", "5;"]),
      ],
      ...headers,
    ],
    mayBeCut: true,
  }),
];
