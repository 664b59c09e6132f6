import { afterEach, describe, expect, test } from "@jest/globals";
import { connect, constants } from "node:http2";
import type { Limits } from "../../../../src/kernel/http/connections/limits.ts";
import { frame, sendHttp2, statusSummary } from "../support/http.ts";
import {
  encodeFrame,
  encodeHeaders,
  flag,
  openRawSession,
  type RawFrame,
  setting,
  type,
} from "../support/http2-frames.ts";
import { readMetrics } from "../support/metrics.ts";
import { startTestServer, type TestServer, token } from "../../../sites/rpc/support/server.ts";
import { eventually } from "../support/sockets.ts";

// Calls of the common form on HTTP/2, which are served without Node's compatibility layer.

let server: TestServer;
afterEach(() => server.stop());

const path = "/test.v1.KindsService/Echo";
const json = Buffer.from("{}");
const forms = [
  ["application/grpc", frame(new Uint8Array(0))],
  ["application/grpc+proto", frame(new Uint8Array(0))],
  ["application/grpc-web+proto", frame(new Uint8Array(0))],
  ["application/json", json],
  ["application/proto", new Uint8Array(0)],
] as const;

async function serve(limits: Partial<Limits> = {}) {
  server = await startTestServer({ limits });
  server.answers.set("echo", (_call, request) => request);
}

/** Returns the status of gRPC that an answer carries, whatever its form. */
function codeOf({ headers, trailers, body }: Awaited<ReturnType<typeof sendHttp2>>): number {
  const status =
    headers["grpc-status"] ?? trailers["grpc-status"] ?? /grpc-status: (\d+)/.exec(body.toString())?.[1];
  if (status !== undefined) return Number(status);
  return headers[":status"] === 200 ? 0 : statusSummary(JSON.parse(body.toString())).code;
}

const headersOf = (contentType: string, more: Readonly<Record<string, string>> = {}) =>
  encodeHeaders({
    ":method": "POST",
    ":scheme": "http",
    ":authority": "a",
    ":path": path,
    authorization: token,
    "content-type": contentType,
    ...more,
  });

const endsStream = ({ type: of, flags, streamId }: RawFrame) =>
  streamId === 1 && (of === type.headers || of === type.data) && (flags & flag.endStream) !== 0;

describe.each(forms)("a call in %s", (contentType, body) => {
  test("is answered, with an id", async () => {
    await serve();
    const answer = await sendHttp2(server.url, { ":path": path, "content-type": contentType }, body);
    expect(codeOf(answer)).toBe(0);
    expect(answer.headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
    expect(server.calls.length).toBe(1);
  });

  test("to a host that is none is refused", async () => {
    await serve();
    const headers = { ":path": path, "content-type": contentType, ":authority": "a:b" };
    expect(codeOf(await sendHttp2(server.url, headers, body))).toBe(3);
    expect(server.calls.length).toBe(0);
  });

  test("with two tokens is refused", async () => {
    await serve();
    const session = await openRawSession(server.port);
    const block = Buffer.concat([headersOf(contentType), encodeHeaders({ authorization: "Bearer other" })]);
    await session.write(
      encodeFrame(type.headers, flag.endHeaders, 1, block),
      encodeFrame(type.data, flag.endStream, 1, Buffer.from(body)),
    );
    await session.received(endsStream);
    session.socket.destroy();
    expect(server.calls.length).toBe(0);
  });

  test("whose headers are too large is refused, by one who has not acknowledged the limit yet", async () => {
    await serve({ maxHeaderBytes: 1024 });
    const session = await openRawSession(server.port);
    const block = headersOf(contentType, { "x-large": "y".repeat(1100) });
    await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, block));
    await session.received((one) => one.type === type.headers && one.streamId === 1);
    session.socket.destroy();
    expect(server.calls.length).toBe(0);
  });

  test("whose answer nobody reads is given up, and its stream ends", async () => {
    await serve({ writeTimeoutMs: 300, maxMessageBytes: 1024 * 1024 });
    server.answers.set("echo", () => ({ text: "x".repeat(1000) }));
    const session = await openRawSession(server.port, [[setting.initialWindowSize, 0]]);
    await session.write(
      encodeFrame(type.settings, flag.ack, 0),
      encodeFrame(type.headers, flag.endHeaders, 1, headersOf(contentType)),
      encodeFrame(type.data, flag.endStream, 1, Buffer.from(body)),
    );
    const reset = await session.received((one) => one.type === type.resetStream && one.streamId === 1);
    expect(reset?.payload.readUInt32BE(0)).toBe(constants.NGHTTP2_CANCEL);
    await eventually(async () => (await readMetrics(server))?.get("gatehouse_streams") === 0);
    session.socket.destroy();
  });

  test("that is refused while its body comes is answered, and asked to stop sending after a while", async () => {
    await serve();
    const session = connect(server.url);
    session.on("error", () => {});
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      authorization: "Bearer bad",
      "content-type": contentType,
    });
    const closed = new Promise<number>((resolve) => {
      stream.on("error", () => {});
      stream.on("close", () => resolve(stream.rstCode));
    });
    const answered = new Promise((resolve) => {
      stream.on("response", resolve);
    });
    stream.resume();
    const startedMs = performance.now();
    const piece = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const pump = () => {
      if (stream.destroyed || stream.writableEnded) return;
      sent++;
      stream.write(piece, () => setImmediate(pump));
    };
    pump();
    await answered;
    expect(await closed).toBe(constants.NGHTTP2_NO_ERROR);
    // As much as is read of a refused body, or as long as it is read on: a slow machine sends less in that time.
    expect(sent > 14 || performance.now() - startedMs >= 5000).toBe(true);
    expect(sent).toBeLessThan(20);
    session.destroy();
    expect(server.calls.length).toBe(0);
  });
});

test("a query is left to the compatibility layer, which refuses it as before", async () => {
  await serve();
  const answer = await sendHttp2(
    server.url,
    { ":path": `${path}?a=1`, "content-type": "application/json" },
    json,
  );
  expect(statusSummary(JSON.parse(answer.body.toString()))).toMatchObject({ code: 3 });
});
