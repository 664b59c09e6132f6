import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport as createTransportOfPages } from "@connectrpc/connect-web";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { notFound } from "../../../src/kernel/base/problem.ts";
import { fetchInText } from "../../support/web-text.ts";
import { type Loose, frame, send, statusSummary } from "../../kernel/http/support/http.ts";
import { KindsService } from "./support/kinds.ts";
import { readStatus } from "./support/rpc.ts";
import { startTestServer, token, type TestServer } from "./support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.answers.clear();
  server.answers.set("echo", (_call, request) => request);
});

const headers = { authorization: token };

type Options = { baseUrl: string; httpVersion: "1.1" | "2"; useBinaryFormat?: boolean };
const transports: [string, (options: Options) => Transport, Partial<Options>][] = [
  ["gRPC", createGrpcTransport, { httpVersion: "2" }],
  ["gRPC-web on HTTP/1.1", createGrpcWebTransport, { httpVersion: "1.1" }],
  ["gRPC-web on HTTP/2", createGrpcWebTransport, { httpVersion: "2" }],
  ["gRPC-web in text", ({ baseUrl }) => createTransportOfPages({ baseUrl, fetch: fetchInText }), {}],
  ["Connect with JSON on HTTP/1.1", createConnectTransport, { httpVersion: "1.1", useBinaryFormat: false }],
  ["Connect with protobuf on HTTP/2", createConnectTransport, { httpVersion: "2", useBinaryFormat: true }],
];

describe.each(transports)("a client of %s", (_name, createTransport, options) => {
  const transport = () => createTransport({ baseUrl: server.url, httpVersion: "2", ...options });

  test("gets answers", async () => {
    server.answers.set("addProject", (_call, request: { name: string }) => ({ id: `of ${request.name}` }));
    const client = createClient(ProjectService, transport());
    expect((await client.addProject({ name: "x" }, { headers })).id).toBe("of x");
  });

  test("gets errors with their details", async () => {
    server.answers.set("addProject", () => {
      throw notFound("project", "ü");
    });
    const client = createClient(ProjectService, transport());
    const error = ConnectError.from(
      await client.addProject({ name: "x" }, { headers }).catch((reason: unknown) => reason),
    );
    expect([error.code, error.rawMessage]).toEqual([Code.NotFound, 'project "ü" does not exist']);
    expect(error.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "NOT_FOUND", domain: "gatehouse" }]);
    expect(error.metadata.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  });

  test("gets UNAUTHENTICATED with www-authenticate", async () => {
    const client = createClient(ProjectService, transport());
    const error = await client
      .addProject({ name: "x" })
      .catch((reason: unknown) => ConnectError.from(reason));
    expect(error).toMatchObject({ code: Code.Unauthenticated });
    expect((error as ConnectError).metadata.get("www-authenticate")).toBe('Bearer realm="gatehouse"');
  });

  test("gets DEADLINE_EXCEEDED", async () => {
    server.answers.set("addProject", () => new Promise(() => {}));
    const client = createClient(ProjectService, transport());
    const error = await client
      .addProject({ name: "x" }, { headers, timeoutMs: 100 })
      .catch(ConnectError.from);
    expect(error).toMatchObject({ code: Code.DeadlineExceeded });
  });

  test("gets a stream until it ends, and the error that ends it", async () => {
    server.answers.set("watch", async function* () {
      for (const text of ["a", "b"]) yield { text };
      throw notFound("thing", "x");
    });
    const client = createClient(KindsService as never, transport()) as Loose;
    const texts: string[] = [];
    const read = async () => {
      for await (const { text } of client.watch({}, { headers })) texts.push(text);
    };
    await expect(read()).rejects.toMatchObject({ code: Code.NotFound });
    expect(texts).toEqual(["a", "b"]);
  });

  test("gets a refusal of a stream before it begins", async () => {
    const client = createClient(KindsService as never, transport()) as Loose;
    const read = async () => {
      for await (const each of client.watch({})) throw new Error(`an answer: ${String(each)}`);
    };
    const error = await read().then(() => undefined, ConnectError.from);
    expect(error).toMatchObject({ code: Code.Unauthenticated });
    expect(error!.findDetails(ErrorInfoSchema)).toMatchObject([{ reason: "TOKEN_MISSING" }]);
  });
});

