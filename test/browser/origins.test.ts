import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Frame } from "playwright-core";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { uniqueName } from "../support/world.ts";
import { pageClients, type PageRequest } from "./page/protocol.ts";
import { type Stage, usePage, useStage } from "./support/stage.ts";
import { openFrame, type Visit } from "./support/visit.ts";

const stage = useStage();
const expectsRefusals = true;

/** Has the page add projects with the token of the administrator, through every client of it and by `fetch`. */
async function addProjects(visit: Visit, name: string, frame?: Frame) {
  const { url, adminToken } = stage().service;
  const headers = { authorization: `Bearer ${adminToken}` };
  const called = { url, service: ProjectService.typeName, rpc: "AddProject", headers };
  const outcomes = [];
  for (const client of pageClients)
    outcomes.push(
      await visit.run("call", { ...called, client, request: { name: `${name} ${client}` } }, frame),
    );
  const request = {
    url: `${url}/v1/projects`,
    verb: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  };
  return { outcomes, response: await visit.run("request", request, frame) };
}

/** Calls whose answers may be read or not: those through the clients, and one by `fetch`. */
const callCount = pageClients.length + 1;

async function projectsNamed(name: string): Promise<readonly JsonObject[]> {
  const answer = await stage().service.call(ProjectService.method.listProjects, { pageSize: 1000 });
  const projects = answer["projects"] as JsonObject[]; // as ListProjects has them
  return projects.filter((project) => (project["name"] as string).startsWith(name));
}

/** Expects that the page learns nothing and that nothing is done. */
async function expectShutOut(visit: Visit, frame?: Frame): Promise<void> {
  const name = uniqueName("Shut out");
  const { outcomes, response } = await addProjects(visit, name, frame);
  expect(response).toEqual({ kind: "refused", error: "TypeError" });
  for (const outcome of outcomes) {
    // UNKNOWN with words of the client's own: the browser says no more to it.
    expect(outcome).toEqual({
      kind: "error",
      status: { code: 2, message: expect.stringMatching(/^(Failed to fetch|Http response at 400 .*: 0)$/) },
      headers: {},
    });
  }
  expect(await projectsNamed(name)).toEqual([]);
}

describe("a page of an origin that is not allowed", () => {
  test.each<[string, (stage: Stage) => string]>([
    ["on another port", ({ stranger }) => stranger.origin],
    ["on the same machine by its address", ({ home }) => `http://127.0.0.1:${home.port}`],
    ["on a sub-domain", ({ home }) => `http://evil.localhost:${home.port}`],
    ["on a name that begins alike", ({ home }) => `http://localhost.evil.test:${home.port}`],
    ["on a name that ends alike", ({ home }) => `http://evil-localhost.test:${home.port}`],
  ])("%s learns nothing and changes nothing", async (_where, originOf) => {
    const origin = originOf(stage());
    const steps = async (visit: Visit) => {
      expect(await visit.page.evaluate("origin")).toBe(origin);
      await expectShutOut(visit);
      const refusals = await visit.refusals(callCount);
      expect(refusals).toEqual(Array.from({ length: callCount }, () => "PreflightMissingAllowOriginHeader"));
    };
    await stage().visit(origin, steps, { expectsRefusals });
  });

  test("in a frame without an origin learns nothing and changes nothing", async () => {
    const steps = async (visit: Visit) => {
      // HTML §4.8.5: without allow-same-origin the frame has an origin that equals no other.
      const frame = await openFrame(visit, stage().home.origin, { sandbox: "allow-scripts" });
      expect(await frame.evaluate("origin")).toBe("null");
      await expectShutOut(visit, frame);
    };
    await stage().visit(stage().home.origin, steps, { expectsRefusals });
  });
});

describe("a page of an origin that is not allowed, without a token,", () => {
  const stranger = usePage(stage, { expectsRefusals }, "stranger");

  test("cannot read what needs none", async () => {
    const url = `${stage().service.url}/openapi.json`;
    const read = await stranger().run("request", { url, verb: "GET" });
    expect(read).toEqual({ kind: "refused", error: "TypeError" });
    expect(await stranger().refusals(1)).toEqual(["MissingAllowOriginHeader"]);
  });

  test.each([["text/plain"], ["application/x-www-form-urlencoded"], ["multipart/form-data"]])(
    "learns nothing and changes nothing by %s, which browsers send without asking first",
    async (contentType) => {
      const name = uniqueName("Simple");
      const sent = await stranger().run("request", {
        url: `${stage().service.url}/v1/projects`,
        verb: "POST",
        headers: { "content-type": contentType },
        body: JSON.stringify({ name }),
      });
      expect(sent).toEqual({ kind: "refused", error: "TypeError" });
      expect(await stranger().refusals(1)).toEqual(["MissingAllowOriginHeader"]);
      expect(await projectsNamed(name)).toEqual([]);
    },
  );
});

