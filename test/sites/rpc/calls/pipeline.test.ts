import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { create } from "@bufbuild/protobuf";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { Health } from "../../../../gen/grpc/health/v1/health_pb.ts";
import { fieldInvalid, notFound, Problem } from "../../../../src/kernel/base/problem.ts";
import type { Rpc } from "../../../../src/identity/rpc.ts";
import type { AccessControl } from "../../../../src/identity/access/access-control.ts";
import { createPipeline } from "../../../../src/sites/rpc/calls/pipeline.ts";
import { createFieldRules } from "../../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { type Loose, send, sendHttp2, summary } from "../../../kernel/http/support/http.ts";
import { noAnswers, startTestServer, type TestServer } from "../support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.calls.splice(0);
  server.authorized.splice(0);
  server.answers.clear();
});

const add = (json: object, headers: Record<string, string> = {}) =>
  send(`${server.url}/v1/projects`, { json: json as never, headers });

describe("the order of checks", () => {
  const bad = { body: '{"nam":1', headers: { authorization: "", "x-service-orgid": "forbidden" } };

  test("is path, verb, content type, token, decoding, permission, field rules, existence", async () => {
    const existing = await startTestServer({ existenceProblem: notFound("organization", "9") });
    const url = `${existing.url}/v1/projects`;
    const steps = [
      await send(`${url}/x/y/z`, { ...bad, method: "PUT" }),
      await send(url, { ...bad, method: "PUT" }),
      await send(url, { ...bad, headers: { ...bad.headers, "content-type": "text/plain" } }),
      await send(url, bad),
      await send(url, { ...bad, headers: { authorization: "Bearer bad" } }),
      await send(url, { body: bad.body, headers: { "x-service-orgid": "forbidden" } }),
      await send(url, { json: { name: "" }, headers: { "x-service-orgid": "forbidden" } }),
      await send(url, { json: { name: "" } }),
      await send(url, { json: { name: "x" } }),
    ];
    await existing.stop();
    expect(steps.map((answer) => summary(answer).reason)).toEqual([
      "ROUTE_NOT_FOUND",
      "METHOD_NOT_ALLOWED",
      "CONTENT_TYPE_UNSUPPORTED",
      "TOKEN_MISSING",
      "TOKEN_INVALID",
      "INVALID_REQUEST",
      "PERMISSION_DENIED",
      "FIELD_INVALID",
      "NOT_FOUND",
    ]);
  });
});

describe("the call", () => {
  test("carries who, where, from where and until when", async () => {
    const beforeMs = Date.now();
    const answer = await add({ name: "x" }, { "x-service-orgid": "77", "connect-timeout-ms": "60000" });
    const { call } = server.calls[0]!;
    expect(call).toMatchObject({
      requestId: answer.headers.get("x-request-id"),
      remoteAddress: "127.0.0.1",
      caller: { userId: "1" },
      access: { organizationId: "77" },
    });
    expect(call.deadlineMs! - beforeMs).toBeGreaterThan(59_000);
    expect(call.signal?.aborted).toBe(false);
  });

  test("has a request id of its own, whatever the caller sends", async () => {
    const ids = await Promise.all([1, 2].map(() => add({ name: "x" }, { "x-request-id": "mine" })));
    const [first, second] = ids.map((answer) => answer.headers.get("x-request-id"));
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(first).not.toBe(second);
  });
});

describe("x-service-orgid", () => {
  test("is no value when it is empty", async () => {
    await sendHttp2(
      server.url,
      { ":path": "/v1/projects", "content-type": "application/json", "x-service-orgid": "" },
      '{"name":"x"}',
    );
    await add({ name: "x" });
    expect(server.authorized.map(({ organizationId }) => organizationId)).toEqual([undefined, undefined]);
  });

  test("is not read where the rule does not say so", async () => {
    const body = { user_id: "1", public_key_credential: {}, token_name: "x" };
    await send(`${server.url}/v1/users/1/u2f/2`, { json: body, headers: { "x-service-orgid": "9, 9" } });
    expect(server.authorized.map(({ organizationId }) => organizationId)).toEqual([undefined]);
  });

  test("must not be repeated, on HTTP/1.1 and HTTP/2", async () => {
    expect(summary(await add({ name: "x" }, { "x-service-orgid": "1, 1" }))).toMatchObject({
      reason: "INVALID_REQUEST",
    });
    const headers = {
      ":path": "/v1/projects",
      "content-type": "application/json",
      "x-service-orgid": ["1", "1"],
    };
    const answer = await sendHttp2(server.url, headers, '{"name":"x"}');
    expect(
      summary({ status: answer.headers[":status"]!, json: JSON.parse(answer.body.toString()) } as never),
    ).toEqual({
      status: 400,
      code: 3,
      reason: "INVALID_REQUEST",
    });
  });
});

