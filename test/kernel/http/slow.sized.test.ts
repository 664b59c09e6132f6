import { afterEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Limits } from "../../../src/kernel/http/connections/limits.ts";
import { servedDuring } from "./support/callers.ts";
import { makeCertificate } from "./support/certificate.ts";
import {
  encodeFrame,
  encodeHeaders,
  flag,
  number32,
  openRawSession,
  setting,
  type,
} from "./support/http2-frames.ts";
import { readMetrics } from "./support/metrics.ts";
import { startTestServer, type TestServer, token } from "../../sites/rpc/support/server.ts";
import { sized } from "../../support/size.ts";
import { eventually, openRaw, type RawConnection } from "./support/sockets.ts";

// Peers that are slow, silent, or gone: they are let go of, and others keep their service.

let server: TestServer;
afterEach(() => server.stop());

async function serve(limits: Partial<Limits>, overrides: Parameters<typeof startTestServer>[0] = {}) {
  server = await startTestServer({ limits, ...overrides });
}

const head = { ":method": "POST", ":scheme": "http", ":authority": "a" };
const grpcTo = (path: string) => ({
  ...head,
  ":path": path,
  "content-type": "application/grpc",
  te: "trailers",
});
const watch = encodeHeaders(grpcTo("/grpc.health.v1.Health/Watch"));
const addProject = encodeHeaders({
  ...head,
  ":path": "/v1/projects",
  authorization: token,
  "content-type": "application/json",
});
const acknowledgement = encodeFrame(type.settings, flag.ack, 0);
const emptyMessage = Buffer.alloc(5);
const post = (path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
/** Open connections, without the one that asks. */
const connections = async () => ((await readMetrics(server))?.get("gatehouse_connections") ?? 0) - 1;
const streams = async () => (await readMetrics(server))?.get("gatehouse_streams");

describe("a peer who is gone", () => {
  test("takes its streams with it, even in the middle of a body", async () => {
    await serve({});
    const session = await openRawSession(server.port);
    await session.write(acknowledgement, encodeFrame(type.headers, flag.endHeaders, 1, addProject));
    await eventually(async () => (await streams()) === 1);
    session.socket.end();
    await eventually(async () => (await streams()) === 0 && (await connections()) === 0);
    expect(await connections()).toBe(0);
  });

  test("and left its half of the connection open is let go of after the idle time", async () => {
    await serve({ idleTimeoutMs: 100 });
    const halfOpen = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    const session = await openRawSession(server.port, [], halfOpen);
    await session.write(acknowledgement);
    await eventually(async () => (await connections()) === 0);
    expect(session.frames.map((frame) => frame.type)).toContain(type.goAway);
    halfOpen.destroy();
  });

  test("in the middle of a stream is found by a ping that it does not answer", async () => {
    await serve({ idleTimeoutMs: 150 });
    const session = await openRawSession(server.port);
    await session.write(
      acknowledgement,
      encodeFrame(type.headers, flag.endHeaders, 1, watch),
      encodeFrame(type.data, flag.endStream, 1, emptyMessage),
    );
    await session.closed;
    expect(session.frames.map((frame) => frame.type)).toContain(type.ping);
    expect(await streams()).toBe(0);
  });
});

test("a peer who waits in a silent stream and answers pings is left in peace", async () => {
  await serve({ idleTimeoutMs: 50 });
  const session = connectHttp2(server.url);
  let pings = 0;
  session.on("ping", () => pings++);
  const stream = session.request(grpcTo("/grpc.health.v1.Health/Watch"));
  stream.resume().end(emptyMessage);
  await eventually(() => pings >= 5);
  expect([stream.closed, session.closed]).toEqual([false, false]);
  session.destroy();
});

describe("a reader who does not read", () => {
  const answerBytes = 1024 * 1024;
  const limits = { maxBufferedBytes: 8 * answerBytes, maxMessageBytes: answerBytes };

  test("leaves no more unread than the process may hold, on one connection of HTTP/2", async () => {
    await serve({ ...limits, writeTimeoutMs: 20_000 });
    server.answers.set("addProject", () => ({ id: "x".repeat(answerBytes) }));
    const session = await openRawSession(server.port, [[setting.initialWindowSize, 0]]);
    await session.write(acknowledgement);
    for (let id = 1; id < 80; id += 2) {
      await session.write(
        encodeFrame(type.headers, flag.endHeaders, id, addProject),
        encodeFrame(type.data, flag.endStream, id, Buffer.from('{"name":"x"}')),
      );
    }
    await eventually(async () => (await streams()) === 7);
    const reset = session.frames.filter((frame) => frame.type === type.resetStream);
    expect(reset).toHaveLength(33);
    session.socket.destroy();
  });

  test("leaves no more unread on many connections of HTTP/1.1, and others keep their service", async () => {
    await serve({ ...limits, writeTimeoutMs: 500 });
    server.answers.set("addProject", () => ({ id: "x".repeat(answerBytes) }));
    const body = '{"name":"x"}';
    const seen = await servedDuring(server, async () => {
      const deaf = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const connection = await openRaw(server.port);
          // Pipelined: the answers together are more than the kernel takes.
          connection.socket.pause().write(`${post("/v1/projects", body.length)}${body}`.repeat(12));
          return connection;
        }),
      );
      await eventually(async () => (await connections()) <= 1);
      for (const { socket } of deaf) socket.destroy();
    });
    expect(seen.failures).toBe(0);
  });

  test("is not helped by taking a byte now and then", async () => {
    await serve({ writeTimeoutMs: 300 });
    server.answers.set("addProject", () => ({ id: "x".repeat(answerBytes) }));
    const session = await openRawSession(server.port, [[setting.initialWindowSize, 0]]);
    await session.write(
      acknowledgement,
      encodeFrame(type.headers, flag.endHeaders, 1, addProject),
      encodeFrame(type.data, flag.endStream, 1, Buffer.from('{"name":"x"}')),
    );
    const timer = setInterval(() => {
      session.socket.write(encodeFrame(type.windowUpdate, flag.none, 1, number32(1)));
    }, 10);
    const reset = await session.received((frame) => frame.type === type.resetStream);
    clearInterval(timer);
    expect(reset?.payload.readUInt32BE(0)).toBe(8);
    const received = session.frames.filter((frame) => frame.type === type.data);
    expect(received.length).toBeGreaterThan(3);
    session.socket.destroy();
  });

  test("of the connection loses it, when not even the resets of its streams can be sent", async () => {
    await serve({ writeTimeoutMs: 300 });
    server.answers.set("addProject", () => ({ id: "x".repeat(100_000) }));
    // Windows that take all: what is written waits in the process, behind what the kernel holds.
    const session = await openRawSession(server.port, [[setting.initialWindowSize, 2 ** 30]]);
    session.socket.pause();
    await session.write(acknowledgement, encodeFrame(type.windowUpdate, flag.none, 0, number32(2 ** 30)));
    for (let id = 1; id < 200; id += 2) {
      await session.write(
        encodeFrame(type.headers, flag.endHeaders, id, addProject),
        encodeFrame(type.data, flag.endStream, id, Buffer.from('{"name":"x"}')),
      );
    }
    await eventually(async () => (await streams()) === 100);
    await eventually(async () => (await connections()) === 0);
    expect(await streams()).toBe(0);
    session.socket.destroy();
  });

  test("ends a stream of answers", async () => {
    await serve({ writeTimeoutMs: 200 });
    let yielded = 0;
    server.answers.set("watch", async function* () {
      for (;;) {
        yielded++;
        yield { text: "x".repeat(100_000) };
      }
    });
    const path = "/test.v1.KindsService/Watch";
    const session = await openRawSession(server.port);
    await session.write(
      acknowledgement,
      encodeFrame(type.headers, flag.endHeaders, 1, encodeHeaders({ ...grpcTo(path), authorization: token })),
      encodeFrame(type.data, flag.endStream, 1, emptyMessage),
    );
    await session.received((frame) => frame.type === type.resetStream);
    expect(yielded).toBeLessThan(20);
    session.socket.destroy();
  });
});

