import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Limits } from "../../../src/kernel/http/connections/limits.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../../sites/rpc/support/server.ts";
import { makeCertificate } from "./support/certificate.ts";
import { createEchoForm, maxFormBytes } from "./support/echo-form.ts";
import { send, summary } from "./support/http.ts";
import { readMetrics } from "./support/metrics.ts";
import { eventually, openRaw } from "./support/sockets.ts";
import { type PlainRequest, sendBy, type Way, ways } from "./support/ways.ts";

// A site for browsers beside the calls: what the port does for calls it does for every site.

const certificate = makeCertificate();
const origin = "https://console.example";
const form = "application/x-www-form-urlencoded";
const post = (text: string, more: Readonly<Record<string, string>> = {}): PlainRequest => ({
  verb: "POST",
  path: "/form",
  headers: { "content-type": form, ...more },
  body: `text=${encodeURIComponent(text)}`,
});

/** What the form waits for before it answers. */
let gate: Promise<void> | undefined;

async function serve(options: TestServerOptions = {}): Promise<TestServer> {
  gate = undefined;
  return await startTestServer({
    ...options,
    moreSites: (bodies) => [createEchoForm(bodies, async () => await gate)],
  });
}

describe.each(ways)("a form by %s", (way: Way) => {
  const ca = way.endsWith("TLS") ? certificate.cert : undefined;
  let server: TestServer;
  beforeAll(async () => {
    server = await serve({
      tls: ca === undefined ? undefined : certificate,
      corsOrigins: [origin],
      limits: { bodyTimeoutMs: 300, maxHeaderBytes: 4000 },
    });
  });
  afterAll(() => server.stop());
  const by = (request: PlainRequest) => sendBy(way, server.url, request, ca);

  test("is shown, with two cookies", async () => {
    const { status, headers, text } = await by({ path: "/form" });
    expect([status, headers["content-type"], text]).toEqual([
      200,
      "text/html; charset=utf-8",
      '<form method="post"><input name="text"></form>',
    ]);
    expect(headers["set-cookie"]).toEqual(["session=1; HttpOnly", "csrf=2; HttpOnly"]);
    expect(headers["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
  });

  test("answers HEAD with the headers of GET and without a body", async () => {
    const [get, head] = await Promise.all([by({ path: "/form" }), by({ verb: "HEAD", path: "/form" })]);
    const comparable = ({ headers }: typeof get) => ({ ...headers, date: "", "x-request-id": "" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(comparable(head)).toEqual(comparable(get));
    expect(head.headers["content-length"]).toBe(String(get.text.length));
  });

  test("echoes what was sent", async () => {
    expect((await by(post("a & <b>"))).text).toBe("<p>a &amp; &lt;b></p>");
    expect((await by({ ...post("x"), path: "/form?text=y" })).text).toBe("<p>x</p>");
  });

  test.each<[string, PlainRequest, number, RegExp]>([
    ["verbs that it does not take", { ...post("x"), verb: "PUT" }, 405, /use GET, HEAD, POST/],
    ["what is no form", post("x", { "content-type": "application/grpc" }), 415, /send a form/],
    ["a form that is too large", post("x".repeat(maxFormBytes)), 413, /larger than/],
    [
      "a header that must not be repeated",
      { path: "/form", headers: { "x-service-validate-only": ["true", "true"] } },
      400,
      /validate-only/,
    ],
  ])("refuses %s in its own shape", async (_, request, status, words) => {
    const { headers, ...answer } = await by(request);
    expect([answer.status, headers["content-type"]]).toEqual([status, "text/html; charset=utf-8"]);
    expect(answer.text).toMatch(words);
    expect(answer.text).toContain(`<h1>${status}</h1>`);
  });

  test("is bound by the size of headers; what the parser refuses is for no site yet", async () => {
    const { status, headers } = await by({ path: "/form", headers: { "x-big": "b".repeat(5000) } });
    const expected = way.startsWith("HTTP/2") ? "text/html; charset=utf-8" : "application/json";
    expect([status, headers["content-type"]]).toEqual([431, expected]);
  });

  test("tells the request id of a bug, and nothing else", async () => {
    gate = Promise.reject(new Error("the secret of the form"));
    gate.catch(() => {});
    const { status, headers, text } = await by(post("x"));
    gate = undefined;
    expect([status, text]).toEqual([
      500,
      `<h1>500</h1><p>internal error; request id ${String(headers["x-request-id"])}</p>`,
    ]);
    const line = server.logLines.find(({ request_id: id }) => id === headers["x-request-id"]);
    expect(line).toMatchObject({ msg: "call.failed", err: { message: "the secret of the form" } });
  });

  test("waits for a body as long as a call does", async () => {
    const { status, text } = await by({ ...post(""), isEndless: true });
    expect([status, text]).toEqual([504, "<h1>504</h1><p>the body did not arrive within 300 ms</p>"]);
  });

  test("is not to be read by origins that may make calls", async () => {
    const corsOf = (headers: object) =>
      Object.keys(headers).filter((name) => name.startsWith("access-control") || name === "vary");
    const preflight = { origin, "access-control-request-method": "POST" };
    expect(corsOf((await by({ path: "/form", headers: { origin } })).headers)).toEqual([]);
    const asked = await by({ verb: "OPTIONS", path: "/form", headers: preflight });
    expect([asked.status, corsOf(asked.headers)]).toEqual([405, []]);
    const refused = await by({ path: "/form/nothing", headers: { origin } });
    expect([refused.status, corsOf(refused.headers).length]).toEqual([404, 3]); // a path of the calls
    const call = await by({ path: "/v1/projects", headers: { origin } });
    expect([call.status, call.headers["access-control-allow-origin"]]).toEqual([401, origin]);
  });

  test("is counted and logged by its path, with the status of what failed", async () => {
    const line = 'gatehouse_calls_total{method="/form/gone",lane="http",code="410"}';
    const { headers } = await by({ path: "/form/gone" });
    expect((await by({ path: "/metrics" })).text).toContain(`${line} 1\n`);
    const logged = server.logLines.find(({ request_id: id }) => id === headers["x-request-id"]);
    expect(logged).toMatchObject({ msg: "call.done", method: "/form/gone", lane: "http", code: 410 });
  });
});

describe("a form under load", () => {
  let server: TestServer;
  let opened = Promise.withResolvers<void>();
  afterEach(async () => {
    opened.resolve();
    await server.stop();
  });

  async function serveGated(limits: Partial<Limits> = {}): Promise<void> {
    server = await serve({ limits });
    opened = Promise.withResolvers<void>();
    gate = opened.promise;
  }
  const underWay = async () => (await readMetrics(server))?.get("gatehouse_calls_in_flight");

  test("takes the places of calls, and is refused in its own shape when there are no more", async () => {
    await serveGated({ maxCalls: 2 });
    const held = [sendBy("HTTP/1.1", server.url, post("1")), sendBy("HTTP/2", server.url, post("2"))];
    await eventually(async () => (await underWay()) === 3); // and the question itself
    const third = await sendBy("HTTP/1.1", server.url, { path: "/form" });
    expect([third.status, third.headers["retry-after"]]).toEqual([429, "1"]);
    expect(third.text).toContain("<h1>429</h1>");
    expect(summary(await send(`${server.url}/v1/projects`))).toMatchObject({
      status: 429,
      reason: "TOO_MANY_CALLS",
    });
    expect((await sendBy("HTTP/1.1", server.url, { path: "/healthz" })).status).toBe(200);
    opened.resolve();
    expect((await Promise.all(held)).map(({ text }) => text)).toEqual(["<p>1</p>", "<p>2</p>"]);
    expect((await sendBy("HTTP/1.1", server.url, { path: "/form" })).status).toBe(200);
  });

  test("is answered before a stop is over; what comes later is refused in its own shape", async () => {
    await serveGated({ stopTimeoutMs: 5000 });
    const kept = await openRaw(server.port, "GET /form HTTP/1.1\r\nHost: a\r\n\r\n");
    await kept.until("</form>");
    const held = sendBy("HTTP/2", server.url, post("last"));
    await eventually(async () => (await underWay()) === 2);
    const stopped = server.stop();
    kept.socket.write("GET /form HTTP/1.1\r\nHost: a\r\n\r\n");
    await kept.until("<h1>503</h1>");
    opened.resolve();
    expect((await held).text).toBe("<p>last</p>");
    await stopped;
    expect(await kept.closed).toContain("Connection: close");
  });
});
