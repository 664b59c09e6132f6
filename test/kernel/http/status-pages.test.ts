import { afterAll, describe, expect, test } from "@jest/globals";
import { type Loose, send, sendHttp2, summary } from "./support/http.ts";
import { startTestServer } from "../../sites/rpc/support/server.ts";

let isReady = true;
const server = await startTestServer({
  ready: () => (isReady ? Promise.resolve(true) : Promise.reject(new Error("gone"))),
});
afterAll(() => server.stop());

const get = (path: string, headers: Record<string, string> = {}) =>
  send(`${server.url}${path}`, { headers: { authorization: "", ...headers } });

describe("health", () => {
  test("/healthz and /readyz need no token; /readyz asks storage", async () => {
    expect([(await get("/healthz")).status, (await get("/readyz")).status]).toEqual([200, 200]);
    isReady = false;
    expect([(await get("/healthz")).status, (await get("/readyz")).status]).toEqual([200, 503]);
    const path = `${server.url}/grpc.health.v1.Health/Check`;
    const check = (service: string) => send(path, { json: { service }, headers: { authorization: "" } });
    expect((await check("")).json.status).toBe("NOT_SERVING");
    isReady = true;
    expect((await check("gatehouse.v1.ProjectService")).json.status).toBe("SERVING");
    expect(summary(await check("nothing"))).toMatchObject({ status: 404, code: 5, reason: "NOT_FOUND" });
    const list = await send(`${server.url}/grpc.health.v1.Health/List`, {
      json: {},
      headers: { authorization: "" },
    });
    expect(list.json.statuses[""].status).toBe("SERVING");
  });

  test("HEAD is answered as GET is, without a body", async () => {
    for (const path of ["/healthz", "/readyz", "/openapi.json"]) {
      const [got, asked] = [await get(path), await send(`${server.url}${path}`, { method: "HEAD" })];
      expect([path, asked.status, asked.text]).toEqual([path, 200, ""]);
      expect(asked.headers.get("content-length")).toBe(got.headers.get("content-length"));
      expect(asked.headers.get("content-type")).toBe(got.headers.get("content-type"));
    }
    expect((await send(`${server.url}/metrics`, { method: "HEAD" })).text).toBe("");
  });

  test("answers carry a request id", async () => {
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json", "/nothing"]) {
      expect((await get(path)).headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
    }
  });
});

