import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { endInOrder } from "../../../faults/support/ground.ts";
import { findFreePort } from "../../../support/postgres-cluster.ts";
import { type Launch, runGatehouse, type ServingProcess, untilReady } from "../../../support/process.ts";
import { makeTemporaryFolder } from "../../../support/temporary.ts";
import type { Address } from "./roaming-caller.ts";

/** Processes of `gatehouse serve` on one database. Each keeps its port through all its lives. */
export interface Services {
  readonly addresses: readonly Address[];
  /** The token of the administrator. */
  readonly token: string;
  readonly keyFile: string;
  /** Returns the process with that number as it runs now. */
  process(index: number): ServingProcess;
  /** Starts a process which does not run, and waits until it is ready. */
  start(index: number): Promise<void>;
  /** Ends a process by SIGKILL. */
  kill(index: number): Promise<void>;
  /** Stops a process, in the middle of whatever it does, until the function that this returns is called. */
  stopStill(index: number): () => void;
  /** Ends all by SIGTERM and returns their exit codes. */
  stop(): Promise<readonly (number | null)[]>;
  /** Runs a command on the database, as the process with number 0 reaches it. */
  run(args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }>;
  /** Kills what still runs, and removes the folders. */
  remove(): Promise<void>;
}

/** How each process reaches the database, and what else it is started with. */
export interface ServicesOptions {
  /** The url of the database by the number of the process. */
  readonly databases: readonly string[];
  readonly args?: readonly string[];
  readonly launch?: Launch;
}

/** Creates the instance with `gatehouse init`, and starts a process for each url. */
export async function startServices({ databases, args = [], launch }: ServicesOptions): Promise<Services> {
  const folder = makeTemporaryFolder();
  const keyFile = join(folder.path, "master.key");
  const tokenFile = join(folder.path, "admin.token");
  const ports = await Promise.all(databases.map(() => findFreePort()));
  const running: (ServingProcess | undefined)[] = databases.map(() => undefined);
  const at = (index: number) => {
    const found = running[index];
    if (found === undefined) throw new Error(`process ${index} does not run`);
    return found;
  };
  const run = async (words: readonly string[]) => {
    const started = runGatehouse([...words, ...onDatabase(databases[0] ?? "", keyFile)], {}, launch);
    const code = await started.exited;
    return { code, output: started.stdout() + started.stderr() };
  };
  const start = async (index: number) => {
    const data = mkdtempSync(join(folder.path, "data-"));
    const listen = `127.0.0.1:${ports[index]}`;
    const words = ["serve", "--listen", listen, "--data", data, ...args];
    running[index] = await untilReady(
      runGatehouse([...words, ...onDatabase(databases[index] ?? "", keyFile)], {}, launch),
    );
  };
  const kill = async (index: number) => {
    const { child, exited } = at(index);
    child.kill("SIGKILL");
    await exited;
  };
  const stopped = new Set<number>();
  const remove = async () => {
    await Promise.all(
      running.map(async (each, index) => (each === undefined ? undefined : await kill(index))),
    );
    folder.remove();
  };
  try {
    const made = await run(["init", "--admin-token-file", tokenFile]);
    if (made.code !== 0) throw new Error(`gatehouse init ended with ${made.code}: ${made.output}`);
    await Promise.all(databases.map((_url, index) => start(index)));
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    addresses: ports.map((port, index) => ({
      url: `http://127.0.0.1:${port}`,
      isStopped: () => stopped.has(index),
    })),
    token: readFileSync(tokenFile, "utf8").trim(),
    keyFile,
    process: at,
    start,
    kill,
    stopStill(index) {
      const { child } = at(index);
      stopped.add(index);
      child.kill("SIGSTOP");
      return () => {
        child.kill("SIGCONT");
        stopped.delete(index);
      };
    },
    stop: async () => await Promise.all(running.map(async (_each, index) => await endInOrder(at(index)))),
    run,
    remove,
  };
}

function onDatabase(url: string, keyFile: string): readonly string[] {
  return ["--database", url, "--master-key-file", keyFile];
}
