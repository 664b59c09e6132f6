import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from "node:http2";
import { request as requestHttps } from "node:https";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  EventService,
  WatchEventsRequestSchema,
  WatchEventsResponseSchema,
} from "../../gen/gatehouse/v1/event_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { frame } from "../kernel/http/support/http.ts";
import { eventually } from "../kernel/http/support/sockets.ts";
import { startService, type TestService } from "../support/service.ts";
import { idOf, uniqueName } from "../support/world.ts";
import { kinds, type ProxyKind, requireProxy, startProxy } from "./support/proxy.ts";

// The configurations of docs/operate/proxies, run by the proxies that they are for.

const watchPath = `/${EventService.typeName}/WatchEvents`;
const watchTypes = ["application/grpc", "application/grpc-web", "application/connect+proto"] as const;

test("a proxy that is missing is named, and what to install", () => {
  expect(() => requireProxy({ program: "/nowhere/proxy", package: "some-proxy" })).toThrow(
    "/nowhere/proxy is missing: install the package some-proxy (.ci/install-proxies does)",
  );
});

describe.each(Object.keys(kinds) as ProxyKind[])("behind %s", (kind) => {
  let service: TestService;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  beforeAll(async () => {
    service = await startService({ "trusted-proxies": "127.0.0.1" });
    proxy = await startProxy(kind, service.port);
  });
  afterAll(async () => {
    await proxy.stop();
    await service.stop();
  });

  const headers = () => ({ authorization: `Bearer ${service.adminToken}` });
  const grpc = { "content-type": "application/grpc", te: "trailers" };

  /** Sends a request of HTTP/1.1 from another address of this machine. */
  async function send(method: string, path: string, json?: JsonObject, more: Record<string, string> = {}) {
    const request = requestHttps({
      host: "127.0.0.1",
      port: proxy.port,
      ca: proxy.ca,
      localAddress: "127.0.0.7",
      agent: false,
      method,
      path,
      headers: { ...headers(), "content-type": "application/json", ...more },
    });
    const response = once(request, "response");
    request.end(json === undefined ? undefined : JSON.stringify(json));
    const [answer] = await response;
    return { status: answer.statusCode as number, json: JSON.parse(await text(answer)) as JsonObject };
  }

  const openHttp2 = () => connectHttp2(`https://127.0.0.1:${proxy.port}`, { ca: proxy.ca });

  /** Calls by gRPC, and returns what comes at the end. */
  async function callGrpc(path: string, message: Uint8Array, more: Record<string, string> = headers()) {
    const session = openHttp2();
    const stream = session.request({ ":method": "POST", ":path": path, ...grpc, ...more });
    let trailers: IncomingHttpHeaders = {};
    stream.on("trailers", (received) => (trailers = received));
    stream.end(frame(message));
    const [head] = (await once(stream, "response")) as [IncomingHttpHeaders];
    const closed = once(stream, "close");
    const body = Buffer.concat(await stream.toArray());
    await closed; // with nginx the trailers come last
    session.destroy();
    return { status: { ...head, ...trailers }["grpc-status"], http: head[":status"], body };
  }

  test("JSON comes through, with the address of its caller", async () => {
    const name = uniqueName("Project");
    const added = await send("POST", "/v1/projects", { name });
    expect(added.status).toBe(200);
    const { json } = await send(
      "GET",
      `/v1/events?aggregate_type=project&aggregate_id=${idOf(added.json, "id")}`,
    );
    expect(json["events"]).toMatchObject([{ eventType: "project.added", remoteAddress: "127.0.0.7" }]);
    expect((await send("GET", "/v1/nothing")).json).toMatchObject({ code: 5 });
  });

  test("gRPC comes through, with the trailers of a refusal", async () => {
    const { addProject } = ProjectService.method;
    const path = `/${ProjectService.typeName}/AddProject`;
    const message = toBinary(addProject.input, create(addProject.input, { name: uniqueName("Project") }));
    const added = await callGrpc(path, message);
    expect(added).toMatchObject({ http: 200, status: "0" });
    expect(fromBinary(addProject.output, added.body.subarray(5)).id).toMatch(/^\d+$/);
    expect((await callGrpc(path, message, {})).status).toBe("16");
    expect((await callGrpc(path, new Uint8Array(0))).status).toBe("3");
  });

  const openWatch = (session: ClientHttp2Session, type: string) => {
    const te = type === grpc["content-type"] ? { te: "trailers" } : {};
    const head = { ":method": "POST", ":path": watchPath, ...headers(), ...te, "content-type": type };
    const stream = session.request(head);
    const request = create(WatchEventsRequestSchema, { bookmarks: true, aggregateType: "project" });
    stream.end(frame(toBinary(WatchEventsRequestSchema, request)));
    return stream;
  };

  test.each(watchTypes)("a watch by %s gets each event as it comes", async (type) => {
    const session = openHttp2();
    const stream = openWatch(session, type);
    const first = once(stream, "data");
    const progress = { isThere: false };
    void first.then(() => (progress.isThere = true));
    const ids: unknown[] = [];
    // When it is open nobody can say from outside, behind nginx.
    while (!progress.isThere)
      ids.push((await send("POST", "/v1/projects", { name: uniqueName("Project") })).json["id"]);
    const [bytes] = (await first) as [Buffer];
    const length = bytes.readUInt32BE(1);
    const { event } = fromBinary(WatchEventsResponseSchema, bytes.subarray(5, 5 + length));
    expect(ids).toContain(event?.aggregateId);
    session.destroy();
  });

  test("a client that expects 100 is asked for its body", async () => {
    const added = await send(
      "POST",
      "/v1/projects",
      { name: uniqueName("Project") },
      { expect: "100-continue" },
    );
    expect(added.status).toBe(200);
  });
});

// nginx 1.22 keeps the headers back until the first message, by TLS and HTTP/2 at least.
describe.each(["haproxy", "caddy"] as const)("behind %s", (kind) => {
  test.each(watchTypes)("a watch by %s has its headers before any event", async (type) => {
    const service = await startService();
    const proxy = await startProxy(kind, service.port);
    const session = connectHttp2(`https://127.0.0.1:${proxy.port}`, { ca: proxy.ca });
    const stream = session.request({
      ":method": "POST",
      ":path": watchPath,
      authorization: `Bearer ${service.adminToken}`,
      te: "trailers",
      "content-type": type,
    });
    stream.end(frame(new Uint8Array(0)));
    const [answer] = (await once(stream, "response")) as [IncomingHttpHeaders];
    expect(answer[":status"]).toBe(200);
    session.destroy();
    await proxy.stop();
    await service.stop();
  });
});

test("the health check of HAProxy finds a service that is well, and one that is not", async () => {
  const service = await startService();
  const proxy = await startProxy("haproxy", service.port);
  /** Returns the column `check_status` of the server. */
  const checked = async () => {
    const socket = connectSocket(join(proxy.folder, "stats"));
    socket.end("show stat\n");
    const [names = "", ...rows] = (await text(socket)).split("\n");
    const row = rows.find((each) => each.startsWith("gatehouse,gatehouse1,"));
    return row?.split(",")[names.split(",").indexOf("check_status")];
  };
  await eventually(async () => (await checked()) === "L7OK");
  await service.stop();
  await eventually(async () => (await checked())?.startsWith("L4") === true);
  expect(await checked()).toMatch(/^L4/);
  await proxy.stop();
});
