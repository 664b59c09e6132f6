import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, toBinary } from "@bufbuild/protobuf";
import { gzipSync } from "node:zlib";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { startService, type TestService } from "../support/service.ts";
import { createWorld, type World } from "../support/world.ts";
import { errorInfo } from "./support/lanes.ts";
import { type Protocol, send, type WireAnswer, type WireRequest } from "./support/wire.ts";

let service: TestService;
let world: World;
let other: World;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
  other = await createWorld(service);
});
afterAll(() => service.stop());

const { addProject } = ProjectService.method;

interface Spoken {
  readonly protocol: Protocol;
  readonly request: WireRequest;
}

const rpcPath = "/gatehouse.v1.ProjectService/AddProject";

/** Sends each request and returns what the client sees of the error. */
async function speak(
  requests: Readonly<Record<string, Spoken>>,
): Promise<Readonly<Record<string, WireAnswer>>> {
  const seen: Record<string, WireAnswer> = {};
  for (const [name, { protocol, request }] of Object.entries(requests)) {
    seen[name] = await send(service, protocol, request);
    expect(seen[name].headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  }
  return seen;
}

function summarize(answers: Readonly<Record<string, WireAnswer>>) {
  return Object.fromEntries(
    Object.entries(answers).map(([name, { httpStatus, status }]) => [
      name,
      [httpStatus, status?.code, status?.details[0]?.["reason"]],
    ]),
  );
}

/** Returns what all answers say; it must be the same, the code aside where decision 3 has two. */
function expectSameWords(answers: Readonly<Record<string, WireAnswer>>): void {
  const words = Object.values(answers).map(({ status }) => ({
    message: status?.message,
    details: status?.details,
  }));
  expect(words).toEqual(words.map(() => words[0]));
  expect(words[0]?.details?.[0]).toMatchObject({ domain: "gatehouse" });
  expect(words[0]?.message).not.toBe("");
}

describe("what is wrong before there is a message has the same words on every lane:", () => {
  const onAll = (request: WireRequest): Readonly<Record<string, Spoken>> => ({
    json: { protocol: "json", request },
    grpc: { protocol: "grpc", request },
    "grpc-web": { protocol: "grpc-web", request },
  });

  test("an unknown path, which JSON calls not found and rpc protocols unimplemented", async () => {
    for (const path of ["/gatehouse.v1.ProjectService/Nothing", "/v1/nothing", "/nothing.v1.Service/Get"]) {
      const answers = await speak(onAll({ path, body: "" }));
      expect(summarize(answers)).toEqual({
        json: [404, 5, "ROUTE_NOT_FOUND"],
        grpc: [200, 12, "ROUTE_NOT_FOUND"],
        "grpc-web": [200, 12, "ROUTE_NOT_FOUND"],
      });
      expectSameWords(answers);
    }
  });

  test("a verb that the path does not take", async () => {
    for (const verb of ["GET", "PUT", "DELETE", "PATCH"]) {
      const answers = await speak(onAll({ verb, path: rpcPath }));
      expect(summarize(answers)).toEqual({
        json: [405, 12, "METHOD_NOT_ALLOWED"],
        grpc: [405, 12, "METHOD_NOT_ALLOWED"],
        "grpc-web": [405, 12, "METHOD_NOT_ALLOWED"],
      });
      expectSameWords(answers);
      expect(Object.values(answers).map(({ headers }) => headers.get("allow"))).toEqual([
        "POST",
        "POST",
        "POST",
      ]);
    }
  });

  test("a verb that a REST path does not take, with those that it does", async () => {
    const answer = await send(service, "json", { verb: "PATCH", path: `/v1/projects/${world.projectId}` });
    expect(summarize({ answer })).toEqual({ answer: [405, 12, "METHOD_NOT_ALLOWED"] });
    expect(answer.headers.get("allow")).toContain("GET, PUT");
  });

  test("a content type that is not served", async () => {
    const typed = (contentType: string, path = rpcPath, protocol: Spoken["protocol"] = "json"): Spoken => ({
      protocol,
      request: { path, body: "{}", headers: { "content-type": contentType } },
    });
    const answers = await speak({
      text: typed("text/plain"),
      xml: typed("application/xml", "/v1/projects"),
      "binary on REST": typed("application/proto", "/v1/projects"),
      "another codec": typed("application/grpc+thrift"),
      none: typed(""),
    });
    const refused = [415, 3, "CONTENT_TYPE_UNSUPPORTED"];
    expect(summarize(answers)).toEqual(
      Object.fromEntries(Object.keys(answers).map((name) => [name, refused])),
    );
    const web = await speak({ "grpc-web+json": typed("application/grpc-web+json", rpcPath, "grpc-web") });
    expect(summarize(web)).toEqual({ "grpc-web+json": [200, 3, "CONTENT_TYPE_UNSUPPORTED"] });
    expect(web["grpc-web+json"]?.status?.message).toContain("application/grpc-web-text");
  });

  test("a message that is too large", async () => {
    const limit = 8 * 1024 * 1024;
    const answers = await speak(onAll({ path: rpcPath, body: new Uint8Array(limit + 1).fill(0x20) }));
    expect(summarize(answers)).toEqual({
      json: [413, 8, "MESSAGE_TOO_LARGE"],
      grpc: [200, 8, "MESSAGE_TOO_LARGE"],
      "grpc-web": [200, 8, "MESSAGE_TOO_LARGE"],
    });
    expectSameWords(answers);
  });

  test("a compression that the service does not know", async () => {
    const request = { path: rpcPath, body: gzipSync("{}") };
    const answers = await speak({
      json: { protocol: "json", request: { ...request, headers: { "content-encoding": "zstd" } } },
      grpc: { protocol: "grpc", request: { ...request, headers: { "grpc-encoding": "zstd" } } },
      "grpc-web": { protocol: "grpc-web", request: { ...request, headers: { "grpc-encoding": "zstd" } } },
    });
    expect(summarize(answers)).toEqual({
      json: [415, 12, "ENCODING_UNSUPPORTED"],
      grpc: [200, 12, "ENCODING_UNSUPPORTED"],
      "grpc-web": [200, 12, "ENCODING_UNSUPPORTED"],
    });
    expectSameWords(answers);
  });

  test("an organization header that is repeated", async () => {
    const body = Buffer.from(toBinary(addProject.input, create(addProject.input, { name: "x" })));
    const headers = { "x-service-orgid": `${world.organizationId}, ${other.organizationId}` };
    const answers = await speak({
      json: { protocol: "json", request: { path: rpcPath, body: '{"name":"x"}', headers } },
      rest: { protocol: "json", request: { path: "/v1/projects", body: '{"name":"x"}', headers } },
      grpc: { protocol: "grpc", request: { path: rpcPath, body, headers } },
      "grpc-web": { protocol: "grpc-web", request: { path: rpcPath, body, headers } },
    });
    expectSameWords(answers);
    expect(answers["json"]?.status).toMatchObject({ code: 3, details: [errorInfo("INVALID_REQUEST")] });
  });
});
