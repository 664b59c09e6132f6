import { afterAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createClient } from "@connectrpc/connect";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectSocket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { type Loose, send, sendHttp2, sendRaw } from "./support/http.ts";
import { dataOf, encodeFrame, encodeHeaders, flag, openRawSession, type } from "./support/http2-frames.ts";
import { callGrpc, createGrpcClient } from "../../sites/rpc/support/rpc.ts";
import { startTestServer, token } from "../../sites/rpc/support/server.ts";
import { largeTest } from "../../support/large.ts";

const server = await startTestServer();
afterAll(() => server.stop());
beforeEach(() => {
  server.answers.clear();
});

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const isAlive = async (of = server) => (await send(`${of.url}/healthz`)).status === 200;

describe("one port in clear text", () => {
  test("serves HTTP/1.1 and HTTP/2", async () => {
    expect((await send(`${server.url}/healthz`)).text).toBe("ok\n");
    const { headers } = await sendHttp2(server.url, { ":method": "GET", ":path": "/healthz" });
    expect(headers[":status"]).toBe(200);
  });

  test("tells them apart when bytes come one by one", async () => {
    const socket = connectSocket(server.port, "127.0.0.1");
    let received = "";
    socket.setNoDelay(true).on("data", (chunk) => (received += chunk.toString()));
    for (const byte of "POST /v1/projects HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    await once(socket, "close");
    expect(received).toMatch(/^HTTP\/1.1 401 /);
  });

  test("answers a request to upgrade as HTTP/1.1", async () => {
    const head =
      "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n";
    expect(await sendRaw(server.port, head, "ok\n")).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("a hostile request", () => {
  const hosts = [
    "Host: a b",
    "Host: [",
    "Host:",
    "Host: a/b",
    "Host: ä",
    "Host: <x>",
    "X: y",
    "Host: a\r\nHost: b",
    "Host: a@b c",
  ];
  const targets = ["/healthz", "/v1/projects", "/gatehouse.v1.ProjectService/AddProject"];

  test.each(hosts)("with %j is 400 in the shape of all errors and harms nobody", async (host) => {
    for (const target of targets) {
      const answer = await sendRaw(
        server.port,
        `POST ${target} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(
        /^HTTP\/1.1 400 [\s\S]*x-request-id: [0-9a-f]{32}[\s\S]*\{"code":3,"message":"[^"]+","details":/i,
      );
    }
    expect(await isAlive()).toBe(true);
  });

  test("with a hostile :authority is 400", async () => {
    for (const authority of ["a:b", "a:1:2"]) {
      const { headers } = await sendHttp2(server.url, {
        ":authority": authority,
        ":path": "/gatehouse.v1.ProjectService/AddProject",
      });
      expect(headers[":status"]).toBe(400);
    }
  });

  test("of HTTP/1.0 without Host is served", async () => {
    expect(await sendRaw(server.port, "GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1.1 200 /);
    const grpcWeb =
      "POST /gatehouse.v1.ProjectService/AddProject HTTP/1.0\r\ncontent-type: application/grpc-web\r\ncontent-length: 0\r\n\r\n";
    expect(await sendRaw(server.port, grpcWeb)).toMatch(/^HTTP\/1.1 200 /);
    expect(await isAlive()).toBe(true);
  });

  test.each([
    ["a TLS hello", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001"],
    ["a broken preface", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"],
    ["garbage behind the preface", `${preface}${"\u00ff".repeat(64)}`],
  ])("that is %s harms nobody", async (_what, bytes) => {
    const answer = sendRaw(server.port, Buffer.from(bytes, "latin1"), /[^]/);
    expect(await isAlive()).toBe(true);
    await answer;
  });

  test("that breaks off in its body, or resets its stream, harms nobody", async () => {
    const head = `POST /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"na`;
    const socket = connectSocket(server.port, "127.0.0.1");
    socket.write(head);
    await once(socket, "connect");
    await new Promise(setImmediate);
    socket.destroy();
    const session = connectHttp2(server.url);
    await once(session, "connect");
    for (let round = 0; round < 20; round++) {
      const stream = session.request({
        ":method": "POST",
        ":path": "/v1/projects",
        authorization: token,
        "content-type": "application/json",
      });
      stream.on("error", () => {});
      stream.write('{"na');
      stream.close(8);
    }
    await promisify((done: (error: Error | null) => void) => session.ping(done))();
    session.destroy();
    expect(await isAlive()).toBe(true);
  });

  test("that resets stream after stream loses its session", async () => {
    const session = connectHttp2(server.url);
    await once(session, "connect");
    session.on("error", () => {});
    // Each round ends before the next begins, or what is not sent yet would pile up in this process. Ten times as many
    // as the service lets pass are enough: some are answered before they are reset.
    for (let round = 0; round < 200 && !session.destroyed; round++) {
      const streams = Array.from({ length: 50 }, () =>
        session.request({ ":method": "POST", ":path": "/v1/projects" }),
      );
      const ends = streams.map(
        (stream) =>
          new Promise<void>((resolveEnd) => {
            stream.on("error", () => {}).once("close", () => resolveEnd());
          }),
      );
      for (const stream of streams) stream.close(8);
      await Promise.all(ends);
    }
    expect(session.destroyed).toBe(true);
    expect(await isAlive()).toBe(true);
  });
});

describe("time limits", () => {
  test("cut a body that goes on after it was refused", async () => {
    const socket = connectSocket(server.port, "127.0.0.1");
    let sent = 0;
    let received = "";
    const closed = new Promise((resolve) => {
      socket.once("close", resolve);
    });
    socket.on("error", () => {});
    socket.on("data", (chunk) => (received += chunk.toString()));
    socket.write(
      "POST /v1/projects HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n\r\n",
    );
    const chunk = Buffer.alloc(1024 * 1024);
    const more = (error?: Error | null): void => {
      if (error || socket.destroyed) return; // who goes on after an error leaves no turn for the end of the socket
      sent += chunk.length;
      socket.write(chunk, more);
    };
    more();
    await closed;
    expect(received).toMatch(/^HTTP\/1.1 401 /);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  largeTest("do not end a stream of answers that is silent", async () => {
    const quick = await startTestServer({ limits: { bodyTimeoutMs: 300, idleTimeoutMs: 400 } });
    quick.answers.set("watch", async function* () {
      yield { text: "a" };
      await sleep(1000);
      yield { text: "b" };
    });
    const { KindsService } = await import("../../sites/rpc/support/kinds.ts");
    for (const httpVersion of ["1.1", "2"] as const) {
      const client = createClient(
        KindsService as never,
        createConnectTransport({ baseUrl: quick.url, httpVersion }),
      ) as Loose;
      const texts: string[] = [];
      for await (const { text } of client.watch({}, { headers: { authorization: token } })) texts.push(text);
      expect(texts).toEqual(["a", "b"]);
    }
    await quick.stop();
  });
});

describe("a stop", () => {
  test("lets calls in flight end, ends streams, refuses new connections, and leaves nothing open", async () => {
    const stopping = await startTestServer();
    const { promise: released, resolve: release } = Promise.withResolvers<object>();
    let started = 0;
    const { promise: allStarted, resolve: haveStarted } = Promise.withResolvers<void>();
    stopping.answers.set("addProject", () => {
      if (++started === 2) haveStarted();
      return released;
    });
    stopping.answers.set("watch", async function* () {
      yield { text: "a" };
      await new Promise(() => {});
    });
    const grpc = createGrpcClient(stopping.port);
    const idle = connectSocket(stopping.port, "127.0.0.1");
    idle.on("error", () => {});
    const idleClosed = once(idle, "close");
    const calls = [
      send(`${stopping.url}/v1/projects`, { json: { name: "x" } }),
      callGrpc(grpc, ProjectService.method.addProject, { name: "x" }),
    ] as const;
    const { KindsService } = await import("../../sites/rpc/support/kinds.ts");
    const watcher = (
      createClient(
        KindsService as never,
        createConnectTransport({ baseUrl: stopping.url, httpVersion: "2" }),
      ) as Loose
    ).watch({}, { headers: { authorization: token } });
    const iterator = watcher[Symbol.asyncIterator]();
    await iterator.next();
    await allStarted;
    const stopped = stopping.stop();
    await expect(iterator.next()).rejects.toMatchObject({ code: 14 });
    await idleClosed;
    await expect(fetch(`${stopping.url}/healthz`)).rejects.toThrow();
    release({ id: "late" });
    const [rest, rpc] = await Promise.all(calls);
    expect([rest.status, rest.json.id, rpc.answer.id]).toEqual([200, "late", "late"]);
    await stopped;
    grpc.close();
  });

  largeTest("does not wait for idle peers of HTTP/2 who keep their half of the connection open", async () => {
    const stopping = await startTestServer();
    const openHalf = async () => {
      const socket = connectSocket({ port: stopping.port, host: "127.0.0.1", allowHalfOpen: true });
      const session = await openRawSession(stopping.port, [], socket);
      await session.received(({ type: each }) => each === type.settings);
      return session;
    };
    const [unused, used] = [await openHalf(), await openHalf()];
    const target = { ":method": "POST", ":scheme": "http", ":path": "/v1/projects", ":authority": "a" };
    const headers = { ...target, authorization: token, "content-type": "application/json" };
    const { promise: answer, resolve: release } = Promise.withResolvers<object>();
    const started = new Promise<void>((resolve) => {
      stopping.answers.set("addProject", () => {
        resolve();
        return answer;
      });
    });
    await used.write(
      encodeFrame(type.headers, flag.endHeaders, 1, encodeHeaders(headers)),
      encodeFrame(type.data, flag.endStream, 1, Buffer.from('{"name":"x"}')),
    );
    await started;
    const startedMs = performance.now();
    const stopped = stopping.stop();
    await unused.received(({ type: each }) => each === type.goAway);
    release({ id: "late" });
    expect(await dataOf(used, 1)).toContain("late");
    await stopped;
    expect(performance.now() - startedMs).toBeLessThan(5000); // calls would have 8 s
    for (const { socket } of [unused, used]) socket.destroy();
  });
});

test("answers tell nothing of the Host or of X-Forwarded headers, which count from configured proxies only", async () => {
  const headers = {
    "x-forwarded-for": "198.51.100.7, 127.0.0.2",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
  };
  await send(`${server.url}/v1/projects`, { json: { name: "x" }, headers });
  expect(server.calls.at(-1)!.call.remoteAddress).toBe("127.0.0.1");
  const behind = await startTestServer({ trustedProxies: ["127.0.0.0/8"] });
  await send(`${behind.url}/v1/projects`, { json: { name: "x" }, headers });
  await send(`${behind.url}/v1/projects`, { json: { name: "x" }, headers: { "x-forwarded-for": "garbage" } });
  await behind.stop();
  const elsewhere = await startTestServer({ trustedProxies: ["10.0.0.0/8", "::1"] });
  await send(`${elsewhere.url}/v1/projects`, { json: { name: "x" }, headers });
  await elsewhere.stop();
  expect(elsewhere.calls.map(({ call }) => call.remoteAddress)).toEqual(["127.0.0.1"]);
  expect(behind.calls.map(({ call }) => call.remoteAddress)).toEqual(["198.51.100.7", "127.0.0.1"]);
  const ignored = (of: typeof server) => of.logLines.filter(({ msg }) => msg === "forwarded_for.ignored");
  expect(ignored(server)).toMatchObject([{ level: 40, count: 1 }]);
  await send(`${server.url}/v1/projects`, { json: { name: "x" }, headers });
  expect([ignored(server).length, ignored(behind), ignored(elsewhere)]).toEqual([1, [], []]); // at most once a minute
  await expect(startTestServer({ trustedProxies: ["proxy.example"] })).rejects.toThrow(
    "not an address or a network",
  );
});
