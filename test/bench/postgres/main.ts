/**
 * Measures Gatehouse on PostgreSQL: `npm run bench:postgres`. AddUserGrant and GetProject with one process and with two, with
 * nothing and half a millisecond between them and the database, batches of a thousand users and of a thousand projects, and
 * GetProject while users are added. Prints a line for each. All share the processors of one machine.
 *
 * Options: --seconds (of one measurement), --data FOLDER (where the database is: on a disk, to mean anything).
 */
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { gatehouse } from "../../postgres/support/pair.ts";
import { query } from "../../postgres/support/sql.ts";
import {
  createPostgresServer,
  findPostgres,
  makePostgresFolder,
  type PostgresServer,
} from "../../support/postgres-cluster.ts";
import type { CallName, LoadResult, Stock } from "../speed/load.ts";
import { type Generator, type Served, startGenerator, startServer } from "../speed/processes.ts";
import { fillStock } from "../speed/stock.ts";

const { values: options } = parseArgs({
  options: { seconds: { type: "string", default: "5" }, data: { type: "string", default: tmpdir() } },
});
const seconds = Number(options.seconds);
const inFlight = 128;
const entry = join(import.meta.dirname, "../../../src/main.ts");

/** A database with what the calls are about, and the files that processes on it need. */
interface Ground {
  readonly server: PostgresServer;
  readonly keyFile: string;
  readonly authorization: string;
  readonly stock: Stock;
  /** The number of the next call that adds something. */
  next: number;
}

async function prepare(server: PostgresServer, folder: string): Promise<Ground> {
  await query(server.url(), `CREATE ROLE ${gatehouse} LOGIN`);
  await query(server.url(), `CREATE DATABASE ${gatehouse} OWNER ${gatehouse}`);
  const keyFile = join(folder, "master.key");
  const tokenFile = join(folder, "admin.token");
  const onDatabase = ["--database", server.url(gatehouse, gatehouse), "--master-key-file", keyFile];
  const init = [entry, "init", ...onDatabase, "--admin-token-file", tokenFile];
  const made = spawnSync(process.execPath, init, { stdio: "inherit" });
  if (made.status !== 0) throw new Error(`gatehouse init ended with ${made.status}`);
  const authorization = `Bearer ${readFileSync(tokenFile, "utf8").trim()}`;
  const first = await serve({ server, keyFile }, server.port, join(folder, "data-of-stock"));
  const stock = await fillStock({ url: first.url, authorization }, { users: 1000, projects: 200 });
  await first.stop();
  await query(server.url(gatehouse), "VACUUM ANALYZE");
  return { server, keyFile, authorization, stock, next: 0 };
}

async function serve(
  { server, keyFile }: Pick<Ground, "server" | "keyFile">,
  port: number,
  data: string,
): Promise<Served> {
  const url = server.url(gatehouse, gatehouse).replace(String(server.port), String(port));
  const onDatabase = ["--database", url, "--master-key-file", keyFile];
  return await startServer(entry, ["serve", "--listen", "127.0.0.1:0", "--data", data, ...onDatabase]);
}

