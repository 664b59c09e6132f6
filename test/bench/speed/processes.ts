import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Load, LoadResult } from "./load.ts";

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

/** Starts a server on processor 0, and waits for the line that names its URL. What it writes to stderr goes nowhere. */
export async function startServer(script: string, args: readonly string[] = []): Promise<Served> {
  const startedMs = performance.now();
  const [command, rest] = pinned(0, [script, ...args]);
  const child = spawn(command, rest, {
    env: { PATH: process.env["PATH"] },
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

/** The process that makes the load, on processor 1. */
export interface Generator {
  run(load: Load): Promise<LoadResult>;
  stop(): void;
}

export function startGenerator(): Generator {
  const script = join(import.meta.dirname, "generator.ts");
  const [command, rest] = pinned(1, []);
  const child = fork(script, {
    execPath: command,
    execArgv: [...rest],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let waiting: PromiseWithResolvers<LoadResult> | undefined;
  child.on("message", (answer: LoadResult | { readonly error: string }) => {
    if ("error" in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(answer);
  });
  child.on("exit", (code) => waiting?.reject(new Error(`the generator ended with ${code}`)));
  return {
    run(load) {
      waiting = Promise.withResolvers();
      child.send(load);
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
