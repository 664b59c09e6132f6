import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { HealthCheckRequestSchema } from "../../../gen/grpc/health/v1/health_pb.ts";
import { create, toBinary } from "@bufbuild/protobuf";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { frame, type Loose, send, sendHttp2, statusSummary } from "./support/http.ts";
import { readMetrics } from "./support/metrics.ts";
import { callGrpc, createGrpcClient, readStatus } from "../../sites/rpc/support/rpc.ts";
import { startTestServer, type TestServer, token } from "../../sites/rpc/support/server.ts";
import { eventually, openRaw } from "./support/sockets.ts";
import { largeTest } from "../../support/large.ts";

const maxCalls = 3;

let server: TestServer;
let gate: PromiseWithResolvers<object>;

beforeEach(async () => {
  server = await startTestServer({ limits: { maxCalls } });
  gate = Promise.withResolvers();
  server.answers.set("addProject", () => gate.promise);
});
afterEach(async () => {
  gate.resolve({ id: "1" });
  await server.stop();
});

const add = (headers: Record<string, string> = {}) =>
  send(`${server.url}/v1/projects`, { json: { name: "x" }, headers });
const get = (path: string) => send(server.url + path, { headers: { authorization: "" } });
const underWay = async () => (await readMetrics(server))?.get("gatehouse_calls_in_flight");

/** Takes all places with calls that end when the gate opens. Returns what waits for their answers. */
async function fillRoom() {
  const before = server.calls.length;
  const calls = Promise.all(Array.from({ length: maxCalls }, () => add()));
  await eventually(() => server.calls.length === before + maxCalls);
  return async () => await calls;
}

const rpcPath = "/gatehouse.v1.ProjectService/AddProject";
const framed = (protocol: string) => ({ ":path": rpcPath, "content-type": `application/${protocol}` });
const detailsOf = (headers: Loose) => readStatus(Buffer.from(headers["grpc-status-details-bin"], "base64"));

/** How a refusal looks on each content type. */
const refusals: Readonly<Record<string, () => Promise<{ status: Loose; retryAfter: unknown }>>> = {
  REST: async () => {
    const { status, json, headers } = await add();
    expect(status).toBe(429);
    return { status: json, retryAfter: headers.get("retry-after") };
  },
  JSON: async () => {
    const { status, json, headers } = await send(server.url + rpcPath, { json: { name: "x" } });
    expect(status).toBe(429);
    return { status: json, retryAfter: headers.get("retry-after") };
  },
  Connect: async () => {
    const headers = { "connect-protocol-version": "1" };
    const answer = await send(server.url + rpcPath, { json: { name: "x" }, headers });
    expect([answer.status, answer.json.code]).toEqual([429, "resource_exhausted"]);
    const details = answer.json.details.map((detail: Loose) => detail.type);
    expect(details).toEqual(["google.rpc.ErrorInfo", "google.rpc.RetryInfo"]);
    return { status: (await add()).json, retryAfter: answer.headers.get("retry-after") };
  },
  gRPC: async () => {
    const { headers } = await sendHttp2(server.url, framed("grpc"), frame(new Uint8Array(0)));
    expect(headers["grpc-status"]).toBe("8");
    return { status: detailsOf(headers), retryAfter: headers["retry-after"] };
  },
  "gRPC-web": async () => {
    const { headers } = await sendHttp2(server.url, framed("grpc-web"), frame(new Uint8Array(0)));
    expect(headers["grpc-status"]).toBe("8");
    return { status: detailsOf(headers), retryAfter: headers["retry-after"] };
  },
};

describe("when as many calls are under way as may be", () => {
  test.each(Object.entries(refusals))(
    "one more over %s is refused, with the time to wait",
    async (_name, refuse) => {
      const answers = await fillRoom();
      const { status, retryAfter } = await refuse();
      expect(statusSummary(status)).toEqual({ code: 8, reason: "TOO_MANY_CALLS" });
      expect(JSON.stringify(status.details)).toContain('"limit":"3"');
      expect(JSON.stringify(status.details)).toContain('"retryDelay":"1s"');
      expect(retryAfter).toBe("1");
      expect(server.calls).toHaveLength(maxCalls);
      gate.resolve({ id: "1" });
      expect((await answers()).map((answer) => answer.status)).toEqual([200, 200, 200]);
      expect((await add()).status).toBe(200);
    },
  );

  test("one more is refused before its caller is looked up and its body is read", async () => {
    await fillRoom();
    expect((await add({ authorization: "Bearer bad" })).status).toBe(429);
    const silent = await openRaw(
      server.port,
      `POST /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`,
    );
    await silent.until(/^HTTP\/1.1 429 [\s\S]*TOO_MANY_CALLS/);
    silent.socket.destroy();
  });

  test("what says how the service is, and reflection, still answer", async () => {
    await fillRoom();
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    const body = frame(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema)));
    for (const path of ["grpc.health.v1.Health/Check", "grpc.health.v1.Health/List"]) {
      const headers = { ":path": `/${path}`, "content-type": "application/grpc" };
      expect((await sendHttp2(server.url, headers, body)).trailers["grpc-status"]).toBe("0");
    }
    const reflection = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    const listing = frame(Buffer.from([0x3a, 0x01, 0x2a])); // list_services: "*"
    const headers = { ":path": reflection, "content-type": "application/grpc" };
    expect((await sendHttp2(server.url, headers, listing)).trailers["grpc-status"]).toBe("0");
  });

  test("refusals are counted, and the log says so once", async () => {
    await fillRoom();
    for (let count = 0; count < 5; count++) expect((await add()).status).toBe(429);
    expect((await readMetrics(server))?.get("gatehouse_calls_refused_total")).toBe(5);
    expect(server.logLines.filter(({ msg }) => msg === "calls.refused")).toMatchObject([
      { level: 40, count: 1, max_calls: maxCalls },
    ]);
  });
});

