import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Client } from "@grpc/grpc-js";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { notFound } from "../../../src/kernel/base/problem.ts";
import { frame, sendHttp2, send, statusSummary } from "../../kernel/http/support/http.ts";
import { KindsService } from "./support/kinds.ts";
import { callGrpc, createGrpcClient, readStatus } from "./support/rpc.ts";
import { startTestServer, type TestServer } from "./support/server.ts";
import { largeTest } from "../../support/large.ts";

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startTestServer();
  client = createGrpcClient(server.port);
});
afterAll(async () => {
  client.close();
  await server.stop();
});
beforeEach(() => {
  server.calls.splice(0);
  server.answers.clear();
  server.answers.set("echo", (_call, request) => request);
});

const { addProject } = ProjectService.method;
const path = "/gatehouse.v1.ProjectService/AddProject";
const echoPath = "/test.v1.KindsService/Echo";

/** Returns what the trailers, or the headers where there are no trailers, say. */
function outcome({ headers, trailers }: Awaited<ReturnType<typeof sendHttp2>>) {
  const where = trailers["grpc-status"] === undefined ? headers : trailers;
  const bytes = Buffer.from(String(where["grpc-status-details-bin"] ?? ""), "base64");
  return {
    http: headers[":status"],
    grpc: Number(where["grpc-status"]),
    ...statusSummary(readStatus(bytes)),
  };
}

const sendFrames = (target: string, body: Uint8Array, headers: Record<string, string> = {}) =>
  sendHttp2(
    server.url,
    { ":path": target, "content-type": "application/grpc", te: "trailers", ...headers },
    body,
  );

