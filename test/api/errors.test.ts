import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { create, toBinary } from "@bufbuild/protobuf";
import { gzipSync } from "node:zlib";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { ErrorStatus, Outcome } from "../support/clients.ts";
import { httpStatusOfCode } from "../support/http-statuses.ts";
import { createCaller, createHumanUser, idOf, nextPhone, uniqueName, type World } from "../support/world.ts";
import {
  alike,
  badRequest,
  type Call,
  errorInfo,
  everyLane,
  onEveryLane,
  type Setting,
  startSetting,
  resourceInfo,
  retryInfo,
  statusOf,
  violationsOf,
} from "./support/lanes.ts";
import { type Protocol, send, type WireAnswer, type WireRequest } from "./support/wire.ts";

let service: Setting["service"];
let callOn: Setting["callOn"];
let world: World;
let other: World;
beforeAll(async () => {
  ({ service, callOn, world, other } = await startSetting());
});
afterAll(() => service.stop());

/**
 * Makes the same mistake on every lane and returns its status, which must be the same on all of them, must come with the
 * HTTP status of its code on JSON, and with a request id of its own everywhere.
 */
async function expectAlike(make: (call: Call) => Promise<Outcome>): Promise<ErrorStatus> {
  const outcomes = await onEveryLane((lane) => make(callOn[lane]));
  const seen = Object.fromEntries(
    Object.entries(outcomes).map(([lane, outcome]) => [lane, statusOf(outcome)]),
  );
  const status = statusOf(outcomes["json"] as Outcome); // there is one for every lane
  expect(seen).toEqual(alike(status));
  expect(status.message).not.toBe("");
  const spoken = ["rest", "json"].map((lane) => (outcomes[lane] as { httpStatus?: number }).httpStatus);
  expect(spoken).toEqual([httpStatusOfCode[status.code], httpStatusOfCode[status.code]]);
  const ids = Object.values(outcomes).map(({ headers }) => headers.get("x-request-id"));
  expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[0-9a-f]{32}$/)));
  expect(new Set(ids).size).toBe(everyLane.length);
  return status;
}

/** Returns the values of one header by lane. */
async function headerOnEveryLane(name: string, make: (call: Call) => Promise<Outcome>) {
  return await onEveryLane(async (lane) => (await make(callOn[lane])).headers.get(name));
}

const { addJwtIdentityProvider } = IdentityProviderService.method;
const { addProject, updateProject, getProject } = ProjectService.method;
const { verifyPhone, setPhone, getUser } = UserService.method;

