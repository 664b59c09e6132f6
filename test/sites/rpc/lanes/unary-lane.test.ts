import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type ClientHttp2Stream, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { gunzipSync } from "node:zlib";
import type { Call } from "../../../../src/kernel/base/call.ts";
import { isCommon } from "../../../../src/sites/rpc/lanes/unary-lane.ts";
import { frame, sendHttp2, sendRaw } from "../../../kernel/http/support/http.ts";
import {
  encodeFrame,
  encodeHeaders,
  flag,
  number32,
  openRawSession,
  type,
} from "../../../kernel/http/support/http2-frames.ts";
import { readMetrics } from "../../../kernel/http/support/metrics.ts";
import { startTestServer, type TestServer, token } from "../support/server.ts";
import { eventually } from "../../../kernel/http/support/sockets.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ limits: { bodyTimeoutMs: 400 } });
});
afterAll(() => server.stop());
beforeEach(() => {
  server.calls.splice(0);
  server.logLines.splice(0);
  server.answers.clear();
  server.answers.set("echo", (_call, request) => request);
});

const echoPath = "/test.v1.KindsService/Echo";
const protocols = ["application/grpc", "application/grpc-web"];

interface OpenCall {
  readonly stream: ClientHttp2Stream;
  /** The status in the trailers, the headers or the last frame; the message in trailers or headers, and then the body. */
  readonly ended: Promise<{ readonly status: string | undefined; readonly text: string }>;
}

/** Runs a test with a call of which the headers are sent, and nothing else. */
async function withOpenCall(
  headers: Readonly<Record<string, string>>,
  run: (call: OpenCall) => Promise<void>,
): Promise<void> {
  const session = connect(server.url);
  session.on("error", () => {});
  const stream = session.request({ ":method": "POST", ":path": echoPath, authorization: token, ...headers });
  const found: IncomingHttpHeaders = {};
  let text = "";
  stream.on("error", () => {});
  stream.on("response", (received) => Object.assign(found, received));
  stream.on("trailers", (received) => Object.assign(found, received));
  stream.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  const ended = new Promise<Awaited<OpenCall["ended"]>>((resolve) => {
    stream.on("end", () => {
      const status = found["grpc-status"] ?? /grpc-status: (\d+)/.exec(text)?.[1];
      const message = String(found["grpc-message"] ?? "");
      resolve({ status: status === undefined ? undefined : String(status), text: message + text });
    });
  });
  try {
    await run({ stream, ended });
  } finally {
    session.destroy();
  }
}