/** Opens connections, a hundred at a time: the kernel keeps 511 that are not accepted yet, and drops what comes beyond. */
async function openMany(count: number, bytes = ""): Promise<readonly RawConnection[]> {
  const opened: RawConnection[] = [];
  while (opened.length < count)
    opened.push(...(await Promise.all(Array.from({ length: 100 }, () => openRaw(server.port, bytes)))));
  return opened;
}

test("hundreds of idle connections take nothing from others, and are closed", async () => {
  const half = sized({ small: 100, full: 500 });
  const timeoutMs = sized({ small: 2000, full: 4000 });
  await serve({ firstByteTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs });
  const seen = await servedDuring(server, async () => {
    const silent = await openMany(half);
    const idle = await openMany(half, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    await eventually(async () => (await connections()) >= 2 * half);
    const texts = await Promise.all([...silent, ...idle].map(({ closed }) => closed));
    expect(texts.filter((text) => text === "")).toHaveLength(half);
    expect(texts.filter((text) => text.endsWith("ok\n"))).toHaveLength(half);
  });
  expect(seen).toMatchObject({ failures: 0 });
  expect(seen.slowestMs).toBeLessThan(timeoutMs);
});

describe("with TLS", () => {
  const { cert, key } = makeCertificate();

  test("a slow handshake, and a silence after it, end the connection", async () => {
    await serve({ firstByteTimeoutMs: 200, headerTimeoutMs: 200 }, { tls: { cert, key } });
    const silent = await openRaw(server.port);
    const hello = await openRaw(server.port, Buffer.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01));
    expect(await Promise.all([silent.closed, hello.closed])).toEqual(["", ""]);
    for (const protocol of ["h2", "http/1.1"]) {
      const socket = connectTls({
        port: server.port,
        host: "127.0.0.1",
        ca: cert,
        ALPNProtocols: [protocol],
      });
      socket.on("error", () => {}).resume();
      await once(socket, "secureConnect");
      expect(socket.alpnProtocol).toBe(protocol);
      await once(socket, "close");
    }
  });

  test("an unread answer ends its stream, and a flood its connection", async () => {
    await serve({ writeTimeoutMs: 200 }, { tls: { cert, key } });
    server.answers.set("addProject", () => ({ id: "x".repeat(200_000) }));
    const open = () => connectTls({ port: server.port, host: "127.0.0.1", ca: cert, ALPNProtocols: ["h2"] });
    const socket = open();
    await once(socket, "secureConnect");
    const session = await openRawSession(server.port, [[setting.initialWindowSize, 0]], socket);
    await session.write(
      acknowledgement,
      encodeFrame(type.headers, flag.endHeaders, 1, addProject),
      encodeFrame(type.data, flag.endStream, 1, Buffer.from('{"name":"x"}')),
    );
    expect(await session.received((frame) => frame.type === type.resetStream)).toBeDefined();
    const pings = Buffer.concat(
      Array.from({ length: 100 }, () => encodeFrame(type.ping, flag.none, 0, Buffer.alloc(8))),
    );
    while (!socket.destroyed) await session.write(pings);
    await session.closed;
    const goAway = session.frames.find((frame) => frame.type === type.goAway);
    expect(goAway?.payload.readUInt32BE(4)).toBe(11);
  });
});
