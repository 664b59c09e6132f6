import type { Random } from "./random.ts";

/** Where on HTTP/1.1 a request goes, and with what right. */
export interface RawCall {
  readonly path: string;
  readonly contentType: string;
  readonly token: string;
  readonly body: Buffer;
}

/** Returns the bytes of a connection on which HTTP itself is broken. */
export function rawRequest(call: RawCall, random: Random): { readonly what: string; readonly raw: Buffer } {
  const [what, make] = random.pick(attacks);
  return { what, raw: Buffer.from(make(call, random)) };
}

type Make = (call: RawCall, random: Random) => Buffer | string;

function head(
  { path, contentType, token }: RawCall,
  lines: readonly string[],
  first = `POST ${path} HTTP/1.1`,
) {
  const all = [
    first,
    "Host: a",
    `Content-Type: ${contentType}`,
    `Authorization: Bearer ${token}`,
    ...lines,
    "",
    "",
  ];
  return Buffer.from(all.join("\r\n"), "latin1");
}

const attacks: readonly (readonly [string, Make])[] = [
  [
    "a length that never comes",
    (call) => Buffer.concat([head(call, [`Content-Length: ${call.body.length + 100}`]), call.body]),
  ],
  [
    "a length that is too short",
    (call) =>
      Buffer.concat([
        head(call, [`Content-Length: ${Math.max(0, call.body.length - 2)}`, "Connection: close"]),
        call.body,
      ]),
  ],
  [
    "a length and chunks",
    (call) =>
      Buffer.concat([
        head(call, ["Content-Length: 5", "Transfer-Encoding: chunked"]),
        Buffer.from("0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"),
      ]),
  ],
  ["chunks twice", (call) => head(call, ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"])],
  [
    "chunks in another spelling",
    (call, random) =>
      Buffer.concat([
        head(call, [
          random.pick([
            "Transfer-Encoding: xchunked",
            "Transfer-Encoding : chunked",
            "Transfer-Encoding:\u000bchunked",
            "Transfer-Encoding: chunked, identity",
          ]),
        ]),
        Buffer.from("0\r\n\r\n"),
      ]),
  ],
  [
    "chunks whose size is none",
    (call, random) =>
      Buffer.concat([
        head(call, ["Transfer-Encoding: chunked"]),
        Buffer.from(
          random.pick([
            "-1\r\n",
            "zz\r\n",
            "ffffffffffffffffff\r\na\r\n",
            "5;a=b\r\nab",
            "\r\n",
            "0x5\r\nabcde\r\n",
            "5 \r\nabcde\r\n0\r\n\r\n",
          ]),
        ),
      ]),
  ],
  [
    "chunks with trailers",
    (call) =>
      Buffer.concat([
        head(call, ["Transfer-Encoding: chunked"]),
        Buffer.from(`${call.body.length.toString(16)}\r\n`),
        call.body,
        Buffer.from("\r\n0\r\nAuthorization: Bearer x\r\n__proto__: y\r\n\r\n"),
      ]),
  ],
  [
    "a body in chunks of one byte",
    (call) =>
      Buffer.concat([
        head(call, ["Transfer-Encoding: chunked", "Connection: close"]),
        ...[...call.body].map((byte) => Buffer.from([0x31, 13, 10, byte, 13, 10])),
        Buffer.from("0\r\n\r\n"),
      ]),
  ],
  ["headers cut off", (call, random) => head(call, []).subarray(0, random.below(60))],
  ["a header without colon", (call) => head(call, ["no colon here"])],
  ["a header folded over lines", (call) => head(call, ["X-A: b", "\tc"])],
  [
    "line feeds alone",
    (call) => head(call, ["Content-Length: 0"]).toString("latin1").replaceAll("\r\n", "\n"),
  ],
  ["carriage returns alone", (call) => head(call, []).toString("latin1").replaceAll("\r\n", "\r")],
  [
    "CR and LF in a value",
    (call, random) =>
      head(call, [`X-A: b${random.pick(["\r", "\n", "\r\r", "\n\r", "\u0000"])}X-Injected: c`]),
  ],
  ["no Host", (call) => head(call, []).toString("latin1").replace("Host: a\r\n", "")],
  ["two Hosts", (call) => head(call, ["Host: b"])],
  [
    "a bad first line",
    (call, random) =>
      head(
        call,
        [],
        random.pick([
          "POST",
          "POST /",
          "POST  / HTTP/1.1",
          "/ POST HTTP/1.1",
          "POST / HTTP/9.9",
          "POST / HTTP/1.1 x",
          "POST / FTP/1.1",
          "post / HTTP/1.1",
          "G\u0000T / HTTP/1.1",
          "POST \u00ff HTTP/1.1",
          "CONNECT a:1 HTTP/1.1",
          "POST / HTTP/0.9",
          "POST /\u0000 HTTP/1.1",
        ]),
      ),
  ],
  [
    "an old version",
    (call) =>
      head({ ...call, contentType: "application/json" }, ["Content-Length: 0"], `POST ${call.path} HTTP/1.0`),
  ],
  [
    "an upgrade",
    (call, random) =>
      head(call, [
        "Connection: upgrade",
        `Upgrade: ${random.pick(["h2c", "websocket", "TLS/1.0", "__proto__"])}`,
        "HTTP2-Settings: AAMAAABkAAQAAP__",
        "Content-Length: 0",
      ]),
  ],
  [
    "two requests at once",
    (call) =>
      Buffer.concat([
        head(call, ["Content-Length: 0"]),
        head(call, ["Content-Length: 0", "Connection: close"]),
      ]),
  ],
  ["headers beyond the limit", (call) => head(call, [`X-A: ${"a".repeat(70_000)}`])],
  [
    "very many headers",
    (call) =>
      head(
        call,
        Array.from({ length: 3000 }, (_, at) => `X-${at}: 1`),
      ),
  ],
  ["random bytes", (_call, random) => random.bytes(1 + random.below(300))],
  [
    "a TLS hello",
    (_call, random) =>
      Buffer.concat([Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]), random.bytes(500)]),
  ],
  [
    "a preface and then nothing good",
    (_call, random) =>
      Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), random.bytes(random.below(200))]),
  ],
  [
    "an HTTP/2 frame that is wrong",
    (_call, random) =>
      Buffer.concat([
        Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
        http2Frame(random),
      ]),
  ],
  ["half a preface", () => "PRI * HTTP/2.0\r\n\r"],
];

/** A frame of any type on any stream, with anything in it. */
function http2Frame(random: Random): Buffer {
  const payload = random.bytes(random.below(64));
  const frame = Buffer.alloc(9);
  frame.writeUIntBE(random.chance(0.8) ? payload.length : random.below(2 ** 24), 0, 3);
  frame[3] = random.below(16);
  frame[4] = random.below(256);
  frame.writeUInt32BE(random.pick([0, 1, 2, 3, 2 ** 31 - 1]), 5);
  return Buffer.concat([frame, payload]);
}
