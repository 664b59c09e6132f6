import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import { startTestServer, token } from "../../sites/rpc/support/server.ts";
import { frame, sendRaw } from "./support/http.ts";
import { openRaw } from "./support/sockets.ts";

// `Expect: 100-continue` (RFC 9110 §10.1.1): a caller whose request is refused by its headers is told so without 100, and nothing of
// the body is read; all others are asked for it.

const maxCalls = 1;
const maxMessageBytes = 100_000;
const server = await startTestServer({ limits: { maxCalls, maxMessageBytes } });
afterAll(() => server.stop());
beforeEach(() => {
  server.calls.splice(0);
});

const json = { "content-type": "application/json" };
const good = { authorization: token, ...json };
const rpc = "/gatehouse.v1.ProjectService/AddProject";
const watch = "/test.v1.KindsService/Watch";

/** What method, target and headers suffice to refuse, with the status of HTTP. */
const refused: readonly (readonly [string, string, string, Record<string, string>, number])[] = [
  ["without a token", "POST", "/v1/projects", json, 401],
  ["to a path that nobody has", "POST", "/v1/nothing", good, 404],
  ["with a verb that the path does not take", "PATCH", "/v1/projects", good, 405],
  ["with too long a body", "POST", "/v1/projects", { ...good, "content-length": "100001" }, 413],
  ["of another content type", "POST", "/v1/projects", { ...good, "content-type": "text/plain" }, 415],
  [
    "of a framed type that is not served",
    "POST",
    rpc,
    { ...good, "content-type": "application/grpc+json" },
    415,
  ],
  ["of gRPC-web without a token", "POST", rpc, { "content-type": "application/grpc-web" }, 200],
  ["of a stream of gRPC-web without a token", "POST", watch, { "content-type": "application/grpc-web" }, 200],
  [
    "of a stream of Connect without a token",
    "POST",
    watch,
    { "content-type": "application/connect+json" },
    200,
  ],
];

const behind = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";

function head(verb: string, path: string, headers: Record<string, string>, version = "1.1"): string {
  const all = { host: "a", expect: "100-continue", "content-length": "1000", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${verb} ${path} HTTP/${version}\r\n${lines.join("")}\r\n`;
}

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe("a request of HTTP/1.1 that expects 100", () => {
  test.each(refused)("%s gets the final status alone", async (_what, verb, path, headers, status) => {
    // The caller need not send the body, so what follows may be anything: nothing of it is served (RFC 9112 §9.3).
    const text = await sendRaw(server.port, head(verb, path, headers) + behind);
    expect(statusesIn(text)).toEqual([status]);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(server.calls).toEqual([]);
  });

  test("gets the final status while all places are taken", async () => {
    const gate = Promise.withResolvers<object>();
    server.answers.set("addProject", () => gate.promise);
    const body = '{"name":"x"}';
    const first = await openRaw(
      server.port,
      head("POST", "/v1/projects", { ...good, "content-length": "12" }),
    );
    await first.until("HTTP/1.1 100 Continue\r\n\r\n");
    const text = await sendRaw(server.port, head("POST", "/v1/projects", good) + behind);
    expect(statusesIn(text)).toEqual([429]);
    first.socket.write(body);
    gate.resolve({ id: "1" });
    await first.until("HTTP/1.1 200 OK");
    first.socket.destroy();
    server.answers.delete("addProject");
  });

  test("is asked for its body when that is read, and its connection serves what comes behind", async () => {
    const body = '{"name":"x"}';
    const bytes = head("POST", "/v1/projects", { ...good, "content-length": String(body.length) });
    const { socket, until, received } = await openRaw(server.port, bytes);
    await until("HTTP/1.1 100 Continue\r\n\r\n");
    expect(statusesIn(received())).toEqual([100]);
    socket.write(body + behind);
    await until("ok\n");
    expect(statusesIn(received())).toEqual([100, 200, 200]);
    expect(server.calls.map(({ request }) => request)).toMatchObject([{ name: "x" }]);
    socket.destroy();
  });

  test("and is refused by what its body says was asked for it", async () => {
    const bytes = head("POST", "/v1/projects", { ...good, "content-length": "1" });
    const { socket, until, received } = await openRaw(server.port, bytes);
    await until("100 Continue");
    socket.write(`{${behind}`);
    await until("ok\n");
    expect(statusesIn(received())).toEqual([100, 400, 200]);
    socket.destroy();
  });

  test("hears nothing of 100 without a body, and with HTTP/1.0", async () => {
    const bare = await sendRaw(server.port, head("POST", "/v1/projects", { ...json, "content-length": "0" }));
    expect(statusesIn(bare)).toEqual([401]);
    const old = head("POST", "/v1/projects", { ...good, "content-length": "12" }, "1.0");
    const { socket, until, received } = await openRaw(server.port, `${old}{"name":"x"}`);
    await until("200 OK");
    expect(statusesIn(received())).toEqual([200]);
    socket.destroy();
  });

  test("may send its body without waiting, and reads the answer all the same", async () => {
    const { closed } = await openRaw(
      server.port,
      head("POST", "/v1/projects", { ...json, "content-length": "90000" }) + "x".repeat(90_000),
    );
    expect(statusesIn(await closed)).toEqual([401]);
  });
});

describe("a stream of HTTP/2 that expects 100", () => {
  let session: ClientHttp2Session;
  beforeAll(() => {
    session = connectHttp2(server.url);
  });
  afterAll(() => session.destroy());

  /** Sends the headers, and the body once it is asked for. */
  async function exchange(headers: OutgoingHttpHeaders, body: string | Uint8Array = '{"name":"x"}') {
    const stream = session.request({ ":method": "POST", expect: "100-continue", ...headers });
    let wasAsked = false;
    stream.on("continue", () => {
      wasAsked = true;
      stream.end(body);
    });
    stream.on("error", () => {});
    let grpcStatus: unknown;
    stream.on("trailers", (trailers) => (grpcStatus = trailers["grpc-status"]));
    const answered = once(stream, "response");
    const closed = once(stream, "close");
    stream.resume();
    const [answer] = (await answered) as [Record<string, string>];
    await closed;
    return { wasAsked, status: Number(answer[":status"]), grpcStatus, code: stream.rstCode };
  }

  test.each(refused)("%s gets the final status alone", async (_what, verb, path, headers, status) => {
    const length =
      headers["content-length"] === undefined ? {} : { "content-length": headers["content-length"] };
    const answer = await exchange({ ...headers, ...length, ":method": verb, ":path": path });
    expect(answer).toMatchObject({ wasAsked: false, status, code: 0 });
    expect(server.calls).toEqual([]);
  });

  test("of gRPC without a token is not waited for", async () => {
    for (const path of [rpc, watch]) {
      const answer = await exchange({ "content-type": "application/grpc", te: "trailers", ":path": path });
      expect(answer).toEqual({ wasAsked: false, status: 200, grpcStatus: "16", code: 0 });
    }
  });

  test("is asked for its body when that is read", async () => {
    expect(await exchange({ ...good, ":path": "/v1/projects" })).toMatchObject({
      wasAsked: true,
      status: 200,
    });
    const framed = { authorization: token, te: "trailers", "content-type": "application/grpc" };
    const answer = await exchange({ ...framed, ":path": rpc }, frame(new Uint8Array(0)));
    expect(answer).toMatchObject({ wasAsked: true, status: 200 });
    expect(server.calls).toHaveLength(1); // the other one has no name
  });
});
