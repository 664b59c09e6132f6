import { describe, expect, test } from "@jest/globals";
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { idOf, uniqueName } from "../support/world.ts";
import { openConnection } from "./support/connection.ts";
import { type ConnectedService, usePlaces, useServedPlaces } from "./support/place.ts";
import { dump } from "./support/tables.ts";

const createPlace = usePlaces();
const createServedPlace = useServedPlaces(createPlace);
const { addProject, getProject } = ProjectService.method;

/**
 * Gives the command a file system of that size in memory, which only it sees and which is gone when it ends. A machine
 * that allows no such thing fails the test by the words of unshare or mount.
 */
function onSmallDisk(path: string, size: string, script = 'exec "$@"'): readonly string[] {
  mkdirSync(path);
  const namespaces = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const mount = `mount -t tmpfs -o size=${size},mode=700 tmpfs "$0"`;
  return ["unshare", "--mount", ...namespaces, "sh", "-c", `${mount} && ${script}`, path];
}

/** Runs a command where that process sees its disk. */
function beside(pid: number | undefined): readonly string[] {
  const namespaces = process.getuid?.() === 0 ? [] : ["--user", "--preserve-credentials"];
  return ["nsenter", "--target", String(pid), "--mount", ...namespaces];
}

function fill(file: string): void {
  const descriptor = openSync(file, "w");
  const written: number[] = [];
  try {
    for (const bytes of [65_536, 4096, 1]) writeUntilFull(descriptor, Buffer.alloc(bytes), written);
  } finally {
    closeSync(descriptor);
  }
  expect(written.length).toBeGreaterThan(0);
}

function writeUntilFull(descriptor: number, bytes: Uint8Array, written: number[]): void {
  for (;;) {
    try {
      written.push(writeSync(descriptor, bytes));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOSPC") return; // of node:fs
      throw error;
    }
  }
}

/** Adds projects until that fails. Returns the ids of those that were acknowledged, and how it failed. */
async function addUntilFailure(service: ConnectedService, lane: "json" | "grpc") {
  const acknowledged: string[] = [];
  for (;;) {
    const outcome = await service.clients[lane]
      .call(addProject, { name: uniqueName("Project") }, { token: service.adminToken })
      .catch(() => "cut" as const);
    if (outcome === "cut" || outcome.kind !== "answer") return { acknowledged, outcome };
    acknowledged.push(idOf(outcome.json, "id"));
  }
}

describe("a full disk", () => {
  test("refuses writes as UNAVAILABLE, serves reads, loses nothing, and takes writes again when there is room", async () => {
    const place = createPlace();
    const through = onSmallDisk(place.path, "4m");
    const serving = await place.serve([], {}, { through });
    // As the process sees it.
    const inside = `/proc/${serving.child.pid}/root${place.path}`;
    const service = place.connect(serving, readFileSync(join(inside, "admin.token"), "utf8").trim());

    fill(join(inside, "filler"));
    const { acknowledged, outcome } = await addUntilFailure(service, "grpc");
    expect(outcome).toMatchObject({ kind: "error", status: { code: 14 } });
    const refused = await fetch(`${serving.url}/v1/projects`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.adminToken}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "refused" }),
    });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    for (const id of acknowledged) await service.call(getProject, { id });
    expect((await fetch(`${serving.url}/readyz`)).status).toBe(200);
    const examine = () => place.run(["doctor"], {}, { through: beside(serving.child.pid) });
    const examined = await examine();
    expect(examined).toMatchObject({ code: 1, stderr: "" });
    expect(examined.stdout.split("\n").filter((line) => line.startsWith("FAILED"))).toEqual([
      expect.stringMatching(/^FAILED {2}disk: 0 MiB free where the folder is; make room$/),
    ]);

    rmSync(join(inside, "filler"));
    const later = idOf(await service.call(addProject, { name: "refused" }), "id");
    for (const id of [...acknowledged, later]) await service.call(getProject, { id });
    expect((await examine()).stdout).toContain("\nok      tables: ");
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

