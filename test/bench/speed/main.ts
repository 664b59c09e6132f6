/**
 * Compares Gatehouse with bare servers that only echo: `npm run bench`. All of them run at the same time on one processor,
 * the load comes from a process on another one, and they are asked in turn, round after round, so that what else the
 * machine does weighs on all. Prints a table, and writes it with all figures and the machine's facts to a file.
 *
 * Options: --rounds, --seconds (of one measurement), --grants (how many user grants the database has at the end),
 * --data FOLDER (where the databases are: on a disk, to mean anything), --output FILE, --only tokens, --only saml (what OAuth or SAML costs, alone).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import {
  compareBatch,
  type Contestant,
  createRunner,
  holdContest,
  measurePaced,
  type Runner,
} from "./contest.ts";
import { machineFacts } from "./machine.ts";
import { type Served, startGenerator, startServer } from "./processes.ts";
import { measureSaml } from "./saml.ts";
import { fillStock } from "./stock.ts";
import { printTable } from "./table.ts";
import { measureTokens } from "./tokens.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    grants: { type: "string", default: "1000000" },
    data: { type: "string", default: tmpdir() },
    only: { type: "string" },
    output: { type: "string", default: join(import.meta.dirname, "results.json") },
  },
});
const allowedStartMs = 1000;
const allowedIdleMb = 150;
/** By then the service has loaded what it loads in the background. */
const idleMs = 3000;
const terms = { rounds: Number(options.rounds), seconds: Number(options.seconds), inFlights: [1, 16, 128] };
const calls = ["GetProject", "AddUserGrant", "UpdateProject", "CreateIdentityProvider"] as const;
const wires = [
  { lane: "gRPC", http: "2" },
  { lane: "gRPC-web", http: "2" },
  { lane: "JSON", http: "2" },
  { lane: "gRPC-web", http: "1.1" },
  { lane: "JSON", http: "1.1" },
] as const;

const servers: Served[] = [];

async function start(script: string, ...args: readonly string[]): Promise<Served> {
  const server = await startServer(join(import.meta.dirname, script), args);
  servers.push(server);
  return server;
}

async function measure(folder: string): Promise<void> {
  const facts = machineFacts(folder);
  for (const [name, value] of facts) console.log(`${name}: ${value}`);
  const data = join(folder, "data");
  const flags = ["--listen", "127.0.0.1:0", "--trusted-proxies", "127.0.0.1", "--data", data];
  const gatehouse = await start("../../../src/main.ts", "serve", ...flags);
  const started = gatehouse.readyMs.toFixed(0);
  await pause(idleMs);
  const idle = `start to ready ${started} ms, of ${allowedStartMs} allowed; idle memory ${idleMs / 1000} s later ${gatehouse.residentMb().toFixed(0)} MB, of ${allowedIdleMb} allowed`;
  const authorization = `Bearer ${readFileSync(join(data, "admin.token"), "utf8").trim()}`;
  const stock = await fillStock({ url: gatehouse.url, authorization }, { users: 4000, projects: 1000 });
  const run = createRunner({ generator, authorization, stock });
  const own = calls.flatMap((call) =>
    wires.map(({ lane, http }): Contestant => ({ name: "Gatehouse", server: gatehouse, call, lane, http })),
  );
  const echo = { call: "AddUserGrant", lane: "gRPC", http: "2" } as const;
  const bare: readonly Contestant[] = [
    { name: "bare @grpc/grpc-js echo", server: await start("servers/grpc-js-echo.ts"), ...echo },
    { name: "bare connect-node echo", server: await start("servers/connect-echo.ts"), ...echo },
  ];
  const [echoed] = bare;
  const protocolLines: string[] = [];
  if (echoed !== undefined) {
    const setup = { server: gatehouse, authorization, echo: echoed, run, terms };
    if (options.only !== "saml") protocolLines.push(...(await measureTokens(setup)));
    if (options.only !== "tokens") protocolLines.push(...(await measureSaml(setup)));
  }
  if (options.only !== undefined) {
    console.log([idle, ...protocolLines].join("\n"));
    return;
  }
  const cells = await holdContest([...bare, ...own], run, terms);
  printTable(cells);
  const paced = [...bare.slice(0, 1), ...own.filter(({ lane }) => lane === "gRPC")];
  const lines = [idle, ...(await measurePaced(paced, run, terms))];
  lines.push(...(await compareBatch(gatehouse, run, terms)));
  lines.push(...protocolLines);
  lines.push(await grow({ server: gatehouse, folder: data, run }));
  console.log(lines.join("\n"));
  const results = { facts: Object.fromEntries(facts), ...terms, cells, lines };
  writeFileSync(options.output, `${JSON.stringify(results, undefined, 1)}\n`);
}

/** Adds user grants until there are as many as was asked for; returns a line about memory and the size of the database. */
async function grow(setup: {
  readonly server: Served;
  readonly folder: string;
  readonly run: Runner;
}): Promise<string> {
  const contestant = {
    name: "Gatehouse",
    server: setup.server,
    call: "AddUserGrant",
    lane: "gRPC",
    http: "2",
  } as const;
  const bytesBefore = bytesIn(setup.folder);
  let added = 0;
  while (added < Number(options.grants))
    added += (await setup.run(contestant, { inFlight: 128, seconds: 2 })).sent;
  const bytes = (bytesIn(setup.folder) - bytesBefore) / Math.max(added, 1);
  return `after ${added} more user grants: memory ${setup.server.residentMb().toFixed(0)} MB, ${bytes.toFixed(0)} bytes of database for each (its event with it)`;
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

const folder = mkdtempSync(join(options.data, "gatehouse-bench-"));
const generator = startGenerator();
try {
  await measure(folder);
} finally {
  generator.stop();
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
