import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer as createHttpServer, type Server, type ServerResponse } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createHumanUser, createProject, idOf, nextPhone, samlMetadata } from "../support/world.ts";
import type { ServingProcess } from "../support/process.ts";
import { openConnection, untilRefused } from "./support/connection.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { fixture } from "./support/secure.ts";

const createPlace = usePlaces();

/** Far more than a stop takes that waits for nothing, far less than one that waits for a time-out. */
const promptMs = 4000;

/** Sends the head of a call, and returns the connection when the service waits for the body. */
async function beginCall(place: Place, serving: ServingProcess, name: string) {
  const body = JSON.stringify({ name });
  const connection = await openConnection(serving.url);
  connection.send(
    [
      "POST /v1/projects HTTP/1.1",
      "host: localhost",
      `authorization: Bearer ${place.adminToken()}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "expect: 100-continue",
      "\r\n",
    ].join("\r\n"),
  );
  await connection.until(/^HTTP\/1\.1 100 /);
  return { connection, body };
}

async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const startedMs = performance.now();
  const result = await work;
  return { result, ms: performance.now() - startedMs };
}

describe.each(["SIGTERM", "SIGINT"] as const)("on %s", (signal) => {
  test("a call in flight finishes, new ones are refused, and the process ends with code 0", async () => {
    const place = createPlace();
    const serving = await place.serve();
    const { connection, body } = await beginCall(place, serving, "in flight");
    const idle = await openConnection(serving.url);
    idle.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await idle.until(/ok\n$/);
    serving.child.kill(signal);
    expect(await serving.logged("service.stopping")).toMatchObject({ signal });
    await idle.closed;
    await untilRefused(serving.url);
    connection.send(body);
    const answer = await connection.closed;
    expect(answer).toContain("HTTP/1.1 200 OK");
    expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n");
    expect(await serving.exited).toBe(0);
    await serving.logged("service.stopped");

    const { stdout } = await place.run(["events", "--event-type", "project.added"]);
    expect(stdout).toContain('"in flight"');
  });
});

describe("a stop", () => {
  let metadata: Server;
  let asked: Promise<ServerResponse>;

  beforeAll(async () => {
    metadata = createHttpServer().listen(0, "127.0.0.1");
    await once(metadata, "listening");
    asked = once(metadata, "request").then(([, response]) => response as ServerResponse); // arguments of "request"
  });

  afterAll(() => {
    metadata.closeAllConnections();
    metadata.close();
  });

  test("does not wait for idle connections, nor for streams that never end", async () => {
    const place = createPlace();
    const serving = await place.serve();
    const silent = await openConnection(serving.url);
    const half = await openConnection(serving.url);
    half.send("POST /v1/projects HTTP/1.1\r\nhost:");
    const session = connectHttp2(serving.url);
    const health = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Watch",
      "content-type": "application/grpc",
      te: "trailers",
    });
    health.end(Buffer.alloc(5));
    await once(health.resume(), "response");
    const unused = connectHttp2(serving.url);
    await once(unused, "remoteSettings");
    const closed = Promise.all([
      silent.closed,
      half.closed,
      once(session, "close"),
      once(unused, "close"),
      once(health, "close"),
    ]);
    const { result, ms } = await timed(serving.stop());
    expect(result).toBe(0);
    expect(ms).toBeLessThan(promptMs);
    await closed;
  });

  test("lets a call on HTTP/2 finish that waits for another server, and refuses others on its connection", async () => {
    const place = createPlace();
    const serving = await place.serve(["--dev"]);
    const service = place.connect(serving);
    const { address, port } = metadata.address() as AddressInfo; // it listens on TCP
    const organization = await service.call(OrganizationService.method.addOrganization, { name: "O" });
    const organizationId = idOf(organization, "organizationId");
    const projectId = await createProject(service, organizationId);
    const call = { token: service.adminToken, headers: { "x-service-orgid": organizationId } };
    const outcome = service.clients.grpc.call(
      ApplicationService.method.createSamlApplication,
      { projectId, name: "A", metadataUrl: `http://${address}:${port}/metadata` },
      call,
    );
    const response = await asked;
    const stopped = serving.stop();
    await serving.logged("service.stopping");
    const refused = await service.clients.grpc.call(ProjectService.method.listProjects, {}, call);
    response.end(samlMetadata("https://sp.example.com/stop"));
    expect(await outcome).toMatchObject({
      kind: "answer",
      json: { entityId: "https://sp.example.com/stop" },
    });
    expect(refused).toMatchObject({ kind: "error", status: { code: 14 } });
    expect(await stopped).toBe(0);
  });

  test("cuts a body that does not come after the configured time, and keeps nothing of the call", async () => {
    const place = createPlace();
    const serving = await place.serve(["--stop-timeout-ms", "200"]);
    const { connection, body } = await beginCall(place, serving, "cut");
    connection.send(body.slice(0, 5));
    const { result, ms } = await timed(serving.stop());
    expect(result).toBe(0);
    expect(ms).toBeLessThan(promptMs);
    expect(await connection.closed).not.toContain("HTTP/1.1 200");
  });

  test("gives up a message that its provider does not take, after the configured time", async () => {
    const provider = createHttpServer().listen(0, "127.0.0.1");
    await once(provider, "listening");
    const arrived = once(provider, "request");
    const { port } = provider.address() as AddressInfo; // it listens on TCP
    const place = createPlace();
    const serving = await place.serve(
      [
        "--sms-provider",
        "webhook",
        "--sms-webhook-url",
        `http://127.0.0.1:${port}`,
        "--stop-timeout-ms",
        "200",
      ],
      { GATEHOUSE_SMS_WEBHOOK_SECRET: "secret" },
    );
    const service = place.connect(serving);
    const organization = await service.call(OrganizationService.method.addOrganization, { name: "O" });
    const userId = await createHumanUser(service, idOf(organization, "organizationId"));
    const verification = { case: "sendCode" as const, value: {} };
    await service.call(UserService.method.setPhone, { userId, phone: nextPhone(), verification });
    await arrived;
    const { result, ms } = await timed(serving.stop());
    expect(result).toBe(0);
    expect(ms).toBeLessThan(promptMs);
    provider.closeAllConnections();
    provider.close();
  });

  test("does not wait for a TLS handshake that never begins", async () => {
    const place = createPlace();
    const serving = await place.serve([
      "--tls-cert",
      fixture("tls-cert.pem"),
      "--tls-key",
      fixture("tls-key.pem"),
    ]);
    const silent = await openConnection(serving.url);
    const { result, ms } = await timed(serving.stop());
    expect(result).toBe(0);
    expect(ms).toBeLessThan(promptMs);
    await silent.closed;
  });
});