describe("the same mistake is the same error on every lane:", () => {
  test("fields that break rules, all of them at once", async () => {
    const request = {
      name: "",
      jwtEndpoint: "ftp://idp.example.com",
      issuer: " \t ",
      keysEndpoint: `https://a/${"k".repeat(191)}`,
      headerName: "no header",
    };
    const token = service.adminToken;
    const status = await expectAlike((call) => call(addJwtIdentityProvider, request, { token }));
    const [info, bad] = status.details;
    expect(status.code).toBe(3);
    expect(status.details).toHaveLength(2);
    expect(info).toEqual(errorInfo("FIELD_INVALID"));
    const violations = violationsOf(status.details);
    expect(bad).toEqual(badRequest(...violations.map((v) => [v.field, v.description] as const)));
    // The issuer breaks two rules: it is white space only, and a tab is a control character.
    expect(violations.map(({ field }) => field).toSorted()).toEqual([
      "header_name",
      "issuer",
      "issuer",
      "jwt_endpoint",
      "keys_endpoint",
      "name",
    ]);
    expect(violations.every(({ description }) => description !== "")).toBe(true);
  });

  test("a broken rule that spans fields", async () => {
    const request = { projectId: world.projectId, name: "x" };
    const token = service.adminToken;
    const { createSamlApplication } = ApplicationService.method;
    const status = await expectAlike((call) => call(createSamlApplication, request, { token }));
    expect(status).toMatchObject({ code: 3, details: [errorInfo("FIELD_INVALID"), {}] });
  });

  // RFC 9728 §5.1
  const challenge = (error: string) =>
    `Bearer realm="gatehouse"${error}, resource_metadata="http://localhost:${service.port}/.well-known/oauth-protected-resource"`;

  test("no token", async () => {
    const make = (call: Call) => call(updateProject, { id: world.projectId, name: "x" });
    expect(await expectAlike(make)).toMatchObject({ code: 16, details: [errorInfo("TOKEN_MISSING")] });
    expect(await headerOnEveryLane("www-authenticate", make)).toEqual(alike(challenge("")));
  });

  test.each([
    ["that is none of ours", () => "Bearer nonsense"],
    ["that was never given out", () => `Bearer ${replaceAt(service.adminToken, 40)}`],
    ["with a wrong checksum", () => `Bearer ${replaceAt(service.adminToken, -1)}`],
    ["with something behind it", () => `Bearer ${service.adminToken}x`],
    ["twice", () => `Bearer ${service.adminToken} ${service.adminToken}`],
  ])("a token %s", async (_what, authorization) => {
    const headers = { authorization: authorization() };
    const make = (call: Call) => call(updateProject, { id: world.projectId, name: "x" }, { headers });
    expect(await expectAlike(make)).toMatchObject({ code: 16, details: [errorInfo("TOKEN_INVALID")] });
    const said = alike(challenge(', error="invalid_token"'));
    expect(await headerOnEveryLane("www-authenticate", make)).toEqual(said);
  });

  test("a token that has expired reads like one that never was", async () => {
    const seconds = BigInt(Math.floor(service.clock.nowMs() / 1000)) + 60n;
    const added = await service.call(UserService.method.addPersonalAccessToken, {
      userId: world.owner.id,
      expirationDate: { seconds, nanos: 0 },
    });
    const token = idOf(added, "token");
    const read = () => callOn.json(getUser, { userId: world.owner.id }, { token });
    expect((await read()).kind).toBe("answer");
    service.clock.turn(61_000);
    const expired = await expectAlike((call) => call(getUser, { userId: world.owner.id }, { token }));
    const unknown = await expectAlike((call) => call(getUser, { userId: world.owner.id }, { token: "x" }));
    expect(expired).toEqual(unknown);
  });

  test("a missing permission, with the permission and the organization", async () => {
    const request = { id: world.projectId, name: "x" };
    const { token } = world.stranger;
    const status = await expectAlike((call) => call(updateProject, request, { token }));
    const metadata = { permission: "project.write", organization_id: world.organizationId };
    expect(status).toMatchObject({ code: 7, details: [errorInfo("PERMISSION_DENIED", metadata)] });
  });

  test("an organization that the caller holds nothing on, existing or not", async () => {
    const { token } = world.owner;
    for (const organizationId of [other.organizationId, "1", "none"]) {
      const headers = { "x-service-orgid": organizationId };
      const status = await expectAlike((call) => call(addProject, { name: "x" }, { token, headers }));
      const metadata = { permission: "project.create", organization_id: organizationId };
      expect(status).toMatchObject({ code: 7, details: [errorInfo("PERMISSION_DENIED", metadata)] });
    }
  });

  test("an object that does not exist, or is another organization's: both read the same", async () => {
    const { token } = world.owner;
    for (const id of ["1", "none", "9".repeat(200), "’", other.projectId]) {
      const status = await expectAlike((call) => call(updateProject, { id, name: "x" }, { token }));
      expect(status.code).toBe(5);
      expect(status.message).toBe(`project ${JSON.stringify(id)} does not exist`);
      expect(status.details).toEqual([
        errorInfo("NOT_FOUND", { resource_type: "project" }),
        resourceInfo("project", id, status.message),
      ]);
    }
  });

  test("a name that is taken, with the caller's own spelling and nothing of the other object", async () => {
    const inside = createCaller(service, world.organizationId);
    const taken = uniqueName("Straße ﬁn");
    const id = idOf(await inside(addProject, { name: taken }), "id");
    const name = ` ${taken.toUpperCase()} `;
    const status = await expectAlike((call) => call(addProject, { name }, { token: world.owner.token }));
    expect(status.code).toBe(6);
    expect(status.details).toEqual([
      errorInfo("ALREADY_EXISTS", { resource_type: "project" }),
      resourceInfo("project", name, status.message),
    ]);
    expect(JSON.stringify(status)).not.toContain(id);
  });

  test("a state that does not allow the call", async () => {
    const userId = await createHumanUser(service, world.organizationId);
    const request = { userId, verificationCode: "12345678" };
    const status = await expectAlike((call) => call(verifyPhone, request, { token: world.owner.token }));
    expect(status).toMatchObject({ code: 9, details: [errorInfo("CODE_NOT_PENDING")] });
  });

  test("too many messages, with the time to wait", async () => {
    const userId = await createHumanUser(service, world.organizationId);
    const phone = nextPhone();
    const make = (call: Call) => call(setPhone, { userId, phone }, { token: world.owner.token });
    expect((await make(callOn.json)).kind).toBe("answer");
    service.clock.turn(12_500);
    const status = await expectAlike(make);
    expect(status).toMatchObject({ code: 8, details: [errorInfo("RATE_LIMITED"), retryInfo("17.500s")] });
    expect(await headerOnEveryLane("retry-after", make)).toEqual(alike("18"));
  });

  test("a text beyond ASCII comes through whole", async () => {
    const id = "Ünïcødé % 100%25 \u{1F600} “quotes” \u0000 \n end ";
    const status = await expectAlike((call) =>
      call(updateProject, { id, name: "x" }, { token: world.owner.token }),
    );
    expect(status.details[1]).toMatchObject({ resourceName: id });
  });
});