describe("a place is given back", () => {
  test("by a call that fails, whatever it fails by", async () => {
    server.answers.set("addProject", () => Promise.reject(new Error("broken")));
    for (let count = 0; count < 2 * maxCalls; count++) {
      expect((await add()).status).toBe(500);
      expect((await add({ authorization: "Bearer bad" })).status).toBe(401);
      expect((await send(`${server.url}/v1/projects`, { body: "{" })).status).toBe(400);
      expect((await get("/v1/nothing")).status).toBe(404);
    }
  });

  test("by a call whose deadline passes", async () => {
    const client = createGrpcClient(server.port);
    const method = ProjectService.method.addProject;
    const late = Array.from({ length: maxCalls }, () =>
      callGrpc(client, method, { name: "x" }, { deadlineMs: 300 }),
    );
    expect((await Promise.all(late)).map(({ error }) => error?.code)).toEqual([4, 4, 4]);
    await eventually(async () => (await underWay()) === 1);
    await fillRoom();
    client.close();
    expect((await add()).status).toBe(429);
  });

  test("by calls whose connection breaks", async () => {
    const head = `POST /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: ${token}\r\nContent-Type: application/json\r\n`;
    const body = '{"name":"x"}';
    const connections = await Promise.all(
      Array.from({ length: maxCalls }, () =>
        openRaw(server.port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`),
      ),
    );
    await eventually(() => server.calls.length === maxCalls);
    expect((await add()).status).toBe(429);
    for (const { socket } of connections) socket.destroy();
    await eventually(async () => (await underWay()) === 1); // the question itself
    gate.resolve({ id: "1" });
    expect((await add()).status).toBe(200);
  });
});

describe("streams", () => {
  let session: ClientHttp2Session;
  beforeEach(() => {
    session = connectHttp2(server.url);
    session.on("error", () => {});
  });
  afterEach(() => session.destroy());

  const open = (path: string, body: Uint8Array | undefined) => {
    const headers = {
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      authorization: token,
    };
    const stream = session.request(headers);
    stream.on("error", () => {});
    stream.resume();
    if (body !== undefined) stream.end(body);
    return stream;
  };

  test("of answers take no place once they are open", async () => {
    server.answers.set("watch", async function* (): AsyncGenerator<object> {
      yield {};
      await gate.promise;
    });
    for (let count = 0; count < 2 * maxCalls; count++) {
      const stream = open("/test.v1.KindsService/Watch", frame(new Uint8Array(0)));
      const [headers] = await once(stream, "response");
      expect(headers["grpc-status"]).toBeUndefined();
    }
    gate.resolve({ id: "1" });
    expect((await add()).status).toBe(200);
  });

  largeTest("without a token take no place from calls, however many are held open", async () => {
    for (let count = 0; count < 100; count++) {
      open("/grpc.health.v1.Health/Check", undefined);
      open("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", undefined);
    }
    await eventually(async () => ((await underWay()) ?? 0) > 100);
    gate.resolve({ id: "1" });
    expect((await add()).status).toBe(200);
  });

  largeTest("without a token are cut, the oldest first, when a thousand are held open", async () => {
    const path = "/grpc.health.v1.Health/Check";
    const sessions = [session];
    const held: { readonly closed: boolean }[] = [];
    // A connection has 128 streams at the most.
    for (let count = 0; count < 1000; count++) {
      if (count % 100 === 0) session = connectHttp2(server.url);
      if (!sessions.includes(session)) sessions.push(session);
      held.push(open(path, undefined));
      if (count === 0) await eventually(async () => (await underWay()) === 2);
    }
    await eventually(async () => ((await underWay()) ?? 0) >= 1000);
    expect(held.filter(({ closed }) => closed).length).toBeLessThan(900);
    await eventually(() => held[0]?.closed === true);
    const body = frame(new Uint8Array(0));
    const answer = await sendHttp2(server.url, { ":path": path, "content-type": "application/grpc" }, body);
    expect(answer.trailers["grpc-status"]).toBe("0");
    for (const each of sessions) each.destroy();
  });
});
