import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Message } from "@bufbuild/protobuf";
import { createRouteTable } from "../../../src/sites/rpc/lanes/rest/routes.ts";
import { type Loose, send, sendRaw, summary } from "../../kernel/http/support/http.ts";
import { KindsService } from "./support/kinds.ts";
import { startTestServer, type TestServer } from "./support/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.calls.splice(0);
});

const last = () => server.calls.at(-1)!;
const lastRequest = () => last().request as Message & Record<string, Loose>;

describe("the path", () => {
  test("chooses the method, a literal before a variable", async () => {
    await send(`${server.url}/v1/users/me`);
    expect(last().method.name).toBe("GetMyUser");
    await send(`${server.url}/v1/users/you`);
    expect([last().method.name, lastRequest()["userId"]]).toEqual(["GetUser", "you"]);
  });

  test("chooses a literal of the same verb only", async () => {
    await send(`${server.url}/v1/kinds/all`);
    expect(last().method.name).toBe("QueryAll");
    expect(summary(await send(`${server.url}/v1/kinds/all`, { method: "DELETE" })).status).toBe(405);
  });

  test("is percent-decoded once", async () => {
    await send(`${server.url}/v1/projects/a%2Fb%20%25%32%30%C3%A9+`);
    expect(lastRequest()["id"]).toBe("a/b %20é+");
  });

  test.each(["%", "%2", "%zz", "%ff", "%C3"])("with %s is refused", async (part) => {
    expect(summary(await send(`${server.url}/v1/projects/${part}`))).toEqual({
      status: 400,
      code: 3,
      reason: "INVALID_REQUEST",
      fields: ["id"],
    });
  });

  test.each([
    "/",
    "/v1",
    "/v1/projects/",
    "/v1//projects",
    "//v1/projects",
    "/v1/projects/1/",
    "/V1/projects",
    "/v1/projects/1/nothing",
    "/gatehouse.v1.ProjectService",
    "/gatehouse.v1.ProjectService/Nothing",
    "/gatehouse.v1.ProjectService/AddProject/",
    "/__proto__",
    "/constructor/toString",
  ])("%s is 404", async (path) => {
    const answer = await send(`${server.url}${path}`, { json: {} });
    expect(summary(answer)).toEqual({ status: 404, code: 5, reason: "ROUTE_NOT_FOUND" });
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{32}$/);
  });

  test("that is known for other verbs is 405 and names them", async () => {
    for (const [method, path, allow] of [
      ["PATCH", "/v1/projects/1", "DELETE, GET, PUT"],
      ["HEAD", "/v1/projects", "GET, POST"],
      ["OPTIONS", "/v1/users/me", "DELETE, GET"],
      ["DELETE", "/healthz", "GET, HEAD"],
    ]) {
      const answer = await send(`${server.url}${path}`, { method: method! });
      expect([path, answer.status, answer.headers.get("allow")]).toEqual([path, 405, allow]);
    }
    expect(summary(await send(`${server.url}/v1/projects`, { method: "PUT", json: {} }))).toEqual({
      status: 405,
      code: 12,
      reason: "METHOD_NOT_ALLOWED",
    });
  });

  test("in absolute form is that path, whatever its host", async () => {
    const answer = await sendRaw(
      server.port,
      "GET http://other.example/healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  test("that is no path is refused", async () => {
    for (const target of ["*", "http://other.example", "v1/projects"]) {
      const answer = await sendRaw(
        server.port,
        `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 40[04] /);
    }
  });
});

describe("a path variable", () => {
  const update = (json: Record<string, string>) =>
    send(`${server.url}/v1/projects/7`, { method: "PUT", json: { name: "x", ...json } });

  test("goes into the request, whether the body has it or not", async () => {
    expect((await update({})).status).toBe(200);
    expect((await update({ id: "7" })).status).toBe(200);
    expect(lastRequest()).toMatchObject({ id: "7", name: "x" });
  });

  test("that the body contradicts is refused", async () => {
    for (const id of ["8", ""]) {
      expect(summary(await update({ id }))).toMatchObject({
        status: 400,
        reason: "INVALID_REQUEST",
        fields: ["id"],
      });
    }
    const both = await send(`${server.url}/v1/users/1/pats`, { json: { userId: "1", user_id: "2" } });
    expect(summary(both)).toMatchObject({ status: 400, fields: ["user_id"] });
  });

  test("that the query contradicts is refused", async () => {
    expect(summary(await send(`${server.url}/v1/projects/7?id=8`))).toMatchObject({
      status: 400,
      fields: ["id"],
    });
    expect((await send(`${server.url}/v1/projects/7?id=7`)).status).toBe(200);
  });
});

describe("the query", () => {
  test("takes both spellings of a name and every kind of value", async () => {
    const query =
      "small=-5&count=7&largeNumber=9007199254740993&unsigned_number=18446744073709551615&flag=true&raw=AQI%3D" +
      "&ratio=1.5&texts=a&texts=b+c%2Bd&numbers=1&color=COLOR_RED&start_date=2026-01-31T12%3A00%3A00Z&period=1.5s&wrapped=w";
    expect((await send(`${server.url}/v1/kinds/x?${query}`)).status).toBe(200);
    expect(lastRequest()).toMatchObject({
      text: "x",
      small: -5,
      count: 7,
      largeNumber: 9007199254740993n,
      unsignedNumber: 18446744073709551615n,
      flag: true,
      ratio: 1.5,
      texts: ["a", "b c+d"],
      numbers: [1n],
      color: 1,
      wrapped: "w",
    });
    await send(`${server.url}/v1/kinds/x?color=1&flag=false&&`);
    expect(lastRequest()).toMatchObject({ color: 1, flag: false });
  });

  test.each([
    ["unknown=1", "unknown"],
    ["__proto__=1", "__proto__"],
    ["inner.note=1", "inner.note"],
    ["inner=1", "inner"],
    ["freeForm=%7B%7D", "free_form"],
    ["amounts=1", "amounts"],
    ["small=1&small=2", "small"],
    ["large_number=1&largeNumber=1", "large_number"],
    ["small=1.5", "small"],
    ["small=", "small"],
    ["small=0x1", "small"],
    ["count=-1", "count"],
    ["flag=1", "flag"],
    ["flag", "flag"],
    ["color=BLUE", "color"],
    ["ratio=abc", "ratio"],
    ["start_date=2026", "start_date"],
    ["left=a&right=b", "right"],
  ])("%s is refused, naming the field", async (query, field) => {
    expect(summary(await send(`${server.url}/v1/kinds/x?${query}`))).toEqual({
      status: 400,
      code: 3,
      reason: "INVALID_REQUEST",
      fields: [field],
    });
  });

  test("with broken percent-encoding is refused", async () => {
    for (const query of ["text=%", "text=%ff", "%ff=1"]) {
      expect(summary(await send(`${server.url}/v1/kinds/all?${query}`))).toMatchObject({
        status: 400,
        code: 3,
      });
    }
  });

  test("is refused where the request stands in the body", async () => {
    expect(summary(await send(`${server.url}/v1/projects?name=x`, { json: { name: "x" } }))).toMatchObject({
      status: 400,
      reason: "INVALID_REQUEST",
      fields: ["name"],
    });
  });
});

describe("GET and DELETE", () => {
  test("take no body", async () => {
    const head =
      "GET /v1/projects HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer good\r\nConnection: close\r\n";
    const withBody = await sendRaw(server.port, `${head}Content-Length: 2\r\n\r\n{}`);
    expect(withBody).toMatch(/^HTTP\/1.1 400 [\s\S]*INVALID_REQUEST/);
    const chunked = await sendRaw(
      server.port,
      `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    );
    expect(chunked).toMatch(/^HTTP\/1.1 400 [\s\S]*INVALID_REQUEST/);
    const empty = await sendRaw(server.port, `${head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`);
    expect(empty).toMatch(/^HTTP\/1.1 200 /);
  });
});

test("two methods on one path stop the start", () => {
  const method = {
    kind: "unary",
    descriptor: KindsService.method.query,
    call: () => Promise.reject(new Error()),
  } as const;
  expect(() => createRouteTable([method, method])).toThrow("two methods claim GET /v1/kinds/{text}");
});