describe("an origin", () => {
  test.each([
    ["null"],
    ["http://localhost"],
    ["https://localhost:PORT"],
    ["http://LOCALHOST:PORT"],
    ["http://localhost:PORT/"],
    ["http://localhost:PORT0"],
    ["http://localhost:PORT.evil.test"],
    ["http://evil@localhost:PORT"],
    ["http://localhost:PORT, http://evil.test"],
    ["http://localhost:PORT http://evil.test"],
    ["*"],
  ])("named %s gets no header that allows anything", async (pattern) => {
    const { service, home } = stage();
    const origin = pattern.replace("PORT", String(home.port));
    expect(allowancesOf(await askFirst(service.url, origin))).toEqual([]);
    // The same question from an origin that may call is answered.
    expect(allowancesOf(await askFirst(service.url, home.origin))).toEqual([
      "access-control-allow-headers",
      "access-control-allow-methods",
      "access-control-allow-origin",
      "access-control-expose-headers",
      "access-control-max-age",
    ]);
  });
});

describe("a page of an origin that is allowed", () => {
  const home = usePage(stage, { expectsRefusals });

  test("gets its work done", async () => {
    const name = uniqueName("Let in");
    const { outcomes, response } = await addProjects(home(), name);
    expect(outcomes.map(({ kind }) => kind)).toEqual(pageClients.map(() => "answer"));
    expect(response).toMatchObject({ kind: "answer", httpStatus: 200 });
    expect(await projectsNamed(name)).toHaveLength(callCount);
  });

  test("reads, adds and changes by fetch", async () => {
    const name = uniqueName("By fetch");
    const added = await send("POST", "/v1/projects", { name });
    const path = `/v1/projects/${added["id"] as string}`;
    await send("PUT", path, { name: `${name} 2` });
    expect((await send("GET", path))["project"]).toMatchObject({ name: `${name} 2` });
  });

  test("sends a call again by its key, and reads that it was answered before", async () => {
    const name = uniqueName("Once");
    const headers = { "idempotency-key": name };
    const [first, again] = [
      await ask("POST", "/v1/projects", { headers, body: { name } }),
      await ask("POST", "/v1/projects", { headers, body: { name } }),
    ];
    expect(again.text).toBe(first.text);
    const replayed = [first, again].map((answer) => answer.headers["idempotency-replayed"]);
    expect(replayed).toEqual([undefined, "true"]);
    expect(await projectsNamed(name)).toHaveLength(1);
  });

  test("reads the etag of an object, tries a change by it, makes it, and is refused a second one", async () => {
    const name = uniqueName("By etag");
    const path = `/v1/projects/${(await send("POST", "/v1/projects", { name }))["id"] as string}`;
    const { etag = "" } = (await ask("GET", path)).headers;
    const change = (headers: Record<string, string> = {}) =>
      ask("PUT", path, { headers: { "if-match": etag, ...headers }, body: { name: `${name} 2` } });
    const answers = [await change({ "x-service-validate-only": "true" }), await change(), await change()];
    expect(answers.map((each) => [each.httpStatus, each.headers["x-service-validated-only"]])).toEqual([
      [200, "true"],
      [200, undefined],
      [412, undefined],
    ]);
    expect(answers[2]?.text).toContain("SEQUENCE_MISMATCH");
  });

  test.each<[string, Partial<PageRequest>, string]>([
    ["with credentials of the browser", { credentials: "include" }, "PreflightInvalidAllowCredentials"],
    ["with a verb that no operation has", { verb: "PATCH" }, "MethodDisallowedByPreflightResponse"],
    [
      "with a header that is not known",
      { headers: { "x-other": "1" } },
      "HeaderDisallowedByPreflightResponse",
    ],
  ])("%s is refused by the browser", async (_what, request, refusal) => {
    const { url, adminToken } = stage().service;
    const headers = { authorization: `Bearer ${adminToken}`, ...request.headers };
    const input = { url: `${url}/v1/users/me`, verb: "GET", ...request, headers };
    expect(await home().run("request", input)).toEqual({ kind: "refused", error: "TypeError" });
    expect(await home().refusals(1)).toEqual([refusal]);
  });

  async function send(verb: string, path: string, body?: object): Promise<JsonObject> {
    const { httpStatus, text } = await ask(verb, path, body === undefined ? {} : { body });
    expect(httpStatus).toBe(200);
    return JSON.parse(text) as JsonObject; // an answer is an object
  }

  async function ask(
    verb: string,
    path: string,
    { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: object } = {},
  ) {
    const { url, adminToken } = stage().service;
    const sent = await home().run("request", {
      url: `${url}${path}`,
      verb,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (sent.kind === "refused") throw new Error(`the browser refused it: ${sent.error}`);
    return sent;
  }
});

/** Sends what a browser asks before it lets a page of that origin call. */
async function askFirst(url: string, origin: string): Promise<Headers> {
  const response = await fetch(`${url}/gatehouse.v1.ProjectService/AddProject`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,x-grpc-web",
    },
  });
  return response.headers;
}

function allowancesOf(headers: Headers): readonly string[] {
  return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}
