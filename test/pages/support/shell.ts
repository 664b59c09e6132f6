import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findFreeOrigin } from "../../support/free-origin.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

const root = join(import.meta.dirname, "../../..");

/** What a checkout has after `npm ci`, as far as pages use it. */
const parts = ["package.json", "node_modules", "src", "gen", "proto", "buf.yaml", "dist"];

/** The ports that pages name. Each shell has others in their place. */
const portsOfPages = [8080, 8085, 3000, 3001, 443] as const;

export type PortOfPages = (typeof portsOfPages)[number];

/** A shell in the folder of a fresh checkout, for the blocks of one page. */
export interface Shell {
  readonly folder: string;
  /** Returns `http://localhost:<port>` for a port that pages name. */
  at(port: PortOfPages): string;
  /** Replaces the ports of pages in a text. */
  toHere(text: string): string;
  /** Runs commands, and returns what they print. Rejects if one of them fails. */
  run(code: string): Promise<string>;
  /** Runs one command that goes on, in the background. Returns a function that resolves when they have printed that text. */
  runOn(code: string): Promise<(text: string) => Promise<string>>;
  /** Saves a file in the folder. */
  save(name: string, text: string): void;
  /** Ends everything that was started, and removes the folder. */
  close(): Promise<void>;
}

const end = "---- end of the block ----";

/** Opens a bash in a new folder, which stands for a checkout after `npm ci`. */
export async function openShell(): Promise<Shell> {
  const { path: folder, remove } = makeTemporaryFolder();
  for (const part of parts) symlinkSync(join(root, part), join(folder, part));
  const origins = new Map<number, string>();
  for (const port of portsOfPages) origins.set(port, await findFreeOrigin());
  const at = (port: number) => origins.get(port) ?? "";
  const portOf = (port: number) => new URL(at(port)).port;
  const bash = spawn("bash", ["-e"], {
    cwd: folder,
    detached: true, // a group of its own, with all that the blocks start
    env: {
      HOME: folder,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      TMPDIR: folder,
      GATEHOUSE_LISTEN: `127.0.0.1:${portOf(8080)}`,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let [printed, errors] = ["", ""];
  bash.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  bash.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = once(bash, "exit");
  let files = 0;
  const toHere = (text: string) =>
    text.replaceAll(/\b(?:8080|8085|3000|3001|443)\b/g, (port) => portOf(Number(port)));
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs/begin.sh"), toHere(readFileSync(join(root, "docs/begin.sh"), "utf8")));
  /** A block is a file, so that no program reads the blocks after it as its input. */
  const store = (code: string) => {
    files += 1;
    const name = `block-${files}.sh`;
    writeFileSync(join(folder, name), toHere(code));
    return name;
  };
  const run = async (code: string) => {
    printed = "";
    bash.stdin.write(`. ./${store(code)} < /dev/null; echo; echo "${end}"\n`);
    while (!printed.endsWith(`${end}\n`)) {
      const isOver = await Promise.race([
        ended.then(() => true),
        once(bash.stdout, "data").then(() => false),
      ]);
      if (isOver) throw new Error(`a block failed:\n${code}\n${printed}\n${errors}`);
    }
    return printed
      .slice(0, -end.length - 1)
      .replaceAll(/^gatehouse ready on .*\n/gm, "")
      .trim();
  };
  return {
    folder,
    at,
    toHere,
    run,
    async runOn(code) {
      const output = join(folder, `printed-${files}.out`);
      writeFileSync(output, "");
      await run(`${code.trim()} > ${output} 2>&1 &`);
      return async (text) => {
        for (;;) {
          const seen = readFileSync(output, "utf8");
          if (seen.includes(text)) return seen;
          if (bash.exitCode !== null) throw new Error(`the shell has ended: ${seen}`);
          await pause(50);
        }
      };
    },
    save: (name, text) => writeFileSync(join(folder, name), toHere(text)),
    async close() {
      if (bash.exitCode === null) process.kill(-(bash.pid ?? 0), "SIGKILL");
      await ended;
      remove();
    },
  };
}
