import { afterEach, describe, expect, test } from "@jest/globals";
import { gzipSync } from "node:zlib";
import { connect as connectHttp2, type ClientHttp2Session } from "node:http2";
import { once } from "node:events";
import { parseConfig } from "../../../src/config/config.ts";
import { optionDefinitions } from "../../../src/config/options.ts";
import { send, statusSummary, summary } from "./support/http.ts";
import {
  dataOf,
  encodeFrame,
  encodeHeaders,
  flag,
  openRawSession,
  preface,
  setting,
  type,
} from "./support/http2-frames.ts";
import { readMetrics } from "./support/metrics.ts";
import { startTestServer, type TestServer, token } from "../../sites/rpc/support/server.ts";
import { eventually, openRaw, trickle } from "./support/sockets.ts";

// Each limit of the table of options, seen from outside: on a server that was started with a small value.

let server: TestServer;
afterEach(() => server.stop());

async function serve(flags: Readonly<Record<string, string>>): Promise<void> {
  server = await startTestServer({ limits: parseConfig(flags, {}).limits });
}

const post = (path: string, headers: readonly string[] = []) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: a",
    `Authorization: ${token}`,
    "Content-Type: application/json",
    ...headers,
    "",
    "",
  ].join("\r\n");
const chunkedPost = post("/v1/projects", ["Transfer-Encoding: chunked"]);
const call = {
  ":method": "POST",
  ":scheme": "http",
  ":path": "/v1/projects",
  ":authority": "a",
  authorization: token,
};
const jsonCall = { ...call, "content-type": "application/json" };
const grpcCall = {
  ...call,
  ":path": "/gatehouse.v1.ProjectService/AddProject",
  "content-type": "application/grpc",
  te: "trailers",
};
const health = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

/** Sends one request over a session that is open, and returns its status, its trailers' and its body. */
async function request(session: ClientHttp2Session, headers: Record<string, string>, body = "") {
  const stream = session.request({ ...headers });
  let text = "";
  let status: unknown;
  let grpcStatus: unknown;
  stream.on("error", () => {});
  stream.on("response", (received) => {
    status = received[":status"];
    grpcStatus = received["grpc-status"];
  });
  stream.on("trailers", (received) => (grpcStatus = received["grpc-status"]));
  stream.on("data", (chunk: Buffer) => (text += chunk.toString()));
  stream.end(body);
  await once(stream, "close");
  return { status, grpcStatus, text, rstCode: stream.rstCode };
}

/** Sends all of a request but its last byte, and returns when the server has it. */
async function upload(bytes: number) {
  const connection = await openRaw(
    server.port,
    post("/v1/projects", [`Content-Length: ${bytes + 1}`, "Expect: 100-continue"]),
  );
  await connection.until("100 Continue");
  const text = `{"name":"x"${" ".repeat(bytes - 11)}`;
  connection.socket.write(text);
  return connection;
}

