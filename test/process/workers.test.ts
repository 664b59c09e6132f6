import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { Agent, get } from "node:http";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createServiceUser, createWorld, idOf, uniqueName } from "../support/world.ts";
import type { ServingProcess } from "../support/process.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { untilReplaced, workersOf } from "./support/workers.ts";

const newPlace = usePlaces();
const agents: Agent[] = [];

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Returns a client with a connection of its own. New connections go to the worker with the fewest. */
function connectOnce(url: string): (path: string) => Promise<string> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return (path) =>
    new Promise((resolve, reject) => {
      const sent = get(`${url}${path}`, { agent }, (response) => void text(response).then(resolve, reject));
      sent.on("error", reject);
    });
}

/** Says how many milliseconds it takes until a new connection is answered. */
async function timeOfNew(url: string): Promise<number> {
  const startMs = performance.now();
  expect(await connectOnce(url)("/healthz")).toBe("ok\n");
  return performance.now() - startMs;
}

afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});

describe("serve --workers 2", () => {
  let place: Place;
  let serving: ServingProcess;
  beforeAll(async () => {
    place = newPlace();
    serving = await place.serve(["--workers", "2"]);
  });

  test("what one worker has answered, the other knows at the next call, a removed token too", async () => {
    // Each client has a connection of its own, so they are dealt out in turn.
    const [one, other] = [place.connect(serving), place.connect(serving)];
    const { organizationId } = await createWorld(one);
    const { id: userId } = await createServiceUser(one, organizationId, "ORGANIZATION_OWNER");
    const made = await one.call(UserService.method.addPersonalAccessToken, { userId });
    const token = idOf(made, "token");
    for (let round = 0; round < 20; round++) {
      const name = uniqueName("project");
      const id = idOf(await one.call(ProjectService.method.addProject, { name }, token), "id");
      const read = await other.call(ProjectService.method.getProject, { id }, token);
      expect(read).toMatchObject({ project: { name } });
    }
    await one.call(UserService.method.removePersonalAccessToken, { userId, tokenId: idOf(made, "tokenId") });
    const refused = other.call(ProjectService.method.listProjects, {}, token);
    await expect(refused).rejects.toThrow("TOKEN_INVALID");
  });

  test("the metrics are those of all, with a label", async () => {
    const [one, other] = [connectOnce(serving.url), connectOnce(serving.url)];
    await one("/healthz");
    const metrics = await other("/metrics");
    const open = [...metrics.matchAll(/^gatehouse_connections\{worker="(\d)"\} (\d+)$/gm)];
    expect(open.map(([, worker]) => worker)).toEqual(["0", "1"]);
    expect(open.every(([, , count]) => Number(count) > 0)).toBe(true);
    expect(metrics.match(/^# TYPE gatehouse_connections gauge$/gm)).toHaveLength(1);
  });

  test("a worker that is killed is replaced, and the port stays open", async () => {
    const [first = 0] = workersOf(serving);
    process.kill(first, "SIGKILL");
    for (let count = 0; count < 20; count++) expect(await connectOnce(serving.url)("/healthz")).toBe("ok\n");
    await untilReplaced(serving, first);
    expect(await serving.logged("worker.ended")).toMatchObject({ signal: "SIGKILL" });
  });

  test("a worker that stands still keeps no new connection for longer than a second, nor the turn to write", async () => {
    const [first = 0] = workersOf(serving);
    process.kill(first, "SIGSTOP");
    const times = await Promise.all(Array.from({ length: 20 }, () => timeOfNew(serving.url)));
    expect(Math.max(...times)).toBeLessThan(1000);
    const caller = place.connect(serving);
    await caller.call(ProjectService.method.addProject, { name: uniqueName("project") });
    await untilReplaced(serving, first);
    expect(await serving.logged("worker.killed")).toMatchObject({ reason: "stopped" });
  });

  test("other processes find the folder taken", async () => {
    for (const count of ["1", "2"]) {
      const { code, stderr } = await place.run(["serve", "--workers", count, "--listen", "127.0.0.1:0"]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining("another process is using the data folder"),
      ]);
    }
    expect((await place.run(["token", "create"])).code).toBe(1);
    expect((await place.run(["doctor"])).code).toBe(0);
  });

  test("one SIGTERM stops all, in order", async () => {
    const idle = createConnection(Number(new URL(serving.url).port), "127.0.0.1");
    await once(idle, "connect");
    const workers = workersOf(serving);
    expect(workers).toHaveLength(2);
    expect(await serving.stop()).toBe(0);
    idle.destroy();
    for (const worker of workers) expect(() => process.kill(worker, 0)).toThrow("ESRCH");
    expect(serving.stderr().match(/"service\.stopped"/g)).toHaveLength(2);
    expect((await place.run(["doctor"])).code).toBe(0);
  });
});

test("workers end with the process that has begun them, and free the folder", async () => {
  const place = newPlace();
  const serving = await place.serve(["--workers", "2"]);
  const workers = workersOf(serving);
  serving.child.kill("SIGKILL");
  await once(serving.child, "exit");
  while (workers.some(isThere)) await pause(50);
  const next = await place.serve();
  expect(await next.stop()).toBe(0);
});

test("a start that fails says why once, with the code of a single process", async () => {
  const place = newPlace();
  await (await place.serve()).stop();
  rmSync(place.file("master.key"));
  const [alone, together] = [
    await place.run(["serve", "--listen", "127.0.0.1:0"]),
    await place.run(["serve", "--workers", "2", "--listen", "127.0.0.1:0"]),
  ];
  expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining("master.key is missing")]);
  expect(together).toEqual(alone);
});

test.each(["0", "65", "many", "-1"])("--workers %s is refused", async (count) => {
  const { code, stderr } = await newPlace().run(["serve", "--workers", count]);
  expect([code, stderr]).toEqual([2, "gatehouse: --workers must be a number from 1 to 64, or auto\n"]);
});