/** Starts a wire with that delay, and returns its port and how to end it. */
async function startWire(targetPort: number, delayMs: number) {
  const script = join(import.meta.dirname, "slow-wire.ts");
  const child = spawn(process.execPath, [script, String(targetPort), String(delayMs * 1000)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string]; // its arguments
  return { port: Number(line), end: () => void child.kill() };
}

/** Has a generator for each process send calls at the same time. */
async function load(
  ground: Ground,
  servers: readonly Served[],
  { call, rate, each = inFlight / servers.length }: { call: CallName; rate?: number; each?: number },
): Promise<readonly LoadResult[]> {
  return await Promise.all(
    servers.map(async ({ url }, index) => {
      const generator = generatorAt(index);
      const target = { url, authorization: ground.authorization, lane: "gRPC", http: "2", call } as const;
      const from = ground.next + index * 50_000;
      const paced = rate === undefined ? {} : { rate };
      return await generator.run({ target, stock: ground.stock, inFlight: each, seconds, from, ...paced });
    }),
  );
}

const generators: Generator[] = [];
function generatorAt(index: number): Generator {
  generators[index] ??= startGenerator();
  return generators[index];
}

/** Processor time in milliseconds of the service and of the database. */
interface Cpu {
  readonly service: number;
  readonly database: number;
}

function cpuOf(ground: Ground, servers: readonly Served[]): Cpu {
  return {
    service: servers.reduce((sum, server) => sum + server.cpuMs(), 0),
    database: cpuMsOf(ground.server),
  };
}

/** Of the postmaster and its processes, also of those that have ended (proc_pid_stat(5), in ticks of 10 ms). */
function cpuMsOf({ dataFolder }: PostgresServer): number {
  const pid = readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n")[0] ?? "";
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return [pid, ...children].reduce((sum, each) => sum + ticksOf(each), 0) * 10;
}

function ticksOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

function print(
  what: string,
  results: readonly LoadResult[],
  { servers, cpu }: { readonly servers: readonly Served[]; readonly cpu?: Cpu },
): void {
  const perSecond = results.reduce((sum, { count, elapsedMs }) => sum + (count * 1000) / elapsedMs, 0);
  const count = results.reduce((sum, result) => sum + result.count, 0);
  const p50 = Math.max(...results.map(({ p50Ms }) => p50Ms));
  const p99 = Math.max(...results.map(({ p99Ms }) => p99Ms));
  const perCall = (ms: number) => `${((1000 * ms) / count).toFixed(0)} µs`;
  const costs =
    cpu === undefined
      ? ""
      : `, CPU of a call: service ${perCall(cpu.service)}, database ${perCall(cpu.database)}`;
  console.log(
    `${what}, ${servers.length} processes: ${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms${costs}`,
  );
}

async function measure(
  ground: Ground,
  folder: string,
  { delayMs, count }: { delayMs: number; count: number },
) {
  const wire = await startWire(ground.server.port, delayMs);
  const servers: Served[] = [];
  try {
    for (let index = 0; index < count; index += 1)
      servers.push(await serve(ground, wire.port, join(folder, `data-${delayMs}-${count}-${index}`)));
    for (const call of ["GetProject", "AddUserGrant"] as const) {
      const before = cpuOf(ground, servers);
      const results = await load(ground, servers, { call });
      if (call === "AddUserGrant") ground.next += Math.max(...results.map(({ sent }) => sent));
      const after = cpuOf(ground, servers);
      const cpu = { service: after.service - before.service, database: after.database - before.database };
      print(`${call} at ${delayMs} ms`, results, { servers, cpu });
    }
    const [first] = servers;
    if (count === 1 && first !== undefined) await measureBatches(ground, first, delayMs);
    if (count === 2) await measureBeside(ground, servers, delayMs);
  } finally {
    for (const server of servers) await server.stop();
    wire.end();
  }
}

/** Measures how long a batch of each kind takes, in the best of three times. Other changes wait for as long. */
async function measureBatches({ authorization }: Ground, { url }: Served, delayMs: number) {
  const batch = async (toItem: (name: string) => object) => {
    const items = Array.from({ length: 1000 }, () => toItem(randomUUID()));
    const startMs = performance.now();
    const response = await fetch(`${url}/v1/batch`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ items }),
    });
    if (!response.ok) throw new Error(await response.text());
    return performance.now() - startMs;
  };
  const kinds = {
    users: (name: string) => ({ addServiceUser: { username: name, name } }),
    projects: (name: string) => ({ addProject: { name } }),
  };
  for (const [kind, toItem] of Object.entries(kinds)) {
    const best = Math.min(await batch(toItem), await batch(toItem), await batch(toItem));
    console.log(`a batch of 1,000 ${kind} at ${delayMs} ms: ${best.toFixed(0)} ms`);
  }
}

/** Measures reads at one process while the other one adds users. */
async function measureBeside(ground: Ground, [reading, writing]: readonly Served[], delayMs: number) {
  if (reading === undefined || writing === undefined) throw new Error("there are two processes");
  const what = `GetProject at ${delayMs} ms, 200/s at one process`;
  const alone = await load(ground, [reading], { call: "GetProject", rate: 200, each: 64 });
  print(`${what}, alone`, alone, { servers: [reading] });
  const { authorization, stock } = ground;
  const target = {
    url: writing.url,
    authorization,
    lane: "gRPC",
    http: "2",
    call: "AddServiceUser",
  } as const;
  const from = (ground.next += 1_000_000);
  const [beside, added] = await Promise.all([
    load(ground, [reading], { call: "GetProject", rate: 200, each: 64 }),
    generatorAt(1).run({ target, stock, inFlight: 64, seconds, rate: 500, from }),
  ]);
  print(
    `${what}, while another adds ${((added.count * 1000) / added.elapsedMs).toFixed(0)} users/s`,
    beside,
    { servers: [reading] },
  );
}

const programs = findPostgres();
const database = makePostgresFolder(programs, mkdtempSync(join(options.data, "gatehouse-bench-")));
const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
try {
  const server = await createPostgresServer(programs, database, { settings: { shared_buffers: "256MB" } });
  const ground = await prepare(server, folder);
  for (const delayMs of [0, 0.5])
    for (const count of [1, 2]) await measure(ground, folder, { delayMs, count });
} finally {
  for (const generator of generators) generator.stop();
  await database.remove();
  rmSync(folder, { recursive: true, force: true });
}
