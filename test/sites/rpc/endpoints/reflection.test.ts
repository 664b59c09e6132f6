import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { startTestServer, token, type TestServer } from "../support/server.ts";
import { largeDescribe, largeTest } from "../../../support/large.ts";

const buf = join(import.meta.dirname, "../../../../node_modules/.bin/buf");
const run = promisify(execFile);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  server.answers.set("addProject", (_call, request: { name: string }) => ({ id: `of ${request.name}` }));
});
afterAll(() => server.stop());

/** Runs `buf curl`, which learns the schema by reflection. */
async function bufCurl(...args: string[]): Promise<{ out: string; code: number; error: string }> {
  try {
    const { stdout, stderr } = await run(buf, ["curl", "--http2-prior-knowledge", ...args]);
    return { out: stdout, code: 0, error: stderr };
  } catch (error) {
    const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
    return { out: stdout, code, error: stderr };
  }
}

largeDescribe.each(["grpc", "grpcweb", "connect"])("buf curl over %s", (protocol) => {
  const url = () => `${server.url}/gatehouse.v1.ProjectService/AddProject`;

  test("calls", async () => {
    const { out } = await bufCurl(
      "--protocol",
      protocol,
      "-H",
      `authorization: ${token}`,
      "-d",
      '{"name":"x"}',
      url(),
    );
    expect(JSON.parse(out)).toMatchObject({ id: "of x" });
  });

  test("shows errors", async () => {
    const { code, error } = await bufCurl("--protocol", protocol, "-d", '{"name":"x"}', url());
    // buf exits with eight times the canonical code.
    expect(code).toBe(16 * 8);
    expect(error).toContain("send a token");
  });

  test("reads v1alpha too", async () => {
    const args = [
      "--protocol",
      protocol,
      "--reflect-protocol",
      "grpc-v1alpha",
      "-H",
      `authorization: ${token}`,
      "-d",
      "{}",
    ];
    const { code } = await bufCurl(...args, url());
    expect(code).toBe(3 * 8);
  });

  test("asks for health", async () => {
    const { out } = await bufCurl(
      "--protocol",
      protocol,
      "-d",
      "{}",
      `${server.url}/grpc.health.v1.Health/Check`,
    );
    expect(JSON.parse(out)).toEqual({ status: "SERVING" });
  });
});

test("lists every method of ours, of health and of reflection", async () => {
  const { out } = await bufCurl("--list-methods", server.url);
  expect(out.split("\n")).toEqual(
    expect.arrayContaining([
      "gatehouse.v1.ProjectService/UpdateProject",
      "gatehouse.v1.UserService/VerifyU2f",
      "grpc.health.v1.Health/Watch",
      "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
      "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    ]),
  );
});

largeTest("answers what is not there, and goes on", async () => {
  const requests =
    '{"fileByFilename":"nothing.proto"}{"fileContainingSymbol":"gatehouse.v1.Project.name"}{"allExtensionNumbersOfType":"google.protobuf.MethodOptions"}{"fileContainingExtension":{"containingType":"google.protobuf.MethodOptions","extensionNumber":50001}}{}';
  const url = `${server.url}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`;
  const { out } = await bufCurl("--protocol", "grpc", "-d", requests, url);
  const kinds = [
    ...out.matchAll(/"(errorResponse|fileDescriptorResponse|allExtensionNumbersResponse)"/g),
  ].map(([, kind]) => kind);
  expect(kinds).toEqual([
    "errorResponse",
    "fileDescriptorResponse",
    "allExtensionNumbersResponse",
    "fileDescriptorResponse",
    "errorResponse",
  ]);
});

largeTest("knows the types of what errors carry", async () => {
  const symbols = [
    "google.rpc.Status",
    "google.rpc.ErrorInfo",
    "google.rpc.BadRequest",
    "gatehouse.v1.ErrorReason",
  ];
  const requests = symbols.map((fileContainingSymbol) => JSON.stringify({ fileContainingSymbol })).join("");
  const url = `${server.url}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`;
  const { out } = await bufCurl("--protocol", "grpc", "-d", requests, url);
  expect(out.match(/"fileDescriptorResponse"/g)).toHaveLength(symbols.length);
});

largeTest("health is watched until the caller goes", async () => {
  const { createClient } = await import("@connectrpc/connect");
  const { createGrpcTransport } = await import("@connectrpc/connect-node");
  const { Health } = await import("../../../../gen/grpc/health/v1/health_pb.ts");
  let isReady = true;
  const own = await startTestServer({ ready: async () => isReady });
  const client = createClient(Health, createGrpcTransport({ baseUrl: own.url }));
  const seen: number[] = [];
  for await (const { status } of client.watch({ service: "" })) {
    seen.push(status);
    isReady = false;
    if (seen.length === 2) break;
  }
  await own.stop();
  expect(seen).toEqual([1, 2]);
});
