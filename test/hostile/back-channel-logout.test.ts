// Receivers of logout tokens that mean harm, or are broken (OpenID Connect Back-Channel Logout 1.0): others hear at once.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ServerResponse } from "node:http";
import { SessionService } from "../../gen/gatehouse/v1/session_service_pb.ts";
import { eventually } from "../kernel/http/support/sockets.ts";
import { createApplication } from "../sites/oidc/support/application.ts";
import { browse, getTokens, signIn } from "../sites/oidc/support/signed-in.ts";
import {
  claimsOf,
  type LogoutAnswer,
  type LogoutReceiver,
  startLogoutReceiver,
} from "../sites/oidc/support/logout-receiver.ts";
import { type LoopbackServer, startTcp } from "../kernel/outbound/loopback-server.ts";
import { startService, type TestService } from "../support/service.ts";
import { createHumanUser, createProject, createWorld } from "../support/world.ts";

let service: TestService;
let receiver: LogoutReceiver;
let secret: LoopbackServer;
let place: { readonly organizationId: string; readonly projectId: string };
beforeAll(async () => {
  receiver = await startLogoutReceiver();
  secret = await startTcp((socket) => socket.end());
  service = await startService({ dev: true });
  const { organizationId } = await createWorld(service);
  place = { organizationId, projectId: await createProject(service, organizationId) };
});
afterAll(async () => {
  receiver.close();
  await secret.close();
  await service.stop();
});

const hostile: Readonly<Record<string, LogoutAnswer>> = {
  hangs: () => {},
  "answers 500": (response) => response.writeHead(500).end("a".repeat(1_000_000)),
  "redirects to a private address": (response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${secret.port}/` }).end(),
  "has a body without end": (response) => pour(response.writeHead(500)),
  "trickles its headers": (response) => trickle(response),
  "cuts the connection": (response) => response.destroy(),
  "sends what is not HTTP": (response) => response.socket?.end("220 mail.example ESMTP\r\n"),
  "has huge headers": (response) => response.writeHead(500, { "x-huge": "a".repeat(200_000) }).end(),
};

test("nobody waits for receivers that mean harm, and no private address sees a connection", async () => {
  // The good one is on a host of its own name, as others' hosts are.
  const good = receiver.open().replace("127.0.0.1", "localhost");
  const closed = await startTcp(() => {});
  await closed.close();
  const urls = [
    ...Object.values(hostile).map((answer) => receiver.open(answer)),
    `http://127.0.0.1:${closed.port}/`,
  ];
  const listen = (backChannelLogoutUri: string) =>
    createApplication(service, place, { devMode: true, backChannelLogoutUri });
  const bad = await Promise.all(urls.map(listen));
  const application = await listen(good);
  const browsers = [];
  const tokens = [];
  for (let index = 0; index < 5; index++) {
    const browser = await signIn(service, await createHumanUser(service, place.organizationId));
    browsers.push(browser);
    for (const each of [...bad, application]) tokens.push(await getTokens(service, each, { browser }));
  }
  const told = () =>
    receiver.at(good.replace("localhost", "127.0.0.1")).map((received) => claimsOf(received).sid);
  const begun = performance.now();
  const [first, ...others] = browsers;
  const hint = tokens.find(({ idToken }) => claimsOf({ token: idToken } as never).sid === first?.sessionId);
  const path = `/oidc/v1/end_session?id_token_hint=${hint?.idToken ?? ""}`;
  expect((await browse(service, path, { cookie: first?.cookie })).status).toBe(200);
  for (const { sessionId } of others)
    await service.call(SessionService.method.terminateSession, { sessionId });
  const answered = performance.now() - begun;
  await eventually(() => told().length === 5);
  const heard = performance.now() - begun;
  process.stderr.write(`answered within ${answered.toFixed()} ms, heard within ${heard.toFixed()} ms\n`);
  expect(heard).toBeLessThan(4000); // those that hang are given up after 5 s
  // The tries of the bad ones are made again and again until they are dropped; the good one hears nothing more.
  for (const pauseMs of [10_000, 60_000, 60_000]) {
    await eventually(async () => (await waiting()).every((nextMs) => nextMs > service.clock.nowMs()));
    await eventually(async () => (await underWay()) === 0);
    service.clock.turn(pauseMs);
  }
  await eventually(async () => (await waiting()).length === 0);
  expect([told().length, new Set(told())]).toEqual([5, new Set(browsers.map(({ sessionId }) => sessionId))]);
  expect(secret.connectionCount()).toBe(0);
  const dropped = service.log().match(/logout_token\.dropped/g) ?? [];
  expect(dropped).toHaveLength(5 * bad.length);
}, 200_000);

/** The instants of the next tries of all notices. */
async function waiting(): Promise<readonly number[]> {
  const rows = await service.context.database.read((tx) =>
    tx.all<{ next_ms: number }>("SELECT next_ms FROM logout_notices"),
  );
  return rows.map(({ next_ms: nextMs }) => nextMs);
}

/** The number of notices that a try is under way for: their next one is not at the end of a pause. */
async function underWay(): Promise<number> {
  const nowMs = service.clock.nowMs();
  return (await waiting()).filter((nextMs) => ![10_000, 60_000].includes(nextMs - nowMs)).length;
}

function pour(response: ServerResponse): void {
  const write = () => {
    if (!response.destroyed) response.write("a".repeat(10_000), () => setImmediate(write));
  };
  write();
}

function trickle(response: ServerResponse): void {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\n");
  const timer = setInterval(() => {
    if (socket === null || socket.destroyed) clearInterval(timer);
    else socket.write("x-a: b\r\n");
  }, 100);
}
