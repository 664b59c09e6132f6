/**
 * Compares what calls cost in a database of many rows and in a nearly empty one: `npm run bench:scale`. Two services run at the
 * same time on one processor, the load comes from a process on another one, and they are asked in turn, round after round.
 * Prints a table, and writes all figures and the machine's facts to a file. Ends with 1 when a call costs more than it may.
 *
 * Options: --users and --grants (of the large one), --rounds, --seconds (of one measurement), --limit (of the ratios),
 * --call (this one only), --data FOLDER (keeps the large one there, and takes it again), --output FILE.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { supply } from "../speed/calls.ts";
import type { CallName, LoadResult, Stock } from "../speed/load.ts";
import { machineFacts } from "../speed/machine.ts";
import { type Generator, type Served, startGenerator, startServer } from "../speed/processes.ts";
import { median } from "../speed/table.ts";
import { type Comparison, printComparisons, ratiosOf } from "./comparison.ts";
import { fill, type Size } from "./fill.ts";

const { values: options } = parseArgs({
  options: {
    users: { type: "string", default: "1000000" },
    grants: { type: "string", default: "5000000" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    limit: { type: "string", default: "1.3" },
    data: { type: "string" },
    output: { type: "string", default: join(import.meta.dirname, "results.json") },
    call: { type: "string" },
  },
});
const [rounds, seconds, limit] = [options.rounds, options.seconds, options.limit].map(Number) as [
  number,
  number,
  number,
];
const inFlight = 64;
const small: Size = { users: 1000, grants: 5000 };
const large: Size = { users: Number(options.users), grants: Number(options.grants) };
/** What adds comes last, so that the small one stays so. */
const calls: readonly CallName[] = ["GetUserGrant", "ListUserGrants", "UpdateProjectAgain", "AddUserGrant"];

/** A filled data folder, as it is remembered beside it. */
interface Filled {
  readonly size: Size;
  readonly stock: Stock;
  /** How many grants the measurements have added: none can be added twice. */
  added: number;
}

/** One of the two that are compared. */
interface Side {
  readonly filled: Filled;
  readonly server: Served;
  readonly authorization: string;
  readonly file: string;
}

async function prepare(folder: string, size: Size): Promise<Filled> {
  const memory = `${folder}.json`;
  if (existsSync(memory)) {
    const filled = JSON.parse(readFileSync(memory, "utf8")) as Filled; // as it is written below
    if (JSON.stringify(filled.size) === JSON.stringify(size)) return filled;
  }
  rmSync(folder, { recursive: true, force: true });
  const startedMs = performance.now();
  const filled = { size, stock: await fill(folder, size), added: 0 };
  writeFileSync(memory, JSON.stringify(filled), { mode: 0o600 });
  const mb = statSync(join(folder, "gatehouse.db")).size / 1e6;
  const tookSeconds = (performance.now() - startedMs) / 1000;
  console.log(`${nameOf(size)}: filled in ${tookSeconds.toFixed(0)} s, ${mb.toFixed(0)} MB`);
  return filled;
}

function nameOf({ users, grants }: Size): string {
  return `${users} users, ${grants} user grants`;
}

async function open(folder: string, filled: Filled): Promise<Side> {
  const main = join(import.meta.dirname, "../../../src/main.ts");
  const server = await startServer(main, ["serve", "--listen", "127.0.0.1:0", "--data", folder]);
  servers.push(server);
  const token = readFileSync(join(folder, "admin.token"), "utf8").trim();
  return { filled, server, authorization: `Bearer ${token}`, file: `${folder}.json` };
}

/** Reads the file once, so that it is in the memory of the system if that is large enough: the disk is not what is compared. */
function readThrough(file: string): void {
  const descriptor = openSync(file, "r");
  const buffer = Buffer.alloc(2 ** 24);
  while (readSync(descriptor, buffer) > 0);
  closeSync(descriptor);
}

/** Puts a load on one side. */
async function measure(side: Side, call: CallName, from: number): Promise<LoadResult & { cpuUs: number }> {
  const { filled, server, authorization } = side;
  const target = { url: server.url, authorization, lane: "gRPC", http: "2", call } as const;
  const isAdding = call === "AddUserGrant";
  const begin = isAdding ? filled.added : from;
  const before = server.cpuMs();
  const result = await generator.run({ target, stock: filled.stock, inFlight, seconds, from: begin });
  if (isAdding) filled.added += result.sent;
  if (filled.added > supply(filled.stock)) throw new Error("the stock is used up");
  return { ...result, cpuUs: (1000 * (server.cpuMs() - before)) / result.sent };
}

/** Measures one call on both sides in turn, the other one first in each round. The first round warms up. */
async function compare(
  call: CallName,
  sides: { readonly small: Side; readonly large: Side },
): Promise<Comparison> {
  const found: Comparison = { call, small: [], large: [] };
  let from = 0;
  for (let round = -1; round < rounds; round++) {
    const order = round % 2 === 0 ? (["small", "large"] as const) : (["large", "small"] as const);
    for (const name of order) {
      const { elapsedMs, count, cpuUs, p50Ms, p99Ms, busy, sent } = await measure(sides[name], call, from);
      from += sent;
      if (round < 0) continue;
      found[name].push({ us: (1000 * elapsedMs) / count, cpuUs, p50Ms, p99Ms, generatorBusy: busy });
    }
  }
  return found;
}

async function compareAll(folder: string): Promise<void> {
  const facts = machineFacts(folder);
  for (const [name, value] of facts) console.log(`${name}: ${value}`);
  const folders = { small: join(folder, "small"), large: join(folder, "large") };
  rmSync(`${folders.small}.json`, { force: true }); // it has grown
  const filled = { small: await prepare(folders.small, small), large: await prepare(folders.large, large) };
  readThrough(join(folders.large, "gatehouse.db"));
  const sides = {
    small: await open(folders.small, filled.small),
    large: await open(folders.large, filled.large),
  };
  const comparisons: Comparison[] = [];
  for (const call of calls.filter((each) => each === (options.call ?? each)))
    comparisons.push(await compare(call, sides));
  for (const { filled: kept, file } of Object.values(sides)) writeFileSync(file, JSON.stringify(kept));
  console.log(`small: ${nameOf(small)}; large: ${nameOf(large)}; gRPC, ${inFlight} calls in flight`);
  printComparisons(comparisons);
  const memory = `memory: small ${sides.small.server.residentMb().toFixed(0)} MB, large ${sides.large.server.residentMb().toFixed(0)} MB`;
  console.log(memory);
  const results = {
    facts: Object.fromEntries(facts),
    small,
    large,
    rounds,
    seconds,
    inFlight,
    comparisons,
    memory,
  };
  writeFileSync(options.output, `${JSON.stringify(results, undefined, 1)}\n`);
  const over = comparisons.filter((comparison) => median(ratiosOf(comparison, "us")) > limit);
  for (const { call } of over) console.log(`${call} costs more than ${limit} times as much`);
  if (over.length > 0) process.exitCode = 1;
}

process.umask(0o077);
const servers: Served[] = [];
const folder = options.data ?? mkdtempSync(join(tmpdir(), "gatehouse-scale-"));
mkdirSync(folder, { recursive: true });
const generator: Generator = startGenerator();
try {
  await compareAll(folder);
} finally {
  generator.stop();
  for (const server of servers) await server.stop();
  if (options.data === undefined) rmSync(folder, { recursive: true, force: true });
}
