import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { environmentNameOf, type OptionDefinition } from "../../src/config/option.ts";
import { optionDefinitions } from "../../src/config/options.ts";
import { canaries } from "./canaries.ts";
import {
  createScanner,
  type Leak,
  noteDataFolder,
  refuseLeaks,
  scanFiles,
  scanLog,
  scanReceived,
} from "./canary-scan.ts";

const entry = join(import.meta.dirname, "../../src/main.ts");

/**
 * Where Node keeps compiled code. main.ts says the same to Node, but is itself compiled before, and the compiler of types
 * that this takes is a third of the start of a short command.
 */
const compiledCode = { NODE_COMPILE_CACHE: join(import.meta.dirname, "../../node_modules/.cache/gatehouse") };

/** One structured line on stderr. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

/** `gatehouse` as a process of its own. */
export interface GatehouseProcess {
  readonly child: ChildProcess;
  /** What it wrote to stderr so far. */
  stderr(): string;
  /** What it wrote to stdout so far. */
  stdout(): string;
  /** Resolves with the exit code; null after a signal. */
  readonly exited: Promise<number | null>;
  /** Resolves with the first line of that event, also if it was written before. Rejects when the process ends without. */
  logged(event: string): Promise<LogLine>;
  /**
   * Looks for secrets that went through a client of this file: in what it wrote, what the clients got, and the files of its
   * data folder. To be called when it has ended.
   */
  findLeaks(): readonly Leak[];
  /** What it wrote and may not hold a secret. */
  written(): string;
}

/** How a process is started, where that matters. */
export interface Launch {
  /** A command that ends in running its arguments, such as `["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"]`. */
  readonly through?: readonly string[];
  /** The user and group to run as; only root may say so. */
  readonly user?: number | undefined;
  /** Arguments of Node that come first, such as `--import`. With them the child has a channel for messages. */
  readonly node?: readonly string[];
  /** The main.ts that is run, of a copy of the project; absent: that of this one. */
  readonly program?: string;
  /** The Node that runs it; absent: that of this process. */
  readonly executable?: string;
}

/** Runs the command with these arguments. Environment variables of the caller do not reach it. */
export function runGatehouse(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { through = [], user, node = [], program = entry, executable = process.execPath }: Launch = {},
): GatehouseProcess {
  noteSecretsOf(args, environment);
  const [command = executable, ...rest] = [...through, executable, ...node, program, ...args];
  const child = spawn(command, rest, {
    env: { PATH: process.env["PATH"], ...compiledCode, ...environment },
    stdio: ["ignore", "pipe", "pipe", node.length > 0 ? "ipc" : "ignore"],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  let stderr = "";
  let stdout = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  const exited = once(child, "close").then(([code]) => code as number | null); // the arguments of "close"
  const findLine = (event: string) => parseLog(stderr).find((line) => line.msg === event);
  const logged = (event: string) =>
    new Promise<LogLine>((resolve, reject) => {
      const look = () => {
        const line = findLine(event);
        if (line === undefined) return;
        child.stderr?.off("data", look);
        resolve(line);
      };
      child.stderr?.on("data", look);
      look();
      const never = () => reject(new Error(`gatehouse ended without ${event}: ${stderr}`));
      exited.then(never, never);
    });
  // `token create` prints a token, `setup link` a link, and `events` what the log says of persons: that is their purpose.
  const written = () => stderr + (["token", "setup", "events"].includes(args[0] ?? "") ? "" : stdout);
  const findLeaks = () => scanProcess(args, written());
  return { child, stderr: () => stderr, stdout: () => stdout, exited, logged, findLeaks, written };
}

/** Takes the secrets that the process gets by its environment and its files among the canaries. */
function noteSecretsOf(args: readonly string[], environment: Readonly<Record<string, string>>): void {
  const options: readonly OptionDefinition[] = optionDefinitions;
  for (const { name } of options.filter(({ isSecret }) => isSecret)) {
    canaries.add(name, environment[environmentNameOf(name)] ?? "");
    canaries.add(name, readIfThere(environment[`${environmentNameOf(name)}_FILE`]).trim());
  }
  const key = readIfThere(valueOf(args, "--tls-key") ?? environment[environmentNameOf("tls-key")]);
  for (const line of key.split("\n")) if (!line.startsWith("-----")) canaries.add("TLS key", line);
}

function readIfThere(file: string | undefined): string {
  try {
    return file === undefined ? "" : readFileSync(file, "utf8");
  } catch {
    return ""; // tests name files that are not there, too
  }
}

function valueOf(args: readonly string[], flag: string): string | undefined {
  return args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined;
}

function scanProcess(args: readonly string[], written: string): readonly Leak[] {
  const folder = valueOf(args, "--data");
  if (folder !== undefined) noteDataFolder(canaries, folder);
  const scanner = createScanner(canaries.list());
  return [
    ...scanLog(scanner, written),
    ...scanReceived(scanner, canaries),
    ...(folder === undefined ? [] : scanFiles(scanner, folder)),
  ];
}

/** Returns the lines of a log that are whole. Throws for one that is not JSON. */
export function parseLog(text: string): readonly LogLine[] {
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  return lines.slice(0, -1).map((line) => JSON.parse(line) as LogLine); // pino writes nothing else
}

export interface ServingProcess extends GatehouseProcess {
  readonly url: string;
  /** Ends it by SIGTERM and returns the exit code. Rejects for a leak, see `findLeaks`. */
  stop(): Promise<number | null>;
  /** Ends it by SIGKILL. Rejects for a leak, see `findLeaks`. */
  kill(): Promise<void>;
}

/** Starts `gatehouse serve` on a free port and waits for its line on stdout. Throws when it ends before. */
export async function serveGatehouse(
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
  launch?: Launch,
): Promise<ServingProcess> {
  return await untilReady(runGatehouse(["serve", "--listen", "127.0.0.1:0", ...args], environment, launch));
}

/** Waits until a process that serves says so on stdout. Throws when it ends before. */
export async function untilReady(running: GatehouseProcess): Promise<ServingProcess> {
  const { child } = running;
  if (child.stdout === null) throw new Error("stdout is a pipe");
  const lines = createInterface({ input: child.stdout });
  const url = await new Promise<string>((resolve, reject) => {
    lines.on("line", (line) => {
      const found = /^gatehouse ready on (\S+)$/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
    running.exited.then(
      (code) => reject(new Error(`gatehouse ended with ${code}: ${running.stderr()}`)),
      reject,
    );
  });
  return {
    ...running,
    url,
    async stop() {
      child.kill("SIGTERM");
      const code = await running.exited;
      refuseLeaks(running.findLeaks());
      return code;
    },
    async kill() {
      child.kill("SIGKILL");
      await running.exited;
      refuseLeaks(running.findLeaks());
    },
  };
}
