import { describe, expect, test } from "@jest/globals";
import type { ServerResponse } from "node:http";
import { createGuardedFetch, type GuardedPostOptions } from "../../../src/kernel/outbound/guarded-fetch.ts";
import { startHttp, startReceiver, startTcp, useServers } from "./loopback-server.ts";
import { resolver } from "./resolver.ts";

const limits: GuardedPostOptions = { timeoutMs: 5000, maxBytes: 100 };
const fields = { token: "a b&c=ü", other: "" };
const local = createGuardedFetch({ dev: true, allowedHosts: [] });

const use = useServers();
/** Posts to a server that answers so, and waits until no connection is left. */
async function postTo(answer: (response: ServerResponse) => void, options: Partial<GuardedPostOptions> = {}) {
  const server = use(await startReceiver((_request, _body, response) => answer(response)));
  const outcome = await local.post(`http://127.0.0.1:${server.port}/`, fields, { ...limits, ...options });
  await server.allClosed();
  return outcome;
}

test("the form is posted once, with its type and length", async () => {
  const seen: unknown[] = [];
  const server = use(
    await startReceiver((request, body, response) => {
      const { host: _host, ...headers } = request.headers;
      seen.push([request.method, request.url, headers, body]);
      response.setHeader("content-type", "application/json");
      response.end("{}");
    }),
  );
  const outcome = await local.post(`http://127.0.0.1:${server.port}/path?a=b`, fields, limits);
  const bytes = new Uint8Array(Buffer.from("{}"));
  expect(outcome).toEqual({ kind: "answered", status: 200, bytes, contentType: "application/json" });
  const body = "token=a+b%26c%3D%C3%BC&other=";
  const headers = {
    accept: "*/*",
    "accept-encoding": "identity",
    connection: "close",
    "content-length": String(body.length),
    "content-type": "application/x-www-form-urlencoded",
    "user-agent": "gatehouse",
  };
  expect(seen).toEqual([["POST", "/path?a=b", headers, body]]);
});

describe("an answer", () => {
  test.each([200, 204, 302, 307, 400, 500])(
    "of any status is one: %i, and nothing is followed",
    async (status) => {
      const other = use(await startHttp((_request, response) => response.end("elsewhere")));
      const outcome = await postTo((response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${other.port}/` });
        response.end();
      });
      expect(outcome).toMatchObject({ kind: "answered", status, bytes: new Uint8Array() });
      expect(other.connectionCount()).toBe(0);
    },
  );

  test.each<readonly [string, (response: ServerResponse) => void]>([
    ["that is too long", (response) => response.end("a".repeat(101))],
    [
      "that says that it is too long",
      (response) => response.writeHead(200, { "content-length": 101 }).write("a"),
    ],
    ["in an unknown encoding", (response) => response.writeHead(200, { "content-encoding": "zz" }).end("a")],
    ["that is not packed", (response) => response.writeHead(200, { "content-encoding": "gzip" }).end("a")],
    [
      "that is cut off",
      (response) => response.writeHead(200).write("a", () => setImmediate(() => response.destroy())),
    ],
  ])("%s has a status and no body", async (_name, answer) => {
    expect(await postTo(answer)).toMatchObject({ kind: "answered", status: 200, bytes: undefined });
  });

  test.each<readonly [string, (response: ServerResponse) => void]>([
    ["that never ends", (response) => response.writeHead(200).write("a")],
    ["without end", (response) => pour(response)],
  ])("%s is given up in time", async (_name, answer) => {
    const limited = { timeoutMs: 300, maxBytes: 1_000_000 };
    expect(await postTo(answer, limited)).toMatchObject({ kind: "answered", status: 200, bytes: undefined });
  });

  test("that never comes, and a port that nobody opens, are unreachable", async () => {
    expect(await postTo(() => {}, { timeoutMs: 200 })).toMatchObject({ kind: "unreachable" });
    const closed = await startTcp(() => {});
    await closed.close();
    const outcome = await local.post(`http://127.0.0.1:${closed.port}/`, fields, limits);
    expect(outcome).toMatchObject({ kind: "unreachable" });
  });
});

describe("what must not be reached sees no connection", () => {
  test.each(["http", "https"])("%s on loopback", async (scheme) => {
    const server = use(await startTcp((socket) => socket.end()));
    const { post } = createGuardedFetch({ dev: false, allowedHosts: [] });
    const outcome = await post(`${scheme}://127.0.0.1:${server.port}/`, fields, limits);
    expect(outcome).toMatchObject({ kind: "forbidden" });
    expect(server.connectionCount()).toBe(0);
  });

  test("a name that stands for a private address", async () => {
    const server = use(await startTcp((socket) => socket.end()));
    const resolve = resolver({ "app.example": ["127.0.0.1"] });
    const { post } = createGuardedFetch({ dev: false, allowedHosts: [], resolve });
    const outcome = await post(`https://app.example:${server.port}/`, fields, limits);
    expect(outcome).toMatchObject({ kind: "unreachable" });
    expect(server.connectionCount()).toBe(0);
  });
});

test("an abort rejects with its reason", async () => {
  const abort = new AbortController();
  const server = use(await startReceiver(() => abort.abort(new Error("the end"))));
  const options = { ...limits, signal: abort.signal };
  await expect(local.post(`http://127.0.0.1:${server.port}/`, fields, options)).rejects.toThrow("the end");
});

/** Writes for as long as somebody reads. */
function pour(response: ServerResponse): void {
  const write = () => {
    if (!response.destroyed) response.write("a".repeat(1000), () => setTimeout(write, 10));
  };
  write();
}

describe("a document that is asked for once", () => {
  const headers = { authorization: "Bearer token", accept: "application/json" };

  test("is what the URL itself gives, whatever its status, and the headers go nowhere else", async () => {
    const seen: unknown[] = [];
    const other = use(await startReceiver((_request, _body, response) => void response.end()));
    const server = use(
      await startReceiver((request, body, response) => {
        seen.push([request.method, request.headers.authorization, request.headers.accept, body]);
        response.writeHead(302, { location: `http://127.0.0.1:${other.port}/` });
        response.end("moved");
      }),
    );
    const outcome = await local.getOnce(`http://127.0.0.1:${server.port}/`, { ...limits, headers });
    const bytes = new Uint8Array(Buffer.from("moved"));
    expect(outcome).toMatchObject({ kind: "answered", status: 302, bytes });
    expect(seen).toEqual([["GET", "Bearer token", "application/json", ""]]);
  });

  test("is not asked for at an address that is forbidden", async () => {
    const outcome = await local.getOnce("http://10.0.0.1/", limits);
    expect(outcome.kind).toBe("forbidden");
  });

  test("is none that is too long", async () => {
    const long = use(await startHttp((_request, response) => response.end("x".repeat(101))));
    const outcome = await local.getOnce(`http://127.0.0.1:${long.port}/`, limits);
    expect(outcome).toMatchObject({ kind: "answered", bytes: undefined });
  });
});

test("a form may have headers, but is a form whatever they say", async () => {
  const seen: unknown[] = [];
  const server = use(
    await startReceiver((request, _body, response) => {
      seen.push([request.headers.authorization, request.headers["content-type"]]);
      response.end();
    }),
  );
  const headers = { authorization: "Basic abc", "content-type": "text/plain" };
  await local.post(`http://127.0.0.1:${server.port}/`, fields, { ...limits, headers });
  expect(seen).toEqual([["Basic abc", "application/x-www-form-urlencoded"]]);
});