test("an answer carries a request id too, on every lane", async () => {
  const ids = await onEveryLane(async (lane) => {
    const { headers } = await callOn[lane](getProject, { id: world.projectId }, { token: world.owner.token });
    return headers.get("x-request-id");
  });
  expect(ids).toEqual(alike(expect.stringMatching(/^[0-9a-f]{32}$/)));
  expect(new Set(Object.values(ids)).size).toBe(everyLane.length);
});

test("an organization that does not exist is NOT_FOUND to who may act on all of them", async () => {
  const token = service.adminToken;
  for (const id of ["1", "none"]) {
    const headers = { "x-service-orgid": id };
    const status = await expectAlike((call) => call(addProject, { name: "x" }, { token, headers }));
    expect(status.details).toEqual([
      errorInfo("NOT_FOUND", { resource_type: "organization" }),
      resourceInfo("organization", id, status.message),
    ]);
  }
});

/** Returns the text with another character of its alphabet at the place. */
function replaceAt(text: string, index: number): string {
  const at = index < 0 ? text.length + index : index;
  return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
}

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

  const rpcPaths = ["/gatehouse.v1.ProjectService/Nothing", "/v1/nothing", "/nothing.v1.Service/Get"];
  const tooLarge = new Uint8Array(8 * 1024 * 1024 + 1).fill(0x20);
  const zstd = { "content-encoding": "zstd", "grpc-encoding": "zstd" };
  test.each<readonly [string, readonly WireRequest[], string, readonly number[], readonly number[]]>([
    ["an unknown path", rpcPaths.map((path) => ({ path, body: "" })), "ROUTE_NOT_FOUND", [404, 5], [200, 12]],
    [
      "a verb that the path does not take",
      ["GET", "PUT", "DELETE", "PATCH"].map((verb) => ({ verb, path: rpcPath })),
      "METHOD_NOT_ALLOWED",
      [405, 12],
      [405, 12],
    ],
    [
      "a message that is too large",
      [{ path: rpcPath, body: tooLarge }],
      "MESSAGE_TOO_LARGE",
      [413, 8],
      [200, 8],
    ],
    [
      "a compression that the service does not know",
      [{ path: rpcPath, body: gzipSync("{}"), headers: zstd }],
      "ENCODING_UNSUPPORTED",
      [415, 12],
      [200, 12],
    ],
  ])("%s", async (_what, requests, reason, inJson, inFrames) => {
    for (const request of requests) {
      const answers = await speak(onAll(request));
      const framed = [...inFrames, reason];
      expect(summarize(answers)).toEqual({ json: [...inJson, reason], grpc: framed, "grpc-web": framed });
      expectSameWords(answers);
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
