/**
 * Measures the start of the service and its memory: `node test/bench/start.ts [runs]`. Each run is a process of its own on
 * a new data folder. `cold` is without the compiled code that earlier starts left, as after `npm ci`; `warm` is with it.
 * Prints the median and all values.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { makeTemporaryFolder } from "../support/temporary.ts";

const entry = join(import.meta.dirname, "../../src/main.ts");
const idleMs = 2000;

interface Start {
  readonly readyMs: number;
  /** Processor time of all threads until the ready line. */
  readonly cpuMs: number;
  /** Resident memory `idleMs` after the ready line. */
  readonly idleMb: number;
}

async function measure(folder: string, environment: Readonly<Record<string, string>>): Promise<Start> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, [entry, "serve", "--listen", "127.0.0.1:0", "--data", folder], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  const readyMs = performance.now() - startedMs;
  const cpuMs = readCpuMs(child.pid);
  await pause(idleMs);
  const idleMb = readResidentMb(child.pid);
  child.kill("SIGTERM");
  await once(child, "close");
  return { readyMs, cpuMs, idleMb };
}

/** Returns user and system time (proc(5), fields 14 and 15, in ticks of 10 ms). NaN where there is no /proc. */
function readCpuMs(pid: number | undefined): number {
  const fields = readProc(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function readResidentMb(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readProc(`/proc/${pid}/status`))?.[1]) / 1024;
}

function readProc(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function print(name: string, unit: string, values: readonly number[]): void {
  const sorted = values.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  console.log(
    `${name.padEnd(24)} ${median.toFixed(0).padStart(5)} ${unit}   (${sorted.map((value) => value.toFixed(0)).join(" ")})`,
  );
}

const runs = Number(process.argv[2] ?? 10);
// As `npm start` says it: else Node loads what takes the types of main.ts away, and keeps it.
const compiledCode = { NODE_COMPILE_CACHE: join(import.meta.dirname, "../../node_modules/.cache/gatehouse") };
const environments = { cold: { NODE_DISABLE_COMPILE_CACHE: "1" }, warm: compiledCode };
console.log(`node ${process.version}, ${runs} runs, load average ${loadavg()[0]?.toFixed(1)}`);
for (const [name, environment] of Object.entries(environments)) {
  const starts: Start[] = [];
  for (let run = 0; run < runs; run += 1) {
    const folder = makeTemporaryFolder();
    starts.push(await measure(join(folder.path, "data"), environment));
    folder.remove();
  }
  print(
    `${name}: start to ready`,
    "ms",
    starts.map(({ readyMs }) => readyMs),
  );
  print(
    `${name}: processor time`,
    "ms",
    starts.map(({ cpuMs }) => cpuMs),
  );
  print(
    `${name}: idle memory`,
    "MB",
    starts.map(({ idleMb }) => idleMb),
  );
}