describe("a unary call of grpc-js", () => {
  test("is answered", async () => {
    server.answers.set("addProject", (_call, request: { name: string }) => ({ id: `of ${request.name}` }));
    const { answer, initial } = await callGrpc(client, addProject, { name: "x" });
    expect(answer.id).toBe("of x");
    expect(initial!["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
  });

  test("fails with the same Status as JSON", async () => {
    server.answers.set("addProject", () => {
      throw notFound("project", "ö%\n7");
    });
    for (const request of [{ name: "" }, { name: "x" }]) {
      const { error, status } = await callGrpc(client, addProject, request);
      const { json } = await send(`${server.url}/v1/projects`, { json: request });
      expect(status).toEqual(json);
      expect([error!.code, error!.details]).toEqual([json.code, json.message]);
    }
  });

  test("without a token says how to authenticate", async () => {
    for (const [authorization, expected] of [
      ["", 'Bearer realm="gatehouse"'],
      ["Bearer bad", 'Bearer realm="gatehouse", error="invalid_token"'],
    ] as const) {
      const { error, initial } = await callGrpc(
        client,
        addProject,
        { name: "x" },
        { metadata: { authorization } },
      );
      expect(error!.code).toBe(16);
      expect(initial!["www-authenticate"]).toBe(expected);
      expect(initial!["x-request-id"]).toMatch(/^[0-9a-f]{32}$/);
    }
  });

  test("of a deprecated method says so, on errors too", async () => {
    const method = IdentityProviderService.method.addJwtIdentityProvider;
    const { initial, error } = await callGrpc(client, method, {});
    expect(error!.code).toBe(3);
    expect(initial).toMatchObject({
      deprecation: "@1767225600",
      link: '</v1/idps>; rel="successor-version"',
    });
    const rest = await send(`${server.url}/v1/idps/jwt`, { json: {} });
    expect([rest.status, rest.headers.get("deprecation")]).toEqual([400, "@1767225600"]);
    expect((await send(`${server.url}/v1/projects`)).headers.get("deprecation")).toBeNull();
  });

  test("may be compressed", async () => {
    const zipped = createGrpcClient(server.port, { "grpc.default_compression_algorithm": 2 });
    const { error } = await callGrpc(zipped, addProject, { name: "a".repeat(150) });
    zipped.close();
    expect(error).toBeUndefined();
    expect(server.calls[0]!.request).toMatchObject({ name: "a".repeat(150) });
  });

  largeTest("may be 8 MiB and no more", async () => {
    const text = (length: number) => ({ text: "x".repeat(length - 5) });
    const fits = await callGrpc(client, KindsService.method.echo, text(8 * 1024 * 1024));
    expect(fits.answer.text.length).toBe(8 * 1024 * 1024 - 5);
    const { error, status } = await callGrpc(client, KindsService.method.echo, text(8 * 1024 * 1024 + 1));
    expect(error!.code).toBe(8);
    expect(statusSummary(status)).toEqual({ code: 8, reason: "MESSAGE_TOO_LARGE" });
  });

  test("keeps many broken rules within what fits into trailers", async () => {
    const request = {
      projectId: "1",
      grantedOrganizationId: "2",
      roleKeys: Array.from({ length: 900 }, () => ""),
    };
    const { status, error } = await callGrpc(client, ProjectService.method.addProjectGrant, request);
    expect(statusSummary(status)).toMatchObject({ code: 3, reason: "FIELD_INVALID" });
    expect(statusSummary(status).fields!.length).toBeLessThan(150);
    expect(error!.details).toBe("role_keys[0]: must not be empty (and 899 more)");
  });

  test("takes texts that are not UTF-8 for broken", async () => {
    const { status } = await callGrpc(client, addProject, Uint8Array.of(0x0a, 2, 0xc3, 0x28));
    expect(statusSummary(status)).toEqual({ code: 3, reason: "INVALID_REQUEST" });
  });

  test("to an unknown path is UNIMPLEMENTED", async () => {
    const { error, status } = await callGrpc(client, { ...addProject, name: "Nothing" }, {});
    expect(error!.code).toBe(12);
    expect(statusSummary(status)).toEqual({ code: 12, reason: "ROUTE_NOT_FOUND" });
  });
});

describe("the deadline", () => {
  test("ends the call at the server, whatever the method does", async () => {
    const { promise, resolve } = Promise.withResolvers<AbortSignal>();
    server.answers.set("addProject", (call) => {
      resolve(call.signal!);
      return new Promise(() => {});
    });
    const body = frame(toBinary(addProject.input, create(addProject.input, { name: "x" })));
    const answer = await sendFrames(path, body, { "grpc-timeout": "50m" });
    expect(outcome(answer)).toEqual({ http: 200, grpc: 4, code: 4, reason: "DEADLINE_EXCEEDED" });
    expect((await promise).aborted).toBe(true);
    expect(server.calls[0]!.call.deadlineMs! - Date.now()).toBeLessThanOrEqual(0);
  });

  test("ends a JSON call too, and one whose body never comes", async () => {
    server.answers.set("addProject", () => new Promise(() => {}));
    const late = await send(`${server.url}/v1/projects`, {
      json: { name: "x" },
      headers: { "connect-timeout-ms": "30" },
    });
    expect([late.status, statusSummary(late.json)]).toEqual([504, { code: 4, reason: "DEADLINE_EXCEEDED" }]);
  });

  test("in a form that the protocol does not have is refused", async () => {
    for (const value of ["1", "1x", "123456789S", "-1S", "1.5S"]) {
      const answer = await sendFrames(path, frame(new Uint8Array(0)), { "grpc-timeout": value });
      expect(outcome(answer)).toMatchObject({ grpc: 3, reason: "INVALID_REQUEST" });
    }
    const json = await send(`${server.url}/v1/projects`, {
      json: {},
      headers: { "connect-timeout-ms": "soon" },
    });
    expect(statusSummary(json.json)).toMatchObject({ code: 3, reason: "INVALID_REQUEST" });
  });

  test("may be longer than timers are", async () => {
    server.answers.set("echo", async (_call, request) => {
      await sleep(30);
      return request;
    });
    const answer = await sendFrames(echoPath, frame(new Uint8Array(0)), { "grpc-timeout": "99999999H" });
    expect(answer.trailers["grpc-status"]).toBe("0");
  });
});

test("a caller who goes away aborts the signal of the call", async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  server.answers.set("addProject", (call) => {
    call.signal!.addEventListener("abort", () => resolve());
    start();
    return new Promise(() => {});
  });
  const controller = new AbortController();
  const headers = { authorization: "Bearer good", "content-type": "application/json" };
  const call = fetch(`${server.url}/v1/projects`, {
    method: "POST",
    body: '{"name":"x"}',
    headers,
    signal: controller.signal,
  });
  await started;
  controller.abort();
  await expect(call).rejects.toThrow();
  await aborted;
});

describe("frames", () => {
  const empty = frame(new Uint8Array(0));

  // grpc/doc/statuscodes.md, "Request cardinality violation".
  test.each([
    ["no message", new Uint8Array(0)],
    ["two messages", Buffer.concat([empty, empty])],
    ["many messages", Buffer.concat(Array.from({ length: 1000 }, () => empty))],
  ])("with %s are UNIMPLEMENTED", async (_what, body) => {
    for (const target of [path, "/test.v1.KindsService/Watch"])
      for (const encoding of ["identity", "gzip"])
        expect(outcome(await sendFrames(target, body, { "grpc-encoding": encoding }))).toEqual({
          http: 200,
          grpc: 12,
          code: 12,
          reason: "INVALID_REQUEST",
        });
    expect(server.calls).toEqual([]);
  });

  // grpc/doc/compression.md, test case 6.
  test("with compression that no header names are INTERNAL, and no fault of the service in its log", async () => {
    const before = server.logLines.length;
    const unnamed: Record<string, string>[] = [{}, { "grpc-encoding": "identity" }];
    for (const target of [path, "/test.v1.KindsService/Watch"])
      for (const headers of unnamed) {
        const answer = await sendFrames(target, frame(gzipSync("x"), 1), headers);
        expect(outcome(answer)).toEqual({ http: 200, grpc: 13, code: 13, reason: "INVALID_REQUEST" });
        expect(decodeURIComponent(String(answer.trailers["grpc-message"]))).toBe(
          "the message is compressed, but no header says how",
        );
      }
    const logged = server.logLines.slice(before);
    expect(logged.length).toBeGreaterThanOrEqual(4);
    expect(logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  test.each([
    ["half a head", Uint8Array.of(0, 0)],
    ["less than the head says", Uint8Array.of(0, 0, 0, 0, 9, 1)],
    ["something behind the message", Buffer.concat([empty, Uint8Array.of(0)])],
    ["unknown flags", frame(new Uint8Array(0), 4)],
    ["a truncated message", frame(Uint8Array.of(0x0a, 5, 0x61))],
    ["garbage", frame(Uint8Array.from({ length: 64 }, (_each, index) => 255 - index))],
  ])("with %s are INVALID_ARGUMENT", async (_what, body) => {
    expect(outcome(await sendFrames(path, body))).toEqual({
      http: 200,
      grpc: 3,
      code: 3,
      reason: "INVALID_REQUEST",
    });
  });

  test("that announce too much are refused", async () => {
    expect(outcome(await sendFrames(path, Uint8Array.of(0, 0xff, 0xff, 0xff, 0xff)))).toMatchObject({
      grpc: 8,
    });
  });

  largeTest("that become too much are refused", async () => {
    const body = frame(gzipSync(Buffer.alloc(64 * 1024 * 1024)), 1);
    expect(outcome(await sendFrames(path, body, { "grpc-encoding": "gzip" }))).toMatchObject({
      reason: "MESSAGE_TOO_LARGE",
    });
  });

  test("in an unknown compression are UNIMPLEMENTED, and the answer names the known ones", async () => {
    const answer = await sendFrames(path, empty, { "grpc-encoding": "zstd" });
    expect(outcome(answer)).toMatchObject({ grpc: 12, reason: "ENCODING_UNSUPPORTED" });
    expect(answer.headers["grpc-accept-encoding"]).toBe("identity,gzip,deflate,br");
  });

  test("nested deeper than protobuf allows are refused", async () => {
    let inner: Uint8Array = new Uint8Array(0);
    for (let depth = 0; depth < 3000; depth++)
      inner = Buffer.concat([Uint8Array.of(0x12), varint(inner.length), inner]);
    const body = Buffer.concat([Uint8Array.of(0x5a), varint(inner.length), inner]);
    expect(outcome(await sendFrames(echoPath, frame(body)))).toMatchObject({
      grpc: 3,
      reason: "INVALID_REQUEST",
    });
  });
});

test("a wrong verb, and content types that are not served, have a gRPC status", async () => {
  for (const method of ["GET", "PUT", "DELETE"]) {
    const answer = await sendHttp2(server.url, {
      ":method": method,
      ":path": path,
      "content-type": "application/grpc",
    });
    expect(outcome(answer)).toEqual({ http: 405, grpc: 12, code: 12, reason: "METHOD_NOT_ALLOWED" });
    expect(answer.headers.allow).toBe("POST");
  }
  const answer = await sendFrames(path, new Uint8Array(0), { "content-type": "application/grpc+thrift" });
  expect(outcome(answer)).toEqual({ http: 415, grpc: 3, code: 3, reason: "CONTENT_TYPE_UNSUPPORTED" });
  expect(JSON.parse(answer.body.toString()).message).toContain("binary");
});

test("application/grpc+proto reaches the same implementation, application/grpc+json is not offered", async () => {
  const answer = await sendFrames(echoPath, frame(Uint8Array.of(0x0a, 1, 0x61)), {
    "content-type": "application/grpc+proto",
  });
  expect(answer.body).toEqual(frame(Uint8Array.of(0x0a, 1, 0x61)));
  const json = await sendFrames(echoPath, frame(Buffer.from('{"text":"a"}')), {
    "content-type": "application/grpc+json",
  });
  expect(json.headers["grpc-status"]).toBe("3");
});

test("a call that is refused before its body came leaves the session usable", async () => {
  const large = { text: "x".repeat(4 * 1024 * 1024) };
  for (let round = 0; round < 5; round++) {
    const { error } = await callGrpc(client, KindsService.method.echo, large, {
      metadata: { authorization: "" },
    });
    expect(error!.code).toBe(16);
  }
  expect((await callGrpc(client, KindsService.method.echo, { text: "a" })).answer.text).toBe("a");
});

function varint(value: number): Uint8Array {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}
