import { describe, expect, test } from "@jest/globals";
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Health } from "../../gen/grpc/health/v1/health_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { idOf, uniqueName } from "../support/world.ts";
import { openConnection } from "./support/connection.ts";
import { type ConnectedService, usePlaces, useServedPlaces } from "./support/place.ts";
import { fill, onSmallDisk } from "./support/small-disk.ts";

const createPlace = usePlaces();
const createServedPlace = useServedPlaces(createPlace);
const { addProject, getProject } = ProjectService.method;

/** Adds projects until that fails. Returns the ids of those that were acknowledged, and how it failed. */
async function addUntilFailure(service: ConnectedService) {
  const acknowledged: string[] = [];
  for (;;) {
    const outcome = await service.clients.json
      .call(addProject, { name: uniqueName("Project") }, { token: service.adminToken })
      .catch(() => "cut" as const);
    if (outcome === "cut" || outcome.kind !== "answer") return { acknowledged, outcome };
    acknowledged.push(idOf(outcome.json, "id"));
  }
}

/** Returns what /readyz answers, and grpc.health.v1. */
async function readinessOf({ url, clients }: ConnectedService) {
  const { status } = await fetch(`${url}/readyz`);
  const outcome = await clients.grpc.call(Health.method.check, {}, {});
  return { status, health: outcome.kind === "answer" ? outcome.json["status"] : outcome };
}

describe("a full disk", () => {
  test("is no reason to send callers elsewhere: /readyz says 200, reads are served, changes refused until there is room", async () => {
    const place = await createServedPlace();
    const token = place.adminToken();
    renameSync(place.path, `${place.path}.kept`);
    const through = onSmallDisk(place.path, "4m", 'cp -a "$0.kept/." "$0" && exec "$@"');
    const serving = await place.serve([], {}, { through });
    const service = place.connect(serving, token);
    const filler = join(`/proc/${serving.child.pid}/root${place.path}`, "filler");
    fill(filler);
    const add = () => service.clients.json.call(addProject, { name: uniqueName("Project") }, { token });
    let outcome = await add();
    while (outcome.kind === "answer") outcome = await add(); // into the room that the files have already
    expect(outcome).toMatchObject({ httpStatus: 503, status: { code: 14 } });
    expect(await readinessOf(service)).toEqual({ status: 200, health: "SERVING" });
    expect(await service.call(UserService.method.getMyUser, {})).toMatchObject({
      user: { username: "admin" },
    });
    rmSync(filler);
    expect(await add()).toMatchObject({ kind: "answer" });
    expect(await serving.stop()).toBe(0);
  });

  test("refuses a first start with a line that says so, and keeps nothing of it", async () => {
    const place = createPlace();
    const through = onSmallDisk(place.path, "128k", '{ "$@"; code=$?; ls -A "$0"; exit $code; }');
    const { code, stdout, stderr } = await place.run(["serve", "--listen", "127.0.0.1:0"], {}, { through });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "gatehouse.lock\n" });
    expect(stderr).toMatch(/^gatehouse: [^\n]*(disk is full|no space left)[^\n]*\n$/);
  });
});

test("a database whose file cannot be read is not ready, though all that is asked for is in memory", async () => {
  const place = await createServedPlace();
  const serving = await place.serve();
  const service = place.connect(serving);
  expect(await readinessOf(service)).toEqual({ status: 200, health: "SERVING" });
  const descriptor = openSync(place.file("gatehouse.db"), "r+");
  const header = Buffer.alloc(16);
  readSync(descriptor, header, 0, header.length, 0);
  writeSync(descriptor, Buffer.alloc(header.length), 0, header.length, 0);
  expect(await readinessOf(service)).toEqual({ status: 503, health: "NOT_SERVING" });
  expect((await fetch(`${serving.url}/healthz`)).status).toBe(200);
  writeSync(descriptor, header, 0, header.length, 0);
  closeSync(descriptor);
  expect(await readinessOf(service)).toEqual({ status: 200, health: "SERVING" });
  expect(await serving.stop()).toBe(0);
});

test("a rebuild that has no room says so in one line", async () => {
  const place = await createServedPlace();
  const kept = `${place.path}.kept`;
  renameSync(place.path, kept);
  // Room to open the database, and less than a rebuild writes.
  const filled =
    'cp -a "$0.kept/." "$0" && ! cat /dev/zero 2>&- >"$0/filler" && truncate -s -49152 "$0/filler"';
  const through = onSmallDisk(place.path, "2m", `${filled} && exec "$@"`);
  const { code, stdout, stderr } = await place.run(["rebuild"], {}, { through });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^gatehouse: the storage accepts no changes[^\n]* \(database or disk is full\)\n$/);
});

test("a write that the disk does not take in another way ends the process; what was acknowledged is there", async () => {
  const place = await createServedPlace();
  // No file may grow beyond 600 blocks of 512 bytes: a write that fails with EFBIG, which SQLite knows as an I/O error.
  const through = ["sh", "-c", 'ulimit -f 600; exec "$@"', "sh"];
  const serving = await place.serve([], {}, { through });
  const { acknowledged, outcome } = await addUntilFailure(place.connect(serving));
  expect(outcome).toBe("cut");
  expect(await serving.exited).toBe(1);
  expect(await serving.logged("storage.lost_write")).toMatchObject({ level: 60 });
  const again = await place.serve();
  const service = place.connect(again);
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const id of acknowledged) await service.call(getProject, { id });
  expect(await again.stop()).toBe(0);
  expect(await place.run(["doctor"])).toMatchObject({ code: 0 });
});

test("a low limit on open files costs connections, not the service", async () => {
  const place = createPlace();
  const through = ["sh", "-c", 'ulimit -n 160; exec "$@"', "sh"];
  const serving = await place.serve([], {}, { through });
  const connections = await Promise.all(Array.from({ length: 200 }, () => openConnection(serving.url)));
  // Those beyond the limit are closed; the others are cut here.
  await Promise.race(connections.map(({ closed }) => closed));
  for (const { socket } of connections) socket.destroy();
  await Promise.all(connections.map(({ closed }) => closed));
  while (!(await isHealthy(serving.url))); // the service has yet to hear that they are closed
  const service = place.connect(serving);
  await service.call(addProject, { name: "afterwards" });
  expect(await serving.stop()).toBe(0);
});

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}