test("a rebuild that has no room says so in one line", async () => {
  const place = await createServedPlace();
  const kept = `${place.path}.kept`;
  renameSync(place.path, kept);
  // Room to open the database, and less than a rebuild writes.
  const filled =
    'cp -a "$0.kept/." "$0" && ! cat /dev/zero 2>&- >"$0/filler" && truncate -s -49152 "$0/filler"';
  const through = onSmallDisk(place.path, "1m", `${filled} && exec "$@"`);
  const { code, stdout, stderr } = await place.run(["rebuild"], {}, { through });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(
    /^gatehouse: the storage does not take changes[^\n]* \(database or disk is full\)\n$/,
  );
});

test("a write that the disk does not take in another way ends the process; what was acknowledged is there", async () => {
  const place = await createServedPlace();
  // No file may grow beyond 600 blocks of 512 bytes: a write that fails with EFBIG, which SQLite knows as an I/O error.
  const through = ["sh", "-c", 'ulimit -f 600; exec "$@"', "sh"];
  const serving = await place.serve([], {}, { through });
  const { acknowledged, outcome } = await addUntilFailure(place.connect(serving), "json");
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

describe("a clock that is set back", () => {
  const preload = join(import.meta.dirname, "support/stepped-clock.ts");
  const hourMs = 3_600_000;
  const off = (stepMs: number) => ({ NODE_OPTIONS: `--import ${preload}`, CLOCK_STEP_MS: String(stepMs) });
  const add = async (service: ConnectedService) => {
    const answer = await service.call(addProject, { name: uniqueName("Project") });
    const { sequence } = answer["details"] as { sequence: string };
    return { id: idOf(answer, "id"), sequence: Number(sequence) };
  };
  const addSome = async (service: ConnectedService) => {
    const added: { readonly id: string; readonly sequence: number }[] = [];
    for (let count = 0; count < 10; count += 1) added.push(await add(service));
    return added;
  };

  test("does not turn sequences back, nor make an id twice, while serving and across a start", async () => {
    const place = createPlace();
    const serving = await place.serve([], off(0));
    const before = await addSome(place.connect(serving));
    serving.child.kill("SIGUSR2");
    await serving.logged("clock.stepped");
    const stepped = await addSome(place.connect(serving));
    expect(await serving.stop()).toBe(0);
    const again = await place.serve([], off(-hourMs));
    const restarted = await addSome(place.connect(again));
    expect(await again.stop()).toBe(0);

    const all = [...before, ...stepped, ...restarted];
    const sequences = all.map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.toSorted((left, right) => left - right));
    expect(new Set(sequences).size).toBe(all.length);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(dump(place.file("gatehouse.db"), ["projects"])["projects"]).toHaveLength(all.length);
    const examined = await place.run(["doctor"], off(-hourMs));
    expect(examined.code).toBe(0);
    expect(examined.stdout).toMatch(
      /\nwarning clock: the last event is 3\d{3} s in the future; set the clock, or wait/,
    );
  });

  test("lets a token live by the clock on the wall", async () => {
    const place = createPlace();
    const serving = await place.serve();
    const service = place.connect(serving);
    const { user } = await service.call(UserService.method.getMyUser, {});
    const made = await service.call(UserService.method.addPersonalAccessToken, {
      userId: (user as { id: string }).id,
      expirationDate: { seconds: BigInt(Math.floor((Date.now() + hourMs / 2) / 1000)), nanos: 0 },
    });
    const token = idOf(made, "token");
    expect(await serving.stop()).toBe(0);
    const statusAt = async (stepMs: number) => {
      const later = await place.serve([], off(stepMs));
      const headers = { authorization: `Bearer ${token}` };
      const { status } = await fetch(`${later.url}/v1/users/me`, { headers });
      expect(await later.stop()).toBe(0);
      return status;
    };
    expect(await statusAt(hourMs)).toBe(401);
    expect(await statusAt(-hourMs)).toBe(200);
  });
});