describe("gRPC-web", () => {
  const path = "/gatehouse.v1.ProjectService/AddProject";
  const post = async (target: string, body: Uint8Array, further: Record<string, string> = {}) => {
    const init = {
      method: "POST",
      body: body,
      headers: { ...headers, "content-type": "application/grpc-web", ...further },
    };
    const response = await fetch(`${server.url}${target}`, init);
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const trailersOf = (bytes: Buffer) => {
    let at = 0;
    while (bytes[at] === 0) at += 5 + bytes.readUInt32BE(at + 1);
    const lines = bytes
      .subarray(at + 5)
      .toString()
      .trim()
      .split("\r\n");
    return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2))) as Record<
      string,
      string
    >;
  };
  const statusOf = (trailers: Record<string, string>) =>
    readStatus(Buffer.from(trailers["grpc-status-details-bin"]!, "base64"));

  test("ends with a frame of trailers", async () => {
    const { response, bytes } = await post("/test.v1.KindsService/Echo", frame(Uint8Array.of(0x0a, 1, 0x61)));
    expect(response.headers.get("content-type")).toBe("application/grpc-web+proto");
    expect(bytes).toEqual(
      Buffer.concat([frame(Uint8Array.of(0x0a, 1, 0x61)), frame(Buffer.from("grpc-status: 0\r\n"), 0x80)]),
    );
  });

  test("has the same Status as JSON, with all broken rules", async () => {
    const roleKeys = Array.from({ length: 40 }, () => "");
    const json = { projectId: "", grantedOrganizationId: "2", roleKeys };
    const answer = await send(`${server.url}/gatehouse.v1.ProjectService/AddProjectGrant`, { json });
    const body = Buffer.concat([Uint8Array.of(0x12, 1, 0x32), ...roleKeys.map(() => Uint8Array.of(0x1a, 0))]);
    const { bytes } = await post("/gatehouse.v1.ProjectService/AddProjectGrant", frame(body));
    expect(statusOf(trailersOf(bytes))).toEqual(answer.json);
  });

  describe("in a request", () => {
    const message = frame(Uint8Array.of(0x0a, 1, 0x61));
    const trailers = frame(Buffer.from("a: b\r\n"), 0x80);
    const echo = async (...parts: Uint8Array[]) => {
      const { response, bytes } = await post("/test.v1.KindsService/Echo", Buffer.concat(parts));
      const last = bytes.length === 0 ? Object.fromEntries(response.headers) : trailersOf(bytes);
      return last["grpc-status"] === "0" ? "answered" : statusSummary(statusOf(last));
    };

    test("a frame of trailers may follow the message", async () => {
      expect(await echo(message, trailers)).toBe("answered");
      expect(await echo(message)).toBe("answered");
    });

    test.each([
      ["a message", message],
      ["an empty message", frame(new Uint8Array(0))],
      ["trailers", trailers],
      ["a byte", Uint8Array.of(0)],
      ["half a message", message.subarray(0, 6)],
    ])("%s behind the trailers is refused", async (_what, rest) => {
      const before = server.calls.length;
      expect(await echo(message, trailers, rest)).toEqual({ code: 3, reason: "INVALID_REQUEST" });
      expect(server.calls).toHaveLength(before);
      const watch = await post("/test.v1.KindsService/Watch", Buffer.concat([message, trailers, rest]));
      expect(statusSummary(statusOf(trailersOf(watch.bytes)))).toEqual({
        code: 3,
        reason: "INVALID_REQUEST",
      });
    });

    test("none or several messages are UNIMPLEMENTED, compression that no header names is INTERNAL", async () => {
      const unimplemented = { code: 12, reason: "INVALID_REQUEST" };
      expect(await echo()).toEqual(unimplemented);
      expect(await echo(trailers)).toEqual(unimplemented);
      expect(await echo(message, message)).toEqual(unimplemented);
      expect(await echo(frame(Uint8Array.of(1), 1))).toEqual({ code: 13, reason: "INVALID_REQUEST" });
    });
  });

  test("to an unknown path has trailers only", async () => {
    const { response, bytes } = await post("/gatehouse.v1.ProjectService/Nothing", frame(new Uint8Array(0)));
    expect([response.status, response.headers.get("grpc-status"), bytes.length]).toEqual([200, "12", 0]);
    const status = readStatus(Buffer.from(response.headers.get("grpc-status-details-bin")!, "base64"));
    expect(statusSummary(status)).toEqual({ code: 12, reason: "ROUTE_NOT_FOUND" });
  });

  test.each(["application/grpc-web+thrift", "Application/gRPC-Web-Text+JSON", "Application/gRPC-Web+JSON"])(
    "takes no %s, and says which to use where clients look for it",
    async (contentType) => {
      const { response, bytes } = await post(path, Buffer.from("AAAAAAA="), { "content-type": contentType });
      expect([response.status, response.headers.get("content-type"), bytes.length]).toEqual([
        200,
        "application/grpc-web+proto",
        0,
      ]);
      expect(response.headers.get("grpc-status")).toBe("3");
      expect(response.headers.get("grpc-message")).toContain("application/grpc-web-text");
      const status = readStatus(Buffer.from(response.headers.get("grpc-status-details-bin")!, "base64"));
      expect(statusSummary(status)).toEqual({ code: 3, reason: "CONTENT_TYPE_UNSUPPORTED" });
    },
  );
});