describe("field rules", () => {
  const bad = (details: Loose) =>
    details.find((detail: Loose) => detail["@type"].endsWith("BadRequest")).fieldViolations;

  test("are all reported, each field of a wrong length once", async () => {
    const json = { name: "", jwtEndpoint: "x".repeat(201), issuer: "", keysEndpoint: "k", headerName: " " };
    const answer = await send(`${server.url}/v1/idps/jwt`, { json });
    expect(summary(answer)).toMatchObject({ status: 400, code: 3, reason: "FIELD_INVALID" });
    const fields = bad(answer.json.details).map(({ field }: Loose) => field);
    expect(fields).toEqual(expect.arrayContaining(["name", "jwt_endpoint", "issuer", "header_name"]));
    expect(new Set(fields).size).toBe(fields.length);
    expect(bad(answer.json.details)).toContainEqual({ field: "name", description: "must not be empty" });
    expect(bad(answer.json.details)).toContainEqual({
      field: "jwt_endpoint",
      description: "must be at most 200 characters",
    });
  });

  test("say everything that is wrong with a field", async () => {
    const answer = await add({ name: " ".repeat(201) });
    expect(bad(answer.json.details)).toEqual([
      { field: "name", description: "must be at most 200 characters" },
      { field: "name", description: "must not consist of white space only" },
    ]);
  });

  test("name list items and nested fields by their path", async () => {
    const list = await send(`${server.url}/v1/projects/1/grants`, {
      json: { grantedOrganizationId: "2", roleKeys: ["a", ""] },
    });
    expect(bad(list.json.details)).toEqual([{ field: "role_keys[1]", description: "must not be empty" }]);
    const nested = await send(`${server.url}/v1/projects/1/roles/bulk`, {
      json: { roles: [{ roleKey: "a" }, {}] },
    });
    expect(bad(nested.json.details)).toEqual([
      { field: "roles[1].role_key", description: "must not be empty" },
    ]);
  });

  test("count code points", async () => {
    expect((await add({ name: "😀".repeat(200) })).status).toBe(200);
    expect((await add({ name: "😀".repeat(201) })).status).toBe(400);
  });

  test("take unknown enum numbers of binary messages as broken", async () => {
    const body = Uint8Array.of(0x0a, 1, 0x61, 0x28, 99);
    const path = `${server.url}/gatehouse.v1.ProjectService/AddProject`;
    const answer = await send(path, { body, headers: { "content-type": "application/proto" } });
    expect(summary(answer)).toMatchObject({ reason: "FIELD_INVALID", fields: ["private_labeling_setting"] });
  });
});

describe("what a method raises", () => {
  test("is the answer", async () => {
    server.answers.set("addProject", () => {
      throw fieldInvalid("name", "is not nice");
    });
    expect(summary(await add({ name: "x" }))).toEqual({
      status: 400,
      code: 3,
      reason: "FIELD_INVALID",
      fields: ["name"],
    });
  });

  test("as a bug, or as an internal problem, tells the request id only; the log has the cause", async () => {
    for (const error of [
      new Error("secret detail"),
      new Problem({
        kind: "internal",
        reason: "INTERNAL",
        message: "secret detail",
        cause: new Error("deep"),
      }),
    ]) {
      server.answers.set("addProject", () => {
        throw error;
      });
      server.logLines.splice(0);
      const answer = await add({ name: "x" });
      const requestId = answer.headers.get("x-request-id");
      expect(answer.text).not.toContain("secret");
      expect(answer.json).toEqual({
        code: 13,
        message: `internal error; request id ${requestId}`,
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            reason: "INTERNAL",
            domain: "gatehouse",
            metadata: { request_id: requestId },
          },
        ],
      });
      expect(server.logLines).toEqual([
        expect.objectContaining({ level: 50, request_id: requestId, msg: "call.failed" }),
      ]);
      expect(JSON.stringify(server.logLines)).toContain("secret detail");
    }
  });
});

