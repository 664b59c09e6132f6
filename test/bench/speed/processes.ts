import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Load, LoadResult } from "./load.ts";
import type { PageAnswer, PageLoad } from "./saml-load.ts";
import type { TokenAnswer, TokenOrder } from "./token-load.ts";

/** A process that is measured. */
export interface Served {
  readonly url: string;
  readonly readyMs: number;
  /** Processor time that it has taken, all threads. */
  cpuMs(): number;
  residentMb(): number;
  /** Throws when it did not end by itself within a few seconds. */
  stop(): Promise<void>;
}

/** Whether processes can be held to one processor each. */
export const isPinned = spawnSync("taskset", ["--cpu-list", "0", "true"]).status === 0;

/** As `npm start` says it. */
const compileCache = join(import.meta.dirname, "../../../node_modules/.cache/gatehouse");

/** Starts a server on processor 0, and waits for the line that names its URL. What it writes to stderr goes nowhere. */
export async function startServer(script: string, args: readonly string[] = []): Promise<Served> {
  const startedMs = performance.now();
  const [command, rest] = pinned(0, [script, ...args]);
  const child = spawn(command, rest, {
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: compileCache },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, "line")) as [string]; // one argument, the text
  const readyMs = performance.now() - startedMs;
  const url = /https?:\S+/.exec(line)?.[0];
  if (url === undefined) throw new Error(`${script} said: ${line}`);
  return {
    url,
    readyMs,
    cpuMs: () => cpuMsOf(child),
    residentMb: () => Number(/^VmRSS:\s+(\d+) kB$/m.exec(procFile(child, "status"))?.[1]) / 1024,
    async stop() {
      child.kill("SIGTERM");
      await once(child, "exit", { signal: AbortSignal.timeout(15_000) });
    },
  };
}

/** A process that makes a load, on processor 1. */
export interface LoadProcess<Order, Result> {
  run(order: Order): Promise<Result>;
  stop(): void;
}

/** The process that makes the load of calls. */
export type Generator = LoadProcess<Load, LoadResult>;

/** Starts the process that makes calls. */
export function startGenerator(): Generator {
  return startLoadProcess("generator.ts");
}

/** Starts the process that makes requests for tokens. */
export function startTokenGenerator(): LoadProcess<
  TokenOrder,
  Exclude<TokenAnswer, { readonly error: string }>
> {
  return startLoadProcess("token-generator.ts");
}

/** Starts the process that asks for pages. */
export function startPageGenerator(): LoadProcess<PageLoad, Exclude<PageAnswer, { readonly error: string }>> {
  return startLoadProcess("saml-generator.ts");
}

function startLoadProcess<Order extends object, Result extends object>(
  script: string,
): LoadProcess<Order, Result> {
  const [command, rest] = pinned(1, []);
  const child = fork(join(import.meta.dirname, script), {
    execPath: command,
    execArgv: [...rest],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let waiting: PromiseWithResolvers<Result> | undefined;
  child.on("message", (answer: Result | { readonly error: string }) => {
    if ("error" in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer);
  });
  child.on("exit", (code) => waiting?.reject(new Error(`the generator ended with ${code}`)));
  return {
    run(order) {
      waiting = Promise.withResolvers();
      child.send(order);
      return waiting.promise;
    },
    stop: () => void child.kill(),
  };
}

function pinned(processor: number, args: readonly string[]): [command: string, args: string[]] {
  if (!isPinned) return [process.execPath, [...args]];
  return ["taskset", ["--cpu-list", String(processor), process.execPath, ...args]];
}

/** User and system time (proc_pid_stat(5), fields 14 and 15, in ticks of 10 ms). */
function cpuMsOf(child: ChildProcess): number {
  const fields = procFile(child, "stat")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function procFile({ pid }: ChildProcess, name: string): string {
  return readFileSync(`/proc/${pid}/${name}`, "utf8");
}