/** Returns the line of the log that says how the call ended. */
async function loggedCall(): Promise<Readonly<Record<string, unknown>>> {
  for (;;) {
    const line = server.logLines.find(({ msg }) => msg === "call.done");
    if (line !== undefined) return line;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

describe.each(protocols)("a unary call in %s", (contentType) => {
  const headers = { "content-type": contentType, te: "trailers" };

  test("without a token is refused, whatever its body is", async () => {
    await withOpenCall({ ...headers, authorization: "Bearer bad" }, async ({ ended, stream }) => {
      stream.end("no message");
      expect((await ended).status).toBe("16");
    });
  });

  test("that announces a body over the limit is refused", async () => {
    await withOpenCall({ ...headers, "content-length": "9999999" }, async ({ ended, stream }) => {
      stream.end(Buffer.alloc(9_999_999));
      expect((await ended).status).toBe("8");
    });
  });

  test("whose body does not come in time is ended", async () => {
    await withOpenCall(headers, async ({ ended, stream }) => {
      stream.write(frame(Uint8Array.of(0x0a, 1, 0x61)).subarray(0, 6));
      expect(await ended).toMatchObject({ status: "4", text: expect.stringMatching(/body.did|body%20did/) });
    });
    expect(server.calls).toEqual([]);
  });

  test("whose deadline passes while its body comes is ended", async () => {
    await withOpenCall({ ...headers, "grpc-timeout": "30m" }, async ({ ended }) => {
      expect(await ended).toMatchObject({ status: "4", text: expect.stringContaining("deadline") });
    });
    expect(server.calls).toEqual([]);
  });

  test("takes a body that comes byte by byte", async () => {
    await withOpenCall(headers, async ({ ended, stream }) => {
      for (const byte of frame(Uint8Array.of(0x0a, 1, 0x61))) stream.write(Uint8Array.of(byte));
      stream.end();
      const { status, text } = await ended;
      expect([status, text.startsWith("\0\0\0\0\u0003\n\u0001a")]).toEqual(["0", true]);
    });
  });

  test("that is reset while it runs aborts the signal of the call, and nobody is answered", async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<Call>();
    server.answers.set("echo", (call) => {
      start(call);
      return new Promise(() => {});
    });
    await withOpenCall(headers, async ({ stream }) => {
      stream.end(frame(new Uint8Array(0)));
      const { signal } = await started;
      const aborted = new Promise((resolve) => {
        signal?.addEventListener("abort", resolve, { once: true });
      });
      stream.close(constants.NGHTTP2_CANCEL);
      await aborted;
    });
    expect(await loggedCall()).toMatchObject({ code: 1, reason: "CANCELLED" });
  });

  test("that is reset while its body comes never runs", async () => {
    const session = await openRawSession(server.port);
    const head = { ":method": "POST", ":scheme": "http", ":authority": "a", ":path": echoPath };
    const block = encodeHeaders({ ...head, authorization: token, ...headers });
    await session.write(
      encodeFrame(type.headers, flag.endHeaders, 1, block),
      encodeFrame(type.data, flag.none, 1, Buffer.alloc(3)),
    );
    await eventually(async () => (await readMetrics(server))?.get("gatehouse_calls_in_flight") === 2); // and the question
    server.logLines.splice(0);
    await session.write(encodeFrame(type.resetStream, flag.none, 1, number32(constants.NGHTTP2_CANCEL)));
    expect(await loggedCall()).toMatchObject({ code: 1, reason: "CANCELLED" });
    session.socket.destroy();
    expect(server.calls).toEqual([]);
  });

  test("is compressed for callers who take that, when it is long", async () => {
    const send = async (length: number, accepted: string) =>
      await sendHttp2(
        server.url,
        { ":path": echoPath, ...headers, "grpc-accept-encoding": accepted },
        frame(Buffer.concat([Uint8Array.of(0x3a, 0x80 | (length & 127), length >> 7), Buffer.alloc(length)])),
      );
    const long = await send(2000, "identity,deflate,gzip");
    const length = long.body.readUInt32BE(1);
    expect([long.headers["grpc-encoding"], long.body[0]]).toEqual(["gzip", 1]);
    expect(gunzipSync(long.body.subarray(5, 5 + length)).length).toBe(2003);
    const short = await send(500, "gzip");
    expect([short.headers["grpc-encoding"], short.body[0]]).toEqual(["gzip", 0]);
    const plain = await send(2000, "identity,zstd");
    expect([plain.headers["grpc-encoding"], plain.body[0]]).toEqual([undefined, 0]);
  });

  test("of a method with a limit of its own is held to it by the bytes of all frames", async () => {
    const half = frame(Buffer.concat([Uint8Array.of(0x0a, 0xb8, 0x17), Buffer.alloc(3000, "a")]));
    const answer = await sendHttp2(
      server.url,
      { ":path": "/grpc.health.v1.Health/Check", ...headers },
      Buffer.concat([half, half]),
    );
    expect(answer.trailers["grpc-status"] ?? /grpc-status: (\d+)/.exec(answer.body.toString())?.[1]).toBe(
      "8",
    );
  });
});

// In gRPC it is answered once its body has come: one-connection.test.ts.
test.each([
  ["without a token", { authorization: "Bearer bad" }, "16"],
  ["that announces a body over the limit", { "content-length": "9999999" }, "8"],
])("a unary call in gRPC-web %s is refused before its body comes", async (_what, headers, status) => {
  await withOpenCall({ "content-type": "application/grpc-web", ...headers }, async ({ ended }) => {
    expect((await ended).status).toBe(status);
  });
});

test.each([
  ["grpc", "POST", true, undefined, true],
  ["grpc", "POST", true, "identity", true],
  ["grpc-web", "POST", true, undefined, true],
  ["grpc-web", "POST", false, undefined, true],
  ["grpc", "POST", false, undefined, false],
  ["connect", "POST", true, undefined, false],
  ["grpc", "GET", true, undefined, false],
  ["grpc", "POST", true, "gzip", false],
  ["grpc-web", "POST", false, "", false],
] as const)("a call of %s by %s, on HTTP/2 %s, compressed with %s, is common: %s", (...example) => {
  const [protocol, verb, isHttp2, encoding, expected] = example;
  expect(isCommon({ verb, isHttp2, encoding }, { protocol })).toBe(expected);
});

test("a call of gRPC-web on HTTP/1.1 may wait for the service to ask for its body", async () => {
  const lines = [
    `POST ${echoPath} HTTP/1.1`,
    "host: a",
    `authorization: ${token}`,
    "content-type: application/grpc-web+proto",
    "expect: 100-continue",
    "content-length: 5",
  ];
  const head = `${lines.join("\r\n")}\r\n\r\n`;
  const answer = await sendRaw(server.port, `${head}\0\0\0\0\0`, /grpc-status: \d/);
  expect(answer).toContain("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK");
  expect(answer).toContain("grpc-status: 0");
});

test("a closed connection aborts the signal of a call of gRPC-web on HTTP/1.1", async () => {
  const { promise: aborted, resolve: note } = Promise.withResolvers<void>();
  server.answers.set("echo", (call) => {
    call.signal?.addEventListener("abort", () => note(), { once: true });
    controller.abort();
    return new Promise(() => {});
  });
  const controller = new AbortController();
  const call = fetch(server.url + echoPath, {
    method: "POST",
    headers: { authorization: token, "content-type": "application/grpc-web" },
    body: frame(new Uint8Array(0)),
    signal: controller.signal,
  });
  await expect(call).rejects.toThrow();
  await aborted;
});
