import { createServer, type IncomingMessage, request as send, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { KeyType } from "../../gen/gatehouse/v1/key_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import {
  clientCredentials,
  createGatehouse,
  type Gatehouse,
  GatehouseError,
  listAll,
  serviceKey,
  staticToken,
  type Tokens,
  watchEvents,
} from "../../src/client/client.ts";
import { type TestService, startService } from "../support/service.ts";
import { createServiceUser, createWorld, uniqueName, type World } from "../support/world.ts";

// The client of the package, against a service and a proxy that fails as networks do. That the package has it, and that it works from
// there, is held by test/process/package.test.ts.

let service: TestService;
let world: World;
let proxy: Proxy;
let gatehouse: Gatehouse;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
  proxy = await startProxy(service.port);
  gatehouse = createGatehouse({
    url: proxy.url,
    tokens: staticToken(service.adminToken),
    organizationId: world.organizationId,
  });
});
afterAll(async () => {
  await proxy.stop();
  await service.stop();
});

/** What becomes of a request: it never arrives, its answer is lost, it is refused on the way, or all is well. */
type Fate = "unsent" | "unanswered" | "refused" | "sent";

interface Proxy {
  readonly url: string;
  /** What becomes of the next requests; all later ones are sent. */
  fates: Fate[];
  /** The idempotency keys of the requests since the last look. */
  takeKeys(): readonly unknown[];
  /** Hears of each request. */
  onRequest: (url: string) => unknown;
  /** Cuts all connections. */
  cut(): void;
  stop(): Promise<void>;
}

async function startProxy(port: number): Promise<Proxy> {
  let keys: unknown[] = [];
  const forward = (request: IncomingMessage, answer: ServerResponse) => {
    keys.push(request.headers["idempotency-key"]);
    proxied.onRequest(request.url ?? "");
    const fate = proxied.fates.shift() ?? "sent";
    if (fate === "refused") return void answer.writeHead(503).end("try again");
    if (fate === "unsent") return void request.socket.destroy();
    const { method, url, headers } = request;
    const onward = send({ port, method, path: url, headers }, (found) => {
      if (fate === "unanswered") return void found.resume().once("end", () => request.socket.destroy());
      answer.writeHead(found.statusCode ?? 0, found.headers);
      found.pipe(answer);
    });
    onward.on("error", () => request.socket.destroy());
    answer.once("close", () => onward.destroy());
    request.pipe(onward);
  };
  const server = createServer(forward).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: own } = server.address() as AddressInfo; // it listens
  const proxied: Proxy = {
    url: `http://127.0.0.1:${own}`,
    fates: [],
    onRequest: () => {},
    takeKeys() {
      const taken = keys;
      keys = [];
      return taken;
    },
    cut: () => server.closeAllConnections(),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
  return proxied;
}

test("a call that fails on the way is sent again, and done once", async () => {
  const projects = gatehouse.client(ProjectService);
  const name = uniqueName("Retried");
  for (const fates of [["refused"], ["unsent"], ["unanswered"], ["unanswered", "refused"]] as const) {
    proxy.takeKeys();
    proxy.fates = [...fates];
    const { id } = await projects.addProject({ name });
    const keys = proxy.takeKeys();
    expect([keys.length, new Set(keys).size, typeof keys[0]]).toEqual([fates.length + 1, 1, "string"]);
    const found = await Array.fromAsync(listAll(projects.listProjects, { name }));
    expect(found.map((project) => project.id)).toEqual([id]);
    await projects.removeProject({ id });
  }
  proxy.takeKeys();
  proxy.fates = ["unsent"];
  await projects.listProjects({ pageSize: 1 });
  expect(proxy.takeKeys()).toEqual([undefined, undefined]);
});

