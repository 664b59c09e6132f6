import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, fromBinary, type JsonObject, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, type ServiceError } from "@grpc/grpc-js";
import {
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
} from "../../gen/grpc/health/v1/health_pb.ts";
import { listMethods, listServices, ruleOf } from "../support/methods.ts";
import { OrganizationSource } from "../../gen/gatehouse/v1/access_pb.ts";
import { startService, type TestService } from "../support/service.ts";
import { createWorld } from "../support/world.ts";
import { send } from "./support/wire.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Gets a path without a token. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(service.url + path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe("without a token", () => {
  test("/healthz says that the process is up and /readyz that the storage answers", async () => {
    expect(await get("/healthz")).toMatchObject({ status: 200, text: "ok\n" });
    expect(await get("/readyz")).toMatchObject({ status: 200, text: "ready\n" });
  });

  test("they carry a request id, and take no other verb", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"]) {
      expect((await get(path)).headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
      const { httpStatus, headers, status } = await send(service, "json", { path, body: "{}", token: "" });
      expect([path, httpStatus, headers.get("allow"), status?.code]).toEqual([path, 405, "GET, HEAD", 12]);
    }
  });

  test("everything else asks for one", async () => {
    const seen: Record<string, unknown> = {};
    for (const method of await listMethods()) {
      const path = `/${method.parent.typeName}/${method.name}`;
      const { httpStatus, status } = await send(service, "json", { path, body: "{}", token: "" });
      seen[method.name] = [httpStatus, status?.code];
    }
    expect(seen).toEqual(Object.fromEntries(Object.keys(seen).map((name) => [name, [401, 16]])));
  });
});

describe("/metrics", () => {
  test("counts calls in the text of Prometheus, by method, lane and code, without names or ids", async () => {
    const world = await createWorld(service);
    const { status, headers, text } = await get("/metrics");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines.filter((line) => !/^[a-zA-Z_:][\w:]*(\{.*\})? \S+$/.test(line))).toEqual([]);
    expect(text).toContain("gatehouse.v1.OrganizationService/AddOrganization");
    const secrets = [
      world.organizationId,
      world.userId,
      world.owner.token,
      service.adminToken,
      world.phoneCode,
    ];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  });

  test("does not grow with the paths that callers invent", async () => {
    await Promise.all(Array.from({ length: 50 }, (_each, index) => get(`/invented-${index}`)));
    expect((await get("/metrics")).text).not.toContain("invented-");
  });

  test("is hidden from what came through a proxy", async () => {
    for (const name of ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"])
      expect((await get("/metrics", { [name]: "127.0.0.1" })).status).toBe(404);
  });
});

describe("/openapi.json", () => {
  type Paths = Record<
    string,
    Record<string, { operationId: string; deprecated?: boolean; responses: JsonObject }>
  >;
  let document: { openapi: string; paths: Paths };
  beforeAll(async () => {
    document = JSON.parse((await get("/openapi.json")).text) as typeof document; // an OpenAPI document
  });

  test("marks the three deprecated operations, and names the header where it is read", async () => {
    const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
    const deprecated = operations.filter((operation) => operation.deprecated === true);
    expect(deprecated.map(({ operationId }) => operationId).toSorted()).toEqual([
      "IdentityProviderService_AddJwtIdentityProvider",
      "IdentityProviderService_AddOidcIdentityProvider",
      "IdentityProviderService_UpdateJwtIdentityProvider",
    ]);
    const reading = (await listMethods())
      .filter((method) => ruleOf(method)?.organization === OrganizationSource.HEADER)
      .map((method) => `${method.parent.name}_${method.name}`);
    const documented = operations.filter((operation) =>
      JSON.stringify(operation).includes('"x-service-orgid"'),
    );
    expect(documented.map(({ operationId }) => operationId).toSorted()).toEqual(reading.toSorted());
  });
});

describe("gRPC health", () => {
  const check = (name: string) =>
    new Promise<{ code: number; status?: HealthCheckResponse_ServingStatus }>((resolve) => {
      const client = new Client(new URL(service.url).host, credentials.createInsecure());
      client.makeUnaryRequest(
        "/grpc.health.v1.Health/Check",
        (request: string) =>
          Buffer.from(
            toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service: request })),
          ),
        (bytes: Buffer) => fromBinary(HealthCheckResponseSchema, bytes),
        name,
        (error: ServiceError | null, answer) => {
          client.close();
          if (error !== null) resolve({ code: error.code });
          else resolve(answer === undefined ? { code: 0 } : { code: 0, status: answer.status });
        },
      );
    });

  test("says SERVING for the process and for every service, without a token", async () => {
    const serving = { code: 0, status: HealthCheckResponse_ServingStatus.SERVING };
    expect(await check("")).toEqual(serving);
    for (const { typeName } of await listServices())
      expect([typeName, await check(typeName)]).toEqual([typeName, serving]);
  });

  test("does not know what is not served", async () => {
    expect(await check("gatehouse.v1.NothingService")).toEqual({ code: 5 });
  });
});
