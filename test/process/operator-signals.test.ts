import { describe, expect, test } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { parseLog, type ServingProcess } from "../support/process.ts";
import { openConnection } from "./support/connection.ts";
import { finish, type Place, usePlaces, useServedPlaces } from "./support/place.ts";

const createPlace = usePlaces();
const createServedPlace = useServedPlaces(createPlace);
const entry = join(import.meta.dirname, "../../src/main.ts");

/** Sends the head of a call that adds a project, and returns what sends the rest. */
async function beginCall(place: Place, serving: ServingProcess) {
  const body = JSON.stringify({ name: "in flight" });
  const connection = await openConnection(serving.url);
  const head = [
    "POST /v1/projects HTTP/1.1",
    "host: localhost",
    `authorization: Bearer ${place.adminToken()}`,
    "content-type: application/json",
    `content-length: ${body.length}`,
    "expect: 100-continue",
    "\r\n",
  ];
  connection.send(head.join("\r\n"));
  await connection.until(/^HTTP\/1\.1 100 /);
  return { connection, end: () => connection.send(body) };
}

describe("signals", () => {
  test("Ctrl-C that comes twice, as under npm, is one: the call in flight ends", async () => {
    const place = createPlace();
    const serving = await place.serve();
    const call = await beginCall(place, serving);
    serving.child.kill("SIGINT");
    await serving.logged("service.stopping");
    serving.child.kill("SIGINT");
    call.end();
    expect(await call.connection.closed).toContain("HTTP/1.1 200 OK");
    expect(await serving.exited).toBe(0);
  });

  test("SIGTERM after SIGINT ends the process at once, and harms nothing", async () => {
    const place = createPlace();
    const serving = await place.serve();
    const call = await beginCall(place, serving);
    serving.child.kill("SIGINT");
    await serving.logged("service.stopping");
    serving.child.kill("SIGTERM");
    expect(await serving.exited).toBe(1);
    await call.connection.closed;
    expect(await place.run(["doctor"])).toMatchObject({ code: 0 });
    expect(await (await place.serve()).stop()).toBe(0);
  });

  test("SIGTERM during a start ends it, and the next start serves", async () => {
    const place = createPlace();
    const starting = place.start(["serve", "--listen", "127.0.0.1:0"]);
    await starting.logged("instance.created");
    starting.child.kill("SIGTERM");
    expect(await finish(starting)).toMatchObject({ code: 0 });
    expect(parseLog(starting.stderr()).map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(["service.stopping", "service.stopped"]),
    );
    const again = await place.serve();
    await place.connect(again).call(ProjectService.method.listProjects, {});
    expect(await again.stop()).toBe(0);
  });

  test("SIGHUP is an orderly stop when stdin is a terminal, which was closed", async () => {
    const place = createPlace();
    const log = `${place.path}.log`;
    // script(1) of util-linux gives the command a terminal. It is told to end, which closes it.
    const command = `'${process.execPath}' '${entry}' serve --listen 127.0.0.1:0 --data '${place.path}' 2>'${log}'`;
    const terminal = spawn("script", ["--quiet", "--return", "--command", `exec ${command}`, "/dev/null"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: process.env["PATH"] },
    });
    let shown = "";
    await new Promise<void>((resolve, reject) => {
      terminal.stdout.on("data", (chunk: Buffer) => {
        shown += chunk.toString();
        if (shown.includes("gatehouse ready")) resolve();
      });
      terminal.once("error", reject);
      terminal.once("close", () => reject(new Error(`no service in the terminal: ${shown}`)));
    });
    terminal.kill("SIGKILL"); // what was a window is gone
    await once(terminal, "close");
    await untilTrue(() => !isHeld(place));
    const events = parseLog(readFileSync(log, "utf8"));
    expect(events.find(({ msg }) => msg === "service.stopping")).toMatchObject({ signal: "SIGHUP" });
    await untilTrue(() => readFileSync(log, "utf8").includes("service.stopped"));
  });
});

describe("a reader that is gone", () => {
  const outputs = [
    ["stdout on a full disk", 'exec "$@" >/dev/full'],
    ["stderr on a full disk", 'exec "$@" 2>/dev/full'],
    ["stdout closed", 'exec "$@" >&-'],
    ["stdout and stderr read by nobody", 'exec "$@"'],
  ] as const;

  test.each(outputs)("%s: the service goes on, and stops in order", async (name, script) => {
    const place = createPlace();
    const port = await freePort();
    const through = ["sh", "-c", script, "sh"];
    const running = place.start(["serve", "--listen", `127.0.0.1:${port}`], {}, { through });
    if (name.includes("nobody"))
      for (const stream of [running.child.stdout, running.child.stderr]) stream?.destroy();
    const url = `http://127.0.0.1:${port}`;
    await untilTrue(async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.status === 200);
    const headers = { authorization: `Bearer ${place.adminToken()}`, "content-type": "application/json" };
    const added = await fetch(`${url}/v1/projects`, { method: "POST", headers, body: '{"name": "P"}' });
    expect(added.status).toBe(200);
    running.child.kill("SIGTERM");
    expect(await running.exited).toBe(0);
  });

  test("a token that cannot be printed is a failure", async () => {
    const place = await createServedPlace();
    const through = ["sh", "-c", 'exec "$@" >/dev/full', "sh"];
    expect(await place.run(["token", "create"], {}, { through })).toEqual({
      code: 1,
      stdout: "",
      stderr: "gatehouse: stdout cannot be written: ENOSPC: no space left on device, write\n",
    });
  });
});

/** Waits for a condition that nothing announces. */
async function untilTrue(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition()))
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
}

/** SQLite removes the write-ahead log when the last one closes the database. */
function isHeld(place: Place): boolean {
  return existsSync(place.file("gatehouse.db-wal"));
}

/** Returns a port below those that the kernel gives to others: it stays free until the service takes it. */
async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer();
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
}