test("what stays wrong is an error with its reason, and is not tried again", async () => {
  const projects = gatehouse.client(ProjectService);
  proxy.takeKeys();
  const refusals = [
    await projects.getProject({ id: "1" }).catch(GatehouseError.from),
    await projects.addProject({ name: "" }).catch(GatehouseError.from),
    await gatehouse.within("1").client(ProjectService).listProjects({}).catch(GatehouseError.from),
  ];
  expect(refusals).toMatchObject([
    {
      reason: "NOT_FOUND",
      info: { resource_type: "project" },
      requestId: expect.any(String),
      violations: [],
    },
    { reason: "FIELD_INVALID", violations: [{ field: "name" }] },
    { reason: "NOT_FOUND" },
  ]);
  expect(proxy.takeKeys()).toHaveLength(3);
  const hasty = createGatehouse({ url: proxy.url, tokens: staticToken(service.adminToken), retries: 0 });
  for (const fate of ["unsent", "refused"] as const) {
    proxy.fates = [fate];
    const lost = await hasty.client(OrganizationService).listOrganizations({}).catch(GatehouseError.from);
    expect(lost).toMatchObject({ reason: fate === "unsent" ? "UNREACHABLE" : "UNKNOWN" });
  }
});

test("a list is read to its end, page by page", async () => {
  const projects = gatehouse.client(ProjectService);
  const projectId = world.projectId;
  const roles = Array.from({ length: 7 }, (_, index) => ({ roleKey: `list-${index}` }));
  await projects.bulkAddProjectRoles({ projectId, roles });
  const found = await Array.fromAsync(listAll(projects.listProjectRoles, { projectId, pageSize: 2 }));
  const keys: readonly string[] = found.map(({ key }) => key);
  expect(keys).toEqual(["reader", "writer", ...roles.map(({ roleKey }) => roleKey)]);
});

test("programs get tokens with their secret or their key, again when one is refused", async () => {
  const { id: userId } = await createServiceUser(service, world.organizationId);
  const users = gatehouse.client(UserService);
  const { clientSecret } = await users.generateServiceUserSecret({ userId });
  const { keyDetails } = await users.addServiceUserKey({ userId, type: KeyType.JSON });
  for (const tokens of [clientCredentials({ clientId: userId, clientSecret }), serviceKey(keyDetails)]) {
    const own = createGatehouse({ url: service.url, tokens }).client(UserService);
    const { user } = await own.getMyUser({});
    expect(user?.id).toBe(userId);
    const before = await tokens.get(service.url);
    expect(await tokens.get(service.url)).toBe(before);
    const stale: Tokens = {
      get: (origin, refused) =>
        refused === undefined ? Promise.resolve("stale") : tokens.get(origin, before),
    };
    const late = createGatehouse({ url: service.url, tokens: stale }).client(UserService);
    expect((await late.getMyUser({})).user?.id).toBe(userId);
    expect(await tokens.get(service.url)).not.toBe(before);
  }
  const wrong = clientCredentials({ clientId: userId, clientSecret: "wrong" });
  const refused = createGatehouse({ url: service.url, tokens: wrong }).client(UserService).getMyUser({});
  await expect(refused).rejects.toThrow(/invalid_client/);
});

test("a watch goes on where it was when the connection fails, without a gap or a repeat", async () => {
  const projects = gatehouse.client(ProjectService);
  const { id } = await projects.addProject({ name: uniqueName("Watched") });
  const abort = new AbortController();
  const names: unknown[] = [];
  let seen = () => {};
  const watching = (async () => {
    for await (const event of watchEvents(gatehouse, { aggregateId: id, afterSequence: 0n }, abort)) {
      names.push(event.payload?.["name"]);
      seen();
    }
  })();
  const until = async (count: number) => {
    while (names.length < count)
      await new Promise<void>((resolve) => {
        seen = resolve;
      });
  };
  await until(1);
  const expected = [...names];
  for (let round = 0; round < 3; round += 1) {
    if (round === 1) proxy.fates = ["refused"];
    proxy.cut();
    for (const part of ["a", "b"]) {
      const name = uniqueName(`Watched ${part}`);
      await projects.updateProject({ id, name });
      expected.push(name);
    }
    await until(expected.length);
  }
  expect(names).toEqual(expected);
  abort.abort();
  await watching;
});

test("a watch without a sequence begins now", async () => {
  const projects = gatehouse.client(ProjectService);
  const { id } = await projects.addProject({ name: uniqueName("Watched before") });
  const watch = watchEvents(gatehouse, { aggregateId: id });
  const next = watch.next();
  await new Promise<void>((resolve) => {
    proxy.onRequest = (url) => /WatchEvents/.test(url) && resolve();
  });
  const name = uniqueName("Watched later");
  await projects.updateProject({ id, name });
  expect((await next).value?.payload).toMatchObject({ name });
  await watch.return();
});
