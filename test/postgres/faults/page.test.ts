import { afterAll, expect, test } from "@jest/globals";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { createCaller } from "../../faults/support/calls.ts";
import { mustCall } from "../../faults/support/ground.ts";
import { readNamed } from "../../pages/support/page.ts";
import { findFreePort, findPostgres, makePostgresFolder } from "../../support/postgres-cluster.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { untilTrue } from "../support/sql.ts";

// The commands of docs/operate/postgresql.md, with ports that are free here.

const root = join(import.meta.dirname, "../../..");
const execute = promisify(execFile);
const programs = findPostgres();
const databases = makePostgresFolder(programs);
const own = makeTemporaryFolder();
const portsOfPage = ["5433", "5434", "8081", "8082"];
let shell: ChildProcess | undefined;

afterAll(async () => {
  if (shell?.pid !== undefined && shell.exitCode === null && shell.signalCode === null) {
    process.kill(-shell.pid, "SIGKILL"); // a group of its own: the shell and both services
    await once(shell, "exit");
  }
  await databases.remove();
  own.remove();
});

/** The commands of the page, in their order. */
function readScripts(ports: ReadonlyMap<string, number>): readonly string[] {
  return readNamed("docs/operate/postgresql.md", "cluster").map((script) =>
    [...ports].reduce((text, [port, free]) => text.replaceAll(port, String(free)), script),
  );
}

test("the commands make a primary with a synchronous standby, and two processes that serve the same", async () => {
  const ports = new Map<string, number>();
  for (const port of portsOfPage) ports.set(port, await findFreePort());
  const [makeServers = "", serve = "", ask = "", end = "", ...more] = readScripts(ports);
  expect(more).toEqual([]);
  const env = {
    PATH: `${dirname(process.execPath)}:${programs.folder}:${process.env["PATH"]}`,
    LC_ALL: "C.UTF-8",
    HOME: own.path,
  };
  // A reader is not root and has one shell. Here the servers may run as somebody else, in a folder of their own.
  const asServers = { ...programs.user, cwd: databases.path };
  const made = await execute("bash", ["-euc", `${makeServers}\necho "made in $DATA"`], {
    ...asServers,
    env: { ...env, TMPDIR: databases.path },
  });
  const DATA = /^made in (.*)$/m.exec(made.stdout)?.[1];
  const primary = `postgres://postgres@127.0.0.1:${ports.get("5433")}/postgres`;
  await untilTrue(primary, "SELECT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')");

  const [endServices = "", endServers = ""] = end.split(/(?=^for )/m);
  shell = spawn("bash", ["-euc", `${serve}\n${ask}\necho; echo asked; read\n${endServices}`], {
    cwd: root,
    env: { ...env, DATA: own.path },
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let printed = "";
  shell.stdout?.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  while (!printed.endsWith("asked\n")) {
    if (shell.exitCode !== null) throw new Error(`the commands ended with ${shell.exitCode}: ${printed}`);
    await delay(50);
  }
  expect(printed.match(/\{"user":/g)).toHaveLength(2);
  const urls = ["8081", "8082"].map((port) => `http://127.0.0.1:${ports.get(port)}`);
  const token = readFileSync(join(own.path, "gatehouse/admin.token"), "utf8").trim();
  const [first, second] = urls.map((url) => createCaller(url, token, "1.1"));
  if (first === undefined || second === undefined) throw new Error("there are two processes");
  const { id } = await mustCall(first, "ProjectService/AddProject", { name: "Website" });
  const { project } = await mustCall(second, "ProjectService/GetProject", { id });
  expect(project.name).toBe("Website");
  for (const caller of [first, second]) caller.close();
  const console = await fetch(`${urls[0]}/console/`);
  expect(console.status).not.toBe(404); // there is an issuer, so there are a login and a console
  shell.stdin?.end("\n");
  expect(await once(shell, "exit")).toEqual([0, null]);
  await execute("bash", ["-euc", endServers], { ...asServers, env: { ...env, DATA } });
}, 120_000);
