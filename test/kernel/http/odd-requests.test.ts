import { afterAll, describe, expect, test } from "@jest/globals";
import { frame, statusSummary } from "./support/http.ts";
import { dataOf, encodeFrame, encodeHeaders, flag, openRawSession, type } from "./support/http2-frames.ts";
import { startTestServer, token } from "../../sites/rpc/support/server.ts";
import { openRaw } from "./support/sockets.ts";

// Requests that HTTP allows and nobody sends, and those that only an attacker sends (RFC 9110, RFC 9112).

const server = await startTestServer();
afterAll(() => server.stop());

/** Sends bytes and returns every answer until the connection is closed. */
async function answersTo(bytes: string) {
  const { closed } = await openRaw(server.port, bytes);
  const text = await closed;
  const heads = [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  const json = /\{"code":[\s\S]*\}(?=HTTP|$)/.exec(text)?.[0];
  return { statuses: heads, text, error: json === undefined ? undefined : statusSummary(JSON.parse(json)) };
}

const close = "Host: a\r\nConnection: close\r\n";
const notAllowed = { code: 12, reason: "METHOD_NOT_ALLOWED" };
const notFound = { code: 5, reason: "ROUTE_NOT_FOUND" };
const invalid = { code: 3, reason: "INVALID_REQUEST" };

test.each([
  ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n", 405, notAllowed],
  [
    "CONNECT with bytes behind it",
    "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n",
    405,
    notAllowed,
  ],
  ["TRACE", `TRACE /healthz HTTP/1.1\r\n${close}Cookie: canary\r\n\r\n`, 405, notAllowed],
  ["OPTIONS of everything", `OPTIONS * HTTP/1.1\r\n${close}\r\n`, 404, notFound],
  ["GET of everything", `GET * HTTP/1.1\r\n${close}\r\n`, 404, notFound],
  ["OPTIONS without an origin", `OPTIONS /v1/projects HTTP/1.1\r\n${close}\r\n`, 405, notAllowed],
  ["an absolute target without a path", `GET http://x HTTP/1.1\r\n${close}\r\n`, 404, notFound],
  ["a target that is neither path nor URL", `GET healthz HTTP/1.1\r\n${close}\r\n`, 400, invalid],
  ["a target with two slashes", `GET //healthz HTTP/1.1\r\n${close}\r\n`, 404, notFound],
  ["a folded header", `GET /healthz HTTP/1.1\r\n${close}X: a\r\n b\r\n\r\n`, 400, invalid],
  ["a header that begins with a space", `GET /healthz HTTP/1.1\r\n${close} X: a\r\n\r\n`, 400, invalid],
  ["a space before the colon", `GET /healthz HTTP/1.1\r\nHost : a\r\n\r\n`, 400, invalid],
  ["lines that end in LF", "GET /healthz HTTP/1.1\nHost: a\n\n", 400, invalid],
  ["a CR inside of a header", `GET /healthz HTTP/1.1\r\nX: a\rb\r\n${close}\r\n`, 400, invalid],
  ["a NUL inside of a header", `GET /healthz HTTP/1.1\r\nX: a\0b\r\n${close}\r\n`, 400, invalid],
  ["garbage", "\u0000\u0001\u0002\r\n\r\n", 400, invalid],
  ["two Hosts", `GET /healthz HTTP/1.1\r\nHost: b\r\n${close}\r\n`, 400, invalid],
  [
    "a second Host behind 3,000 headers",
    `GET /healthz HTTP/1.1\r\n${close}${"a:\r\n".repeat(3000)}Host: b\r\n\r\n`,
    400,
    invalid,
  ],
  ["a length below zero", `GET /healthz HTTP/1.1\r\n${close}Content-Length: -5\r\n\r\nhello`, 400, invalid],
  [
    "a length that is no number",
    `GET /healthz HTTP/1.1\r\n${close}Content-Length: 0x5\r\n\r\nhello`,
    400,
    invalid,
  ],
  [
    "a chunk of 2^72 bytes",
    `POST /v1/projects HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
    400,
    invalid,
  ],
  ["the version of another framing", `GET /healthz HTTP/2.0\r\n${close}\r\n`, 400, invalid],
  [
    "a body in the version of another framing",
    `POST /v1/projects HTTP/2.0\r\n${close}Content-Length: 2\r\n\r\n{}`,
    400,
    invalid,
  ],
  ["a version of before", `GET /healthz HTTP/0.9\r\n${close}\r\n`, 400, invalid],
  ["a version to come", `GET /healthz HTTP/3.0\r\n${close}\r\n`, 400, invalid],
  ["a method that does not exist", `BREW /healthz HTTP/1.1\r\n${close}\r\n`, 400, invalid],
] as const)("%s is refused in the shape of all errors", async (_what, bytes, status, error) => {
  const answer = await answersTo(bytes);
  expect(answer.statuses[0]).toBe(status);
  expect(answer.error).toEqual(error);
  expect(answer.text).not.toMatch(/canary|^HTTP\/1.1 (200|5)/m);
});

test.each([
  ["an absolute target", `GET http://x/healthz HTTP/1.1\r\n${close}\r\n`],
  [
    "a request to speak another protocol",
    `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
  ],
  ["an expectation that nobody knows", `GET /healthz HTTP/1.1\r\n${close}Expect: nonsense\r\n\r\n`],
  ["a body that GET has no use for", `GET /healthz HTTP/1.1\r\n${close}Content-Length: 5\r\n\r\nhello`],
])("%s is served as if it were a plain request", async (_what, bytes) => {
  const { statuses, text } = await answersTo(bytes);
  expect(statuses).toEqual([200]);
  expect(text).toMatch(/ok\n$/);
});

test("what is no HTTP ends an answer that is under way, and writes nothing into it", async () => {
  const watch = frame(Buffer.from("{}"));
  const head = `POST /grpc.health.v1.Health/Watch HTTP/1.1\r\nHost: a\r\nContent-Type: application/connect+json\r\nContent-Length: ${watch.length}\r\n\r\n`;
  const { socket, until, closed } = await openRaw(server.port, Buffer.concat([Buffer.from(head), watch]));
  await until("SERVING");
  socket.write("nonsense\r\n\r\n");
  expect((await closed).match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 200"]);
});

test("what is no HTTP is refused behind an answer that has ended", async () => {
  const { socket, until, closed } = await openRaw(server.port, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  await until("ok\n");
  socket.write("nonsense\r\n\r\n");
  expect((await closed).match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"]);
});

describe("what one server reads as one request and another as two", () => {
  const smuggled = `GET /healthz HTTP/1.1\r\n${close}\r\n`;
  const post = (headers: string) =>
    `POST /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\n${headers}\r\n`;

  test.each([
    ["length and chunks", post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"],
    ["chunks and length", post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n") + "0\r\n\r\n"],
    ["two lengths", post("Content-Length: 0\r\nContent-Length: 4\r\n")],
    ["a list of lengths", post("Content-Length: 0, 4\r\n")],
    ["chunks that are not last", post("Transfer-Encoding: chunked, identity\r\n") + "0\r\n\r\n"],
    ["chunks twice", post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n"],
    ["an encoding that nobody knows", post("Transfer-Encoding: xchunked\r\n") + "0\r\n\r\n"],
    ["an encoding behind a tab", post("Transfer-Encoding:\u000bchunked\r\n") + "0\r\n\r\n"],
    ["chunks that end in LF", post("Transfer-Encoding: chunked\r\n") + "0\n\n"],
    ["a length with a sign", post("Content-Length: +0\r\n")],
  ])("%s: nothing behind it is served", async (_what, bytes) => {
    const { statuses, text } = await answersTo(bytes + smuggled);
    expect(statuses.length).toBeGreaterThan(0);
    expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
    expect(text).not.toContain("ok\n");
  });
});

test.each([
  ["CONNECT", { ":method": "CONNECT", ":authority": "a:80" }, notAllowed],
  [
    "OPTIONS of everything",
    { ":method": "OPTIONS", ":scheme": "http", ":path": "*", ":authority": "a" },
    notFound,
  ],
  ["TRACE", { ":method": "TRACE", ":scheme": "http", ":path": "/healthz", ":authority": "a" }, notAllowed],
])("%s on HTTP/2 is refused in the shape of all errors", async (_what, headers, error) => {
  const session = await openRawSession(server.port);
  await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, encodeHeaders(headers)));
  expect(statusSummary(JSON.parse(await dataOf(session, 1)))).toEqual(error);
  session.socket.destroy();
});

test.each([
  ["connection", { connection: "close" }],
  ["transfer-encoding", { "transfer-encoding": "chunked" }],
  ["upgrade", { upgrade: "h2c" }],
  ["a name in upper case", { "X-Upper": "a" }],
  ["a protocol to connect to", { ":protocol": "websocket" }],
])("a stream of HTTP/2 with %s is reset as malformed (RFC 9113 §8.1.1)", async (_what, extra) => {
  const session = await openRawSession(server.port);
  const headers = { ":method": "GET", ":scheme": "http", ":path": "/healthz", ":authority": "a", ...extra };
  await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, encodeHeaders(headers)));
  const reset = await session.received(({ streamId }) => streamId === 1);
  expect([reset?.type, reset?.payload.readUInt32BE(0)]).toEqual([type.resetStream, 1]);
  session.socket.destroy();
});

describe("a stream of HTTP/2 with a Host beside :authority (RFC 9113 §8.3.1)", () => {
  const answerTo = async (scheme: string, authority: string, host: string) => {
    const session = await openRawSession(server.port);
    const head = { ":method": "GET", ":scheme": scheme, ":path": "/healthz", ":authority": authority };
    const block = encodeHeaders({ ...head, host });
    await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, block));
    const text = await dataOf(session, 1);
    session.socket.destroy();
    return text;
  };

  test.each([
    ["http", "a", "a"],
    ["http", "a.example", "A.Example"],
    ["http", "a", "a:80"],
    ["https", "a:443", "a"],
    ["https", "[::1]:443", "[::1]:"],
  ])("is served if they name the same server: %s, %s and %s", async (scheme, authority, host) => {
    expect(await answerTo(scheme, authority, host)).toBe("ok\n");
  });

  test.each([
    ["http", "a", "b"],
    ["http", "a", "a.example"],
    ["http", "a", "a:81"],
    ["http", "a", "a:443"],
    ["https", "a", "a:80"],
    ["http", "a:8080", "a"],
  ])("is refused as malformed if they differ: %s, %s and %s", async (scheme, authority, host) => {
    const text = await answerTo(scheme, authority, host);
    expect(text).toContain('"code":3');
    expect(statusSummary(JSON.parse(text))).toEqual(invalid);
  });
});

test("a header of HTTP/2 with a line break in it is as good as none", async () => {
  const session = await openRawSession(server.port);
  const headers = {
    ":method": "POST",
    ":scheme": "http",
    ":path": "/v1/projects",
    ":authority": "a",
    authorization: `${token}\r\nx-a: b`,
  };
  await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, encodeHeaders(headers)));
  expect(statusSummary(JSON.parse(await dataOf(session, 1)))).toEqual({ code: 16, reason: "TOKEN_MISSING" });
  session.socket.destroy();
});

test.each(["5", "20", "-1", "1e1"])(
  "a body of 12 bytes with the length %s ends a connection of HTTP/2 before any method",
  async (length) => {
    const before = server.calls.length;
    const session = await openRawSession(server.port);
    const headers = {
      ":method": "POST",
      ":scheme": "http",
      ":path": "/v1/projects",
      ":authority": "a",
      authorization: token,
      "content-type": "application/json",
      "content-length": length,
    };
    await session.write(
      encodeFrame(type.settings, flag.ack, 0),
      encodeFrame(type.headers, flag.endHeaders, 1, encodeHeaders(headers)),
      encodeFrame(type.data, flag.endStream, 1, Buffer.from('{"name":"x"}')),
    );
    const end = await session.received((each) => each.type === type.goAway || each.type === type.resetStream);
    expect(end).toBeDefined();
    expect(server.calls.length).toBe(before);
    session.socket.destroy();
  },
);

describe("connect-protocol-version", () => {
  const call = (path: string, contentType: string, version: string) =>
    fetch(`${server.url}${path}`, {
      method: "POST",
      body: contentType.startsWith("application/connect") ? new Uint8Array(5) : '{"name":"x"}',
      headers: { authorization: token, "content-type": contentType, "connect-protocol-version": version },
    });
  const unary = "/gatehouse.v1.ProjectService/AddProject";

  test.each([
    [unary, "application/json"],
    ["/test.v1.KindsService/Watch", "application/connect+proto"],
  ])("other than 1 is refused in Connect's shape: %s", async (path, contentType) => {
    for (const version of ["2", "", "1.0", "1, 1"]) {
      const answer = await call(path, contentType, version);
      expect([answer.status, await answer.json()]).toMatchObject([400, { code: "invalid_argument" }]);
    }
  });

  test("of 1 is served, and other protocols do not have it", async () => {
    expect((await call(unary, "application/json", "1")).status).toBe(200);
    const grpcWeb = await call(unary, "application/grpc-web+proto", "2");
    expect(grpcWeb.status).toBe(200);
    expect(await grpcWeb.text()).not.toContain("connect-protocol-version");
  });
});