const tests = {
  "max-connections": async () => {
    await serve({ "max-connections": "3" });
    const held = await Promise.all([1, 2, 3].map(() => openRaw(server.port, health)));
    await Promise.all(held.map(({ until }) => until("ok\n")));
    const refused = await Promise.all([1, 2].map(() => openRaw(server.port, health)));
    expect(await Promise.all(refused.map(({ closed }) => closed))).toEqual(["", ""]);
    expect(server.logLines.filter(({ msg }) => msg === "connections.refused")).toMatchObject([
      { level: 40, count: 1, max_connections: 3 },
    ]);
    held[0]?.socket.destroy();
    await eventually(async () => (await readMetrics(server)) !== undefined);
    await eventually(async () => (await readMetrics(server))?.get("gatehouse_connections") === 3);
    expect((await readMetrics(server))?.get("gatehouse_connections_refused_total")).toBeGreaterThanOrEqual(2);
    for (const { socket } of held) socket.destroy();
  },

  "max-streams": async () => {
    await serve({ "max-streams": "2" });
    const session = await openRawSession(server.port);
    const open = (id: number) => encodeFrame(type.headers, flag.endHeaders, id, encodeHeaders(jsonCall));
    const end = (id: number) => encodeFrame(type.data, flag.endStream, id, Buffer.from('{"name":"x"}'));
    // The third is complete, and waits for one of the others.
    await session.write(open(1), open(3), open(5), end(5));
    await eventually(async () => (await readMetrics(server))?.get("gatehouse_streams") === 3);
    expect(server.calls).toHaveLength(0);
    await session.write(end(3));
    for (const id of [3, 5]) expect(await dataOf(session, id)).not.toBe("");
    expect(session.frames.filter(({ streamId }) => streamId === 1)).toEqual([]);
    session.socket.destroy();
  },

  "max-waiting-streams": async () => {
    await serve({ "max-streams": "2", "max-waiting-streams": "1" });
    const session = await openRawSession(server.port);
    const open = (id: number) => encodeFrame(type.headers, flag.endHeaders, id, encodeHeaders(jsonCall));
    await session.write(open(1), open(3), open(5), open(7));
    const settings = await session.received((frame) => frame.type === type.settings);
    expect(settings?.payload.includes(Buffer.of(0, setting.maxConcurrentStreams, 0, 0, 0, 3))).toBe(true);
    const reset = await session.received((frame) => frame.type === type.resetStream);
    expect([reset?.streamId, reset?.payload.readUInt32BE(0)]).toEqual([7, 7]);
    session.socket.destroy();
  },

  "max-resets": async () => {
    await serve({ "max-resets": "3" });
    const session = await openRawSession(server.port);
    const open = (id: number) => encodeFrame(type.headers, flag.endHeaders, id, encodeHeaders(jsonCall));
    const reset = (id: number) => encodeFrame(type.resetStream, flag.none, id, Buffer.of(0, 0, 0, 8));
    await session.write(...[1, 3, 5].flatMap((id) => [open(id), reset(id)]), open(7));
    await session.write(encodeFrame(type.data, flag.endStream, 7, Buffer.from('{"name":"x"}')));
    expect(await dataOf(session, 7)).not.toBe("");
    await session.write(open(9), reset(9));
    const away = await session.received((frame) => frame.type === type.goAway);
    expect(away?.payload.readUInt32BE(4)).toBe(11);
    await session.closed;
  },

  "max-calls": async () => {
    await serve({ "max-calls": "1" });
    const { promise: started, resolve } = Promise.withResolvers<void>();
    const { promise: answer, resolve: open } = Promise.withResolvers<object>();
    server.answers.set("addProject", () => {
      resolve();
      return answer;
    });
    const add = () => send(`${server.url}/v1/projects`, { json: { name: "x" } });
    const first = add();
    await started;
    expect(summary(await add())).toMatchObject({ status: 429, code: 8, reason: "TOO_MANY_CALLS" });
    open({ id: "1" });
    expect((await first).status).toBe(200);
    expect((await add()).status).toBe(200);
  },

  "max-header-bytes": async () => {
    await serve({ "max-header-bytes": "1024" });
    const large = { "x-large": "y".repeat(1100) };
    const { closed } = await openRaw(
      server.port,
      `GET /healthz HTTP/1.1\r\nHost: a\r\nx: ${large["x-large"]}\r\n\r\n`,
    );
    expect(await closed).toMatch(
      /^HTTP\/1.1 431 [\s\S]*"code":8[\s\S]*"reason":"HEADERS_TOO_LARGE"[\s\S]*"max_bytes":"1024"/,
    );
    // A peer that has acknowledged the limit is cut by nghttp2; one that has not is answered.
    const session = await openRawSession(server.port);
    const head = (id: number, headers: Record<string, string>) =>
      encodeFrame(
        type.headers,
        flag.endHeaders | flag.endStream,
        id,
        encodeHeaders({ ...headers, ...large }),
      );
    await session.write(head(1, jsonCall), head(3, grpcCall));
    const json = JSON.parse(await dataOf(session, 1));
    expect(statusSummary(json)).toEqual({ code: 8, reason: "HEADERS_TOO_LARGE" });
    expect(await dataOf(session, 3)).toBe("");
    await session.write(encodeFrame(type.settings, flag.ack, 0), head(5, jsonCall));
    const reset = await session.received((frame) => frame.type === type.resetStream && frame.streamId === 5);
    expect(reset?.payload.readUInt32BE(0)).toBe(11);
    session.socket.destroy();
  },

  "max-message-bytes": async () => {
    await serve({ "max-message-bytes": "1024" });
    const json = { name: "x".repeat(1100) };
    expect(summary(await send(`${server.url}/v1/projects`, { json }))).toMatchObject({
      status: 413,
      code: 8,
      reason: "MESSAGE_TOO_LARGE",
    });
    const session = connectHttp2(server.url);
    expect(await request(session, jsonCall, JSON.stringify(json))).toMatchObject({ status: 413 });
    expect(await request(session, grpcCall, `\0\0\0\u0005\0${"x".repeat(1280)}`)).toMatchObject({
      status: 200,
      grpcStatus: "8",
    });
    session.destroy();
  },

  "max-buffered-bytes": async () => {
    await serve({ "max-buffered-bytes": "65536", "max-message-bytes": "65536" });
    const first = await upload(40_000);
    const refusal = { status: 503, code: 14, reason: "OVERLOADED" };
    const text = `{"name":"x"${" ".repeat(40_000)}}`;
    const ask = async () => summary(await send(`${server.url}/v1/projects`, { body: text }));
    await eventually(async () => (await ask()).status === 503);
    expect(await ask()).toEqual(refusal);
    // What a compressed body unfolds to counts as well.
    const body = gzipSync(text);
    const headers = { "content-encoding": "gzip" };
    expect(summary(await send(`${server.url}/v1/projects`, { body, headers }))).toEqual(refusal);
    first.socket.write("}");
    await first.until("HTTP/1.1 200");
    expect((await ask()).status).toBe(200);
    expect((await send(`${server.url}/v1/projects`, { body, headers })).status).toBe(200);
    first.socket.destroy();
  },

  "first-byte-timeout-ms": async () => {
    await serve({ "first-byte-timeout-ms": "100" });
    for (const bytes of ["", "PRI * HT"]) expect(await (await openRaw(server.port, bytes)).closed).toBe("");
    // HTTP/2 without settings, and with settings that are not acknowledged.
    await (await openRaw(server.port, preface)).closed;
    await (await openRawSession(server.port)).closed;
    const polite = await openRawSession(server.port);
    await polite.write(encodeFrame(type.settings, flag.ack, 0));
    const impolite = await openRawSession(server.port);
    await impolite.closed;
    expect(polite.socket.closed).toBe(false);
    polite.socket.destroy();
  },

  "header-timeout-ms": async () => {
    await serve({ "header-timeout-ms": "150" });
    const slow = await openRaw(server.port);
    trickle(slow.socket, `${health.slice(0, -2)}X: ${"y".repeat(1000)}`, 10);
    expect(await slow.closed).toMatch(/^HTTP\/1.1 408 [\s\S]*"code":3/);
  },

  "body-timeout-ms": async () => {
    await serve({ "body-timeout-ms": "200" });
    const slow = await openRaw(server.port, chunkedPost);
    trickle(slow.socket, "1\r\n{\r\n".repeat(1000), 10);
    const never = await openRaw(server.port, post("/v1/projects", ["Content-Length: 99"]));
    for (const { until } of [slow, never]) await until(/^HTTP\/1.1 504 [\s\S]*DEADLINE_EXCEEDED/);
    for (const { socket } of [slow, never]) socket.destroy();
    const session = await openRawSession(server.port);
    const open = (id: number, headers: Record<string, string>) =>
      encodeFrame(type.headers, flag.endHeaders, id, encodeHeaders(headers));
    const reflection = { ...grpcCall, ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo" };
    await session.write(open(1, jsonCall), open(3, grpcCall), open(5, reflection));
    trickle(
      session.socket,
      encodeFrame(type.data, flag.none, 1, Buffer.of(0x20)).toString("latin1").repeat(100),
      10,
    );
    for (const id of [1, 3, 5])
      expect(
        await session.received(({ streamId, flags }) => streamId === id && (flags & 1) === 1),
      ).toBeDefined();
    session.socket.destroy();
  },

  "write-timeout-ms": async () => {
    await serve({ "write-timeout-ms": "300" });
    server.answers.set("addProject", () => ({ id: "x".repeat(6_000_000) }));
    const body = '{"name":"x"}';
    const deaf = await openRaw(server.port, post("/v1/projects", [`Content-Length: ${body.length}`]));
    deaf.socket.pause().write(body);
    // On HTTP/2 a window of 0 for one stream, whose connection serves others.
    const session = await openRawSession(server.port, [[setting.initialWindowSize, 0]]);
    await session.write(
      encodeFrame(type.settings, flag.ack, 0),
      encodeFrame(type.headers, flag.endHeaders, 1, encodeHeaders(jsonCall)),
      encodeFrame(type.data, flag.endStream, 1, Buffer.from(body)),
      encodeFrame(type.headers, flag.endHeaders, 3, encodeHeaders(grpcCall)),
      encodeFrame(type.data, flag.endStream, 3, Buffer.from("\0\0\0\0\u0003\n\u0001x")),
    );
    for (const id of [1, 3]) {
      const reset = await session.received(
        (frame) => frame.type === type.resetStream && frame.streamId === id,
      );
      expect(reset?.payload.readUInt32BE(0)).toBe(8);
    }
    await eventually(async () => (await readMetrics(server))?.get("gatehouse_connections") === 2);
    session.socket.destroy();
    deaf.socket.destroy();
  },

  "idle-timeout-ms": async () => {
    await serve({ "idle-timeout-ms": "200" });
    const http = await openRaw(server.port, health);
    expect(await http.closed).toMatch(/ok\n$/);
    const session = connectHttp2(server.url);
    const code = once(session, "goaway").then(([received]) => received as number);
    expect((await request(session, jsonCall, '{"name":"x"}')).status).toBe(200);
    expect(await code).toBe(0);
    await once(session, "close");
  },

  "flood-pause-ms": async () => {
    await serve({ "flood-pause-ms": "1000" });
    const before = await openRaw(server.port);
    const session = await openRawSession(server.port);
    const pings = Buffer.concat(
      Array.from({ length: 3000 }, () => encodeFrame(type.ping, flag.none, 0, Buffer.alloc(8))),
    );
    while (!session.socket.destroyed) await session.write(pings);
    const late = await openRaw(server.port, health);
    before.socket.write(health);
    const first = await Promise.race([
      before.until(/ok\n$/).then(() => "open before"),
      late.until(/ok\n$/).then(() => "late"),
    ]);
    expect(first).toBe("open before");
    await late.until(/ok\n$/);
    for (const { socket } of [before, late]) socket.destroy();
  },

  "stop-timeout-ms": async () => {
    await serve({ "stop-timeout-ms": "200" });
    const { promise: started, resolve } = Promise.withResolvers<void>();
    server.answers.set("addProject", () => {
      resolve();
      return new Promise(() => {});
    });
    const cut = await openRaw(server.port, `${post("/v1/projects", ["Content-Length: 12"])}{"name":"x"}`);
    await started;
    const startedMs = performance.now();
    await server.stop();
    expect(performance.now() - startedMs).toBeLessThan(2000);
    expect(await cut.closed).toBe("");
  },
};

describe("the limit of", () => {
  test.each(Object.entries(tests))("--%s holds", async (_name, run) => {
    await expect(run()).resolves.toBeUndefined();
  });

  test("every option that is a number is tested here, but for what belongs to a feature", async () => {
    await serve({});
    // test/sites/oidc/api-access.test.ts, test/process/options.test.ts, test/identity/events/watch.test.ts,
    // test/identity/people/invitations/commands.test.ts
    const ofFeatures = [
      "access-token-seconds",
      "ldap-sync-minutes",
      "sms-per-organization",
      "mail-per-organization",
      "invitations-per-organization",
      "watch-max-lag-ms",
      "max-watches",
      "max-watches-per-organization",
    ];
    const limits = optionDefinitions.filter(({ kind }) => kind === "integer").map(({ name }) => name);
    expect([...Object.keys(tests), ...ofFeatures].toSorted()).toEqual([...limits].toSorted());
  });
});