describe("Connect's error shape", () => {
  test("is for callers that send Connect-Protocol-Version only", async () => {
    const connect = { "connect-protocol-version": "1" };
    const answer = await send(`${server.url}/v1/projects`, { json: { name: "" }, headers: connect });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: "invalid_argument",
      details: [{ type: "google.rpc.ErrorInfo" }, {}],
    });
    const unknown = await send(`${server.url}/gatehouse.v1.ProjectService/No`, {
      json: {},
      headers: connect,
    });
    expect([unknown.status, unknown.json.code]).toEqual([404, "unimplemented"]);
  });

  test("of a stream stands in its last frame", async () => {
    const init = { method: "POST", body: frame(Buffer.from('{"txt":1}')) };
    const further = { ...headers, "content-type": "application/connect+json" };
    const response = await fetch(`${server.url}/test.v1.KindsService/Watch`, { ...init, headers: further });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, bytes[0]]).toEqual([200, 2]);
    expect(JSON.parse(bytes.subarray(5).toString()).error).toMatchObject({ code: "invalid_argument" });
  });

  // As in connectrpc.com/conformance, connect_server_unexpected.yaml.
  test.each([
    ["no message", Buffer.alloc(0), "unimplemented"],
    ["two messages", Buffer.concat([frame(new Uint8Array(0)), frame(new Uint8Array(0))]), "unimplemented"],
    ["compression that no header names", frame(Uint8Array.of(1), 1), "internal"],
  ])("of a stream with %s is what Connect has for it", async (_what, body, code) => {
    const further = { ...headers, "content-type": "application/connect+proto" };
    const target = `${server.url}/test.v1.KindsService/Watch`;
    const response = await fetch(target, { method: "POST", body, headers: further });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, bytes[0]]).toEqual([200, 2]);
    expect(JSON.parse(bytes.subarray(5).toString()).error).toMatchObject({ code });
  });

  test("of a stream on a unary method says what to use", async () => {
    const further = { ...headers, "content-type": "application/connect+proto" };
    const response = await fetch(`${server.url}/test.v1.KindsService/Echo`, {
      method: "POST",
      body: "",
      headers: further,
    });
    expect([response.status, await response.json()]).toMatchObject([
      415,
      { message: expect.stringContaining("application/proto") },
    ]);
  });
});

test.each(["application/grpc", "application/grpc+proto"])(
  "%s on HTTP/1.1 is refused, and told why",
  async (type) => {
    for (const path of ["gatehouse.v1.ProjectService/AddProject", "grpc.health.v1.Health/Watch"]) {
      const { headers: answer } = await send(`${server.url}/${path}`, {
        body: frame(new Uint8Array(0)),
        headers: { "content-type": type },
      });
      expect(answer.get("grpc-status")).toBe("3");
      expect(answer.get("grpc-message")).toBe("gRPC needs HTTP/2; on HTTP/1.1 use gRPC-web or JSON");
      expect(
        readStatus(Buffer.from(answer.get("grpc-status-details-bin") ?? "", "base64")).details,
      ).toMatchObject([{ reason: "CONTENT_TYPE_UNSUPPORTED" }]);
    }
  },
);