test("a call leaves one line in the log, without names, tokens or bodies", async () => {
  server.logLines.splice(0);
  const answer = await add({ name: "canary-name" }, { "x-service-orgid": "7" });
  expect(server.logLines).toEqual([
    {
      level: 20,
      time: expect.any(Number),
      pid: expect.any(Number),
      hostname: expect.any(String),
      request_id: answer.headers.get("x-request-id"),
      method: "gatehouse.v1.ProjectService/AddProject",
      lane: "json",
      code: 0,
      ms: expect.any(Number),
      msg: "call.done",
    },
  ]);
});

test.each([
  ["invalid", 20, "call.done"],
  ["unavailable", 40, "call.unavailable"],
] as const)("what was %s is logged at level %d, whatever raised it", async (kind, level, msg) => {
  server.answers.set("addProject", () => {
    throw new Problem({ kind, reason: "OVERLOADED", message: "wait", cause: new Error("deep") });
  });
  server.logLines.splice(0);
  await add({ name: "x" });
  expect(server.logLines).toEqual([expect.objectContaining({ level, msg })]);
  expect(JSON.stringify(server.logLines).includes("deep")).toBe(kind === "unavailable");
});

describe("the pipeline refuses to start", () => {
  const accessControl = {} as AccessControl;
  const fieldRules = createFieldRules([]);
  const rpc: Rpc = { run: () => Promise.resolve({}) };

  test("with a method that has no access rule", () => {
    const rpcs = { check: rpc, list: rpc, watch: rpc };
    expect(() =>
      createPipeline({
        accessControl,
        fieldRules,
        answerStore: noAnswers,
        services: [{ service: Health, rpcs }],
      }),
    ).toThrow("has no access rule");
  });

  test("with a method that nothing implements", () => {
    expect(() =>
      createPipeline({
        accessControl,
        fieldRules,
        answerStore: noAnswers,
        services: [{ service: ProjectService, rpcs: {} }],
      }),
    ).toThrow("has no implementation");
  });
});

/** Makes the call of a project's service, by a pipeline whose access control says what the test does. */
async function callProjects(
  name: string,
  { accessControl, rpc }: { accessControl?: Partial<AccessControl>; rpc?: Partial<Rpc> },
): Promise<unknown> {
  const rpcs = Object.fromEntries(
    ProjectService.methods.map(({ localName }) => [localName, { run: async () => ({}), ...rpc }]),
  );
  const methods = createPipeline({
    accessControl: {
      withCurrentAccess: (work) => work(),
      authenticate: async () => ({}) as never,
      useProof: async () => {},
      authorizeWithin: async () => ({}) as never,
      authorize: async () => ({
        access: { organizationId: "1" as never, projects: "all", projectGrants: "all" },
      }),
      ...accessControl,
    },
    answerStore: noAnswers,
    fieldRules: createFieldRules(ProjectService.methods.map(({ input }) => input)),
    services: [{ service: ProjectService, rpcs }],
  });
  const method = methods.find(({ descriptor }) => descriptor.name === name)!;
  const arrival = {
    requestId: "1",
    remoteAddress: undefined,
    verb: "POST",
    path: "/",
    deadlineMs: 7,
    signal,
  };
  const request = async () => create(method.descriptor.input);
  return await (method as { call: Loose }).call({ ...arrival, header: () => undefined }, request);
}

const { signal } = new AbortController();

test("a read that begins twice, because another process has changed who may do what, uses its proof once", async () => {
  const use = { kind: "proof", hash: "a", expirationMs: 1 } as const;
  const used: unknown[] = [];
  await callProjects("ListProjects", {
    accessControl: {
      withCurrentAccess: async (work) => (await work(), await work()),
      authenticate: async () => ({ caller: {} as never, proofUse: use }),
      useProof: async (...given) => void used.push(given),
    },
  });
  expect(used).toEqual([[use, { signal, deadlineMs: 7 }]]);
});

test("further checks of an rpc are reported together with those of the proto", async () => {
  const check: Rpc["check"] = () => [
    { field: "name", description: "twice" },
    { field: "other", description: "is odd" },
  ];
  await expect(callProjects("AddProject", { rpc: { check } })).rejects.toMatchObject({
    reason: "FIELD_INVALID",
    violations: [
      { field: "name", description: "must not be empty" },
      { field: "name", description: "twice" },
      { field: "other", description: "is odd" },
    ],
  });
});
