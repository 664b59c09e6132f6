import { afterAll, describe, expect, test } from "@jest/globals";
import { create, toBinary } from "@bufbuild/protobuf";
import { UpdateProjectRequestSchema } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { frame, send, sendHttp2, sendRaw, statusSummary, summary } from "./support/http.ts";
import { dataOf, encodeFrame, encodeHeaders, flag, openRawSession, type } from "./support/http2-frames.ts";
import { startTestServer, token } from "../../sites/rpc/support/server.ts";

const server = await startTestServer({ limits: { maxBufferedBytes: 10_000 } });
server.answers.set("addProject", () => ({ id: "1" }));
afterAll(() => server.stop());

const post = (name: string) => send(`${server.url}/v1/projects`, { json: { name } });

test("bodies that together are more than the process may hold are refused, and room that was taken is given back", async () => {
  for (let round = 0; round < 3; round++)
    expect(summary(await post("x".repeat(20_000)))).toMatchObject({ status: 503, reason: "OVERLOADED" });
  for (let round = 0; round < 3; round++) expect((await post("x".repeat(100))).status).toBe(200);
});

test.each([
  ["a good one and a bad one", token, "Bearer bad"],
  ["a bad one and a good one", "Bearer bad", token],
  ["the same one twice", token, token],
])("a request with two authorization headers, %s, is let in by neither", async (_what, first, second) => {
  const before = server.calls.length;
  const body = '{"name":"x"}';
  const answer = await sendRaw(
    server.port,
    `POST /v1/projects HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: ${first}\r\nAuthorization: ${second}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);

  const session = await openRawSession(server.port);
  const target = { ":method": "POST", ":scheme": "http", ":path": "/v1/projects", ":authority": "a" };
  const headers = [target, { authorization: first }, { authorization: second }];
  const block = Buffer.concat(headers.map((each) => encodeHeaders(each)));
  await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, block));
  expect(statusSummary(JSON.parse(await dataOf(session, 1)))).toEqual({ code: 16, reason: "TOKEN_INVALID" });
  session.socket.destroy();
  expect(server.calls).toHaveLength(before);
});

describe.each([
  ["idempotency-key", "a", "b"],
  ["idempotency-key", "a", "a"],
  ["if-match", '"1"', '"2"'],
  ["x-service-validate-only", "true", "false"],
  ["x-service-validate-only", "true", "true"],
  ["content-type", "application/json", "application/proto"],
  ["content-encoding", "identity", "gzip"],
  ["connect-timeout-ms", "1000", "1"],
  ["connect-protocol-version", "1", "1"],
  ["x-service-orgid", "1", "2"],
  ["x-service-orgid", "", "2"],
])("a request with two headers %s, %j and %j, is refused", (name, first, second) => {
  const rpc = "/gatehouse.v1.ProjectService/UpdateProject";
  const type1 = name === "content-type" ? "" : "Content-Type: application/json\r\n";
  const type2: Record<string, string> = name === "content-type" ? {} : { "content-type": "application/json" };
  const twice = `${name}: ${first}\r\n${name.toUpperCase()}: ${second}\r\n`;

  test.each(["/v1/projects/1", rpc])("on HTTP/1.1 to %s", async (path) => {
    const before = server.calls.length;
    const verb = path === rpc ? "POST" : "PUT";
    const body = '{"name":"x"}';
    const head = `${verb} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${token}\r\n`;
    const answer = await sendRaw(
      server.port,
      `${head}${type1}${twice}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"(?:INVALID_REQUEST|invalid_argument)"/);
    expect(answer).toContain("must not be repeated");
    expect(server.calls).toHaveLength(before);
  });

  test.each(["/v1/projects/1", rpc])("on HTTP/2 to %s", async (path) => {
    const before = server.calls.length;
    const verb = path === rpc ? "POST" : "PUT";
    const session = await openRawSession(server.port);
    const target = { ":method": verb, ":scheme": "http", ":path": path, ":authority": "a" };
    const headers = [target, { authorization: token, ...type2 }, { [name]: first }, { [name]: second }];
    const block = Buffer.concat(headers.map((each) => encodeHeaders(each)));
    await session.write(encodeFrame(type.headers, flag.endHeaders | flag.endStream, 1, block));
    expect(JSON.parse(await dataOf(session, 1)).message).toContain("must not be repeated");
    session.socket.destroy();
    expect(server.calls).toHaveLength(before);
  });
});

// What Node's client can send twice.
test.each([
  ["idempotency-key", ["a", "b"]],
  ["x-service-validate-only", ["true", "true"]],
  ["grpc-timeout", ["1S", "1H"]],
  ["grpc-encoding", ["gzip", "identity"]],
  ["x-service-orgid", ["1", "2"]],
])("a call with two headers %s is refused in gRPC and gRPC-web", async (name, values) => {
  const before = server.calls.length;
  const update = toBinary(
    UpdateProjectRequestSchema,
    create(UpdateProjectRequestSchema, { id: "1", name: "x" }),
  );
  for (const contentType of ["application/grpc", "application/grpc-web", "application/grpc-web+proto"]) {
    const { headers, trailers, body } = await sendHttp2(
      server.url,
      { ":path": "/gatehouse.v1.ProjectService/UpdateProject", "content-type": contentType, [name]: values },
      frame(update),
    );
    const all = `${JSON.stringify(headers)}${JSON.stringify(trailers)}${decodeURIComponent(body.toString())}`;
    expect(all).toMatch(/grpc-status"?: ?"?3/);
    expect(all).toContain("must not be repeated");
  }
  expect(server.calls).toHaveLength(before);
});