describe("/metrics", () => {
  test("counts calls by method, lane and code", async () => {
    await send(`${server.url}/v1/projects`, { json: { name: "" } });
    const { text, headers } = await get("/metrics");
    expect(headers.get("content-type")).toContain("text/plain");
    expect(text).toMatch(
      /gatehouse_calls_total\{method="gatehouse.v1.ProjectService\/AddProject",lane="json",code="3"\} \d+/,
    );
    expect(text).toContain("gatehouse_call_duration_seconds_bucket");
    expect(text).toContain("process_cpu_seconds_total");
  });

  test("counts pages by the status of what failed; 0 is a success", async () => {
    const countOf = (text: string, path: string, code: number) =>
      text.split(`gatehouse_calls_total{method="${path}",lane="http",code="${code}"} `)[1]?.split("\n")[0];
    const before = (await get("/metrics")).text;
    await get("/readyz");
    isReady = false;
    await get("/readyz");
    isReady = true;
    const after = (await get("/metrics")).text;
    const difference = (code: number) =>
      Number(countOf(after, "/readyz", code)) - Number(countOf(before, "/readyz", code) ?? 0);
    expect([difference(0), difference(503)]).toEqual([1, 1]);
  });

  test("does not grow with paths that nobody serves", async () => {
    for (const path of ["/a", "/b", "/gatehouse.v1.X/Y"]) await get(path);
    expect((await get("/metrics")).text).not.toMatch(/method="(\/a|\/b|gatehouse.v1.X)/);
  });

  test("is hidden from requests that came through a proxy, without the option", async () => {
    for (const name of [
      "forwarded",
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-proto",
      "x-forwarded-anything",
    ]) {
      expect(summary(await get("/metrics", { [name]: "x" }))).toMatchObject({
        status: 404,
        reason: "ROUTE_NOT_FOUND",
      });
    }
    const open = await startTestServer({ metricsOpen: true });
    const answer = await send(`${open.url}/metrics`, {
      headers: { authorization: "", "x-forwarded-for": "1.2.3.4" },
    });
    await open.stop();
    expect(answer.status).toBe(200);
  });

  test("is hidden outside local mode", async () => {
    const remote = await startTestServer({ isLocal: false });
    const answer = await send(`${remote.url}/metrics`);
    await remote.stop();
    expect(answer.status).toBe(404);
  });
});

describe("CORS", () => {
  const origin = "https://console.example";
  const preflight = {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization",
  };
  const corsOf = (headers: Headers) =>
    [...headers.keys()].filter((name) => name.startsWith("access-control") || name === "vary");

  test("without origins sends nothing, and OPTIONS is 405", async () => {
    const answer = await send(`${server.url}/v1/projects`, { method: "OPTIONS", headers: preflight });
    expect([answer.status, corsOf(answer.headers)]).toEqual([405, []]);
    expect(corsOf((await send(`${server.url}/v1/projects`, { headers: { origin } })).headers)).toEqual([]);
  });

  test("with origins answers those, and only those", async () => {
    const open = await startTestServer({ corsOrigins: [origin] });
    const allowed = await send(`${open.url}/v1/projects`, { method: "OPTIONS", headers: preflight });
    const foreign = await send(`${open.url}/v1/projects`, {
      method: "OPTIONS",
      headers: { ...preflight, origin: "https://evil.example" },
    });
    const failed = await send(`${open.url}/v1/projects`, { headers: { origin, authorization: "" } });
    const { headers: rpc } = await sendHttp2(open.url, {
      ":path": "/gatehouse.v1.ProjectService/No",
      "content-type": "application/grpc-web",
      origin,
    });
    await open.stop();
    expect([allowed.status, allowed.text]).toEqual([204, ""]);
    expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
    expect(allowed.headers.get("access-control-allow-methods")).toBe("GET,POST,PUT,DELETE");
    expect(allowed.headers.get("access-control-allow-credentials")).toBeNull();
    const allowedHeaders = allowed.headers.get("access-control-allow-headers")!.split(",");
    expect(allowedHeaders).toEqual(
      expect.arrayContaining([
        "authorization",
        "dpop",
        "x-service-orgid",
        "x-grpc-web",
        "connect-protocol-version",
        "idempotency-key",
        "if-match",
        "x-service-validate-only",
        "traceparent",
        "tracestate",
        "baggage",
      ]),
    );
    expect([foreign.status, corsOf(foreign.headers)]).toEqual([405, ["vary"]]);
    expect([failed.status, failed.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
    expect(failed.headers.get("access-control-expose-headers")!.split(",")).toEqual(
      expect.arrayContaining([
        "x-request-id",
        "www-authenticate",
        "grpc-status-details-bin",
        "retry-after",
        "etag",
        "idempotency-replayed",
        "x-service-validated-only",
      ]),
    );
    expect(rpc["access-control-allow-origin"]).toBe(origin);
  });
});

describe("/openapi.json", () => {
  test("says which fields a body may have", async () => {
    const { json } = await get("/openapi.json");
    const bodyOf = (path: string) => json.paths[path].post.requestBody.content["application/json"].schema;
    expect(bodyOf("/v1/users/human")).toMatchObject({
      additionalProperties: false,
      required: expect.arrayContaining(["username", "email"]),
      properties: { email: { format: "email", minLength: 1, maxLength: 200 } },
    });
    const members = [{ required: ["sendCode"] }, { required: ["returnCode"] }, { required: ["isVerified"] }];
    expect(bodyOf("/v1/users/{user_id}/phone").allOf).toEqual([
      { oneOf: [...members, { not: { anyOf: members } }] },
    ]);
    const names = ["jwt", "oidc", "saml", "ldap", "google", "entra", "github", "gitlab", "apple"];
    const kinds = names.map((kind) => ({ required: [kind] }));
    expect(bodyOf("/v1/idps").allOf).toEqual([{ oneOf: kinds }]);
  });

  test("says what callers need to know", async () => {
    const { json } = await get("/openapi.json");
    const update = json.paths["/v1/projects/{id}"].put;
    expect(update).toMatchObject({ operationId: "ProjectService_UpdateProject", tags: ["ProjectService"] });
    expect(update.description).toContain("`project.write`");
    expect(update.parameters.map((each: Loose) => [each.in, each.name])).toEqual([
      ["path", "id"],
      ["header", "x-service-orgid"],
      ["header", "idempotency-key"],
      ["header", "if-match"],
      ["header", "x-service-validate-only"],
    ]);
    const schema = update.requestBody.content["application/json"].schema;
    expect(Object.keys(schema.properties)).not.toContain("id");
    expect(schema).toMatchObject({
      required: ["name"],
      properties: { name: { type: "string", minLength: 1, maxLength: 200 } },
    });
    expect(json.components.schemas["PrivateLabelingSetting"].enum).toContain(
      "PRIVATE_LABELING_SETTING_UNSPECIFIED",
    );
    expect(json.components.schemas["ObjectDetails"].properties.sequence).toMatchObject({
      type: "string",
      format: "uint64",
    });
    expect(json.components.securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" });
    const list = json.paths["/v1/projects"].get.parameters.map((each: Loose) => each.name);
    expect(list).toEqual(expect.arrayContaining(["pageSize", "pageToken", "state"]));
    expect(json.paths["/v1/idps/jwt"].post).toMatchObject({ deprecated: true });
    const verify = json.paths["/v1/users/{user_id}/u2f/{u2f_id}"].post.parameters;
    expect(verify.map((each: Loose) => each.name)).toEqual([
      "user_id",
      "u2f_id",
      "idempotency-key",
      "if-match",
      "x-service-validate-only",
    ]);
    expect(json.components.schemas["Status"].required).toEqual(["code", "message", "details"]);
  });
});
