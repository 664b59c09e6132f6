import { afterAll, expect, test } from "@jest/globals";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { createCaller } from "../../faults/support/calls.ts";
import { mustCall } from "../../faults/support/ground.ts";
import { findFreePort, findPostgres, makePostgresFolder } from "../../support/postgres-cluster.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { untilTrue } from "../support/sql.ts";

// The commands of the README's chapter "When one machine is not enough", with ports that are free here.

const root = join(import.meta.dirname, "../../..");
const execute = promisify(execFile);
const programs = findPostgres();
const databases = makePostgresFolder(programs);
const own = makeTemporaryFolder();
const portsOfReadme = ["5433", "5434", "8081", "8082"];
let shell: ChildProcess | undefined;

afterAll(async () => {
  if (shell?.pid !== undefined && shell.exitCode === null && shell.signalCode === null) {
    process.kill(-shell.pid, "SIGKILL"); // a group of its own: the shell and both services
    await once(shell, "exit");
  }
  await databases.remove();
  own.remove();
});

/** The parts of the chapter that are marked with `cluster`, in their order. */
function readScripts(ports: ReadonlyMap<string, number>): readonly string[] {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const found = [...readme.matchAll(/^```sh cluster\n(?<script>.*?)^```$/gms)];
  return found.map(({ groups }) =>
    [...ports].reduce((text, [port, free]) => text.replaceAll(port, String(free)), groups?.["script"] ?? ""),
  );
}

/** A folder with the command `gatehouse`. */
function makeCommand(): string {
  const folder = join(own.path, "bin");
  mkdirSync(folder);
  const file = join(folder, "gatehouse");
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "src/main.ts")}" "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}

test("the commands make a primary with a synchronous standby, and two processes that serve the same", async () => {
  const ports = new Map<string, number>();
  for (const port of portsOfReadme) ports.set(port, await findFreePort());
  const [makeServers = "", serve = "", ...more] = readScripts(ports);
  expect(more).toEqual([]);
  const path = `${programs.folder}:${process.env["PATH"]}`;
  const strict = ["-euc"];
  await execute("bash", [...strict, makeServers], {
    ...programs.user,
    cwd: databases.path,
    env: { PATH: path, LC_ALL: "C.UTF-8" },
  });
  const primary = `postgres://postgres@127.0.0.1:${ports.get("5433")}/postgres`;
  await untilTrue(primary, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')");

  const command = `${makeCommand()}:${path}`;
  shell = spawn("bash", [...strict, `${serve}\nwait`], {
    cwd: own.path,
    env: { PATH: command },
    detached: true,
    stdio: "ignore",
  });
  const urls = ["8081", "8082"].map((port) => `http://127.0.0.1:${ports.get(port)}`);
  for (const url of urls) await untilReady(url);
  const token = readFileSync(join(own.path, "admin.token"), "utf8").trim();
  const [first, second] = urls.map((url) => createCaller(url, token, "1.1"));
  if (first === undefined || second === undefined) throw new Error("there are two processes");
  const { id } = await mustCall(first, "ProjectService/AddProject", { name: "Website" });
  const { project } = await mustCall(second, "ProjectService/GetProject", { id });
  expect(project.name).toBe("Website");
  for (const caller of [first, second]) caller.close();
}, 120_000);

async function untilReady(url: string): Promise<void> {
  const isReady = async () =>
    await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isReady())) {
    if (shell?.exitCode !== null) throw new Error(`the commands ended with ${shell?.exitCode}`);
    await delay(50);
  }
}
