// PostgreSQL for tests: the programs that are installed here, and servers of our own made with them in temporary folders.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { makeTemporaryFolder } from "./temporary.ts";

const execute = promisify(execFile);
/** Where Debian keeps the programs of each version. */
const debianFolder = "/usr/lib/postgresql";
const oldestVersion = 15;
const startTimeoutMs = 60_000;

/** The programs of PostgreSQL, and who runs them: the server refuses to be run by root. */
export interface PostgresPrograms {
  /** The folder with initdb, postgres and the others. */
  readonly folder: string;
  /** `uid` and `gid` for spawn; empty when the caller is not root. */
  readonly user: { readonly uid?: number; readonly gid?: number };
  /** Runs a program to its end and returns its stdout. Rejects with its stderr when it fails. */
  run(program: string, args: readonly string[]): Promise<string>;
}

/** Settings of a server, such as `{ fsync: "off" }`. */
export type PostgresSettings = Readonly<Record<string, string | number>>;

/** A folder for the files of servers. They end, and it goes, with the process that made it, however that ends. */
export interface PostgresFolder {
  readonly path: string;
  /** Ends all servers in it at once and removes it. */
  remove(): Promise<void>;
}

/** A server on a free port of loopback, for which every role needs no password. The role `postgres` may do all. */
export interface PostgresServer {
  readonly dataFolder: string;
  readonly port: number;
  /** Returns `postgres://postgres@127.0.0.1:…/<database>`. */
  url(database?: string, role?: string): string;
  /** Says whether the postmaster runs. */
  isRunning(): boolean;
  /** Starts it, with these settings on top of those that it has, and waits until it takes connections. */
  start(settings?: PostgresSettings): Promise<void>;
  /** Ends it: `fast` undoes what is open and writes all to disk, `immediate` is a crash of all its processes. */
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** Ends the postmaster by SIGKILL and waits until its processes have followed. */
  kill(): Promise<void>;
  /** Returns what it has logged. */
  log(): string;
}

/** Finds the newest programs in Debian's folder, in PATH, or in the folder that PGBIN names, which wins. Throws without. */
export function findPostgres(): PostgresPrograms {
  const folder = binaryFolders().find((each) => existsSync(join(each, "initdb")));
  if (folder === undefined)
    throw new Error(
      `PostgreSQL ${oldestVersion} or newer is needed: install it (.ci/install-postgresql), or let PGBIN name its folder bin`,
    );
  const user = process.getuid?.() === 0 ? findUser("postgres") : {};
  return {
    folder,
    user,
    async run(program, args) {
      // In a folder that the other user may enter; the programs complain of others.
      const { stdout } = await execute(join(folder, program), args, {
        ...user,
        cwd: "/",
        env: environment,
        maxBuffer: 2 ** 26,
      });
      return stdout;
    },
  };
}

/** The variables of the caller, such as PGPORT, do not reach the programs. */
const environment = { PATH: process.env["PATH"], LC_ALL: "C.UTF-8", TZ: "UTC" };

function binaryFolders(): readonly string[] {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).map(Number) : [];
  const installed = versions.filter((version) => version >= oldestVersion).toSorted((a, b) => b - a);
  return [
    ...[process.env["PGBIN"]].filter((folder) => folder !== undefined),
    ...installed.map((version) => join(debianFolder, String(version), "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
}

/** Looks up a user of this system. initdb refuses to run for a number without a name. */
function findUser(name: string): { readonly uid: number; readonly gid: number } {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  if (line === undefined) throw new Error(`PostgreSQL is not run by root, and there is no user ${name}`);
  const [, , uid, gid] = line.split(":");
  return { uid: Number(uid), gid: Number(gid) };
}

/** Makes a temporary folder for servers: in memory where there is room, unless `path` says where. */
export function makePostgresFolder(programs: PostgresPrograms, path?: string): PostgresFolder {
  const folder =
    path === undefined
      ? makeTemporaryFolder()
      : { path, remove: () => rmSync(path, { recursive: true, force: true }) };
  const { uid, gid } = programs.user;
  if (uid !== undefined && gid !== undefined) chownSync(folder.path, uid, gid);
  const guard = startGuard(folder.path);
  return {
    path: folder.path,
    async remove() {
      guard.ref();
      guard.stdin?.end();
      await once(guard, "exit");
      folder.remove();
    },
  };
}

/**
 * Ends the servers in a folder and removes it when the caller closes stdin or is gone, even by SIGKILL. A postmaster is known
 * by its current folder, which is that of its data: the number in postmaster.pid may be that of somebody else by now.
 */
const guardScript = `
cat > /dev/null
running() { [ "$(readlink "/proc/$1/cwd")" = "$2" ]; }
for file in "$1"/*/postmaster.pid; do
  [ -f "$file" ] || continue
  pid=$(head -n 1 "$file"); data=\${file%/postmaster.pid}
  if running "$pid" "$data"; then kill -CONT "$pid"; kill -QUIT "$pid"; fi
  for try in 1 2 3 4 5 6 7 8 9 10; do running "$pid" "$data" || break; sleep 0.2; done
  if running "$pid" "$data"; then kill -KILL "$pid"; fi
  ipcrm -m "$(sed -n 7p "$file" | awk '{ print $2 }')"
done
rm -rf "$1"
`;

function startGuard(path: string): ChildProcess {
  const guard = spawn("sh", ["-c", guardScript, "sh", path], {
    detached: true, // out of the group, so that what kills the group does not kill it
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
  });
  guard.unref();
  // The socket of a pipe to a child; the type does not say so.
  (guard.stdin as unknown as { unref(): void }).unref();
  return guard;
}

/** Makes the files of a new server, named `name` in the folder, and starts it. */
export async function createPostgresServer(
  programs: PostgresPrograms,
  folder: PostgresFolder,
  { name = "data", settings = {} }: { readonly name?: string; readonly settings?: PostgresSettings } = {},
): Promise<PostgresServer> {
  const dataFolder = join(folder.path, name);
  const init = [
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    "--data-checksums",
    "--locale=C.UTF-8",
    "--no-instructions",
  ];
  await programs.run("initdb", [...init, "--no-sync", `--pgdata=${dataFolder}`]);
  const server = await openPostgresServer(programs, dataFolder, settings);
  await server.start();
  return server;
}

/** Returns a server on files that are there, such as those of pg_basebackup. It is not started. */
export async function openPostgresServer(
  programs: PostgresPrograms,
  dataFolder: string,
  settings: PostgresSettings = {},
): Promise<PostgresServer> {
  const port = await findFreePort();
  const logFile = `${dataFolder}.log`;
  let current: PostgresSettings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_buffers: "32MB",
    max_connections: 100,
    logging_collector: "off",
    ...settings,
  };
  let child: ChildProcess | undefined;
  const log = () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : "");
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals) => {
    if (child === undefined || !isRunning()) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };
  return {
    dataFolder,
    port,
    url: (database = "postgres", role = "postgres") => `postgres://${role}@127.0.0.1:${port}/${database}`,
    isRunning,
    async start(more = {}) {
      current = { ...current, ...more };
      const output = openSync(logFile, "a", 0o644);
      const words = Object.entries(current).flatMap(([setting, value]) => ["-c", `${setting}=${value}`]);
      child = spawn(join(programs.folder, "postgres"), ["-D", dataFolder, ...words], {
        ...programs.user,
        cwd: "/",
        env: environment,
        stdio: ["ignore", output, output],
      });
      closeSync(output);
      await untilReady(dataFolder, child, log);
    },
    stop: (mode = "fast") => end(mode === "fast" ? "SIGINT" : "SIGQUIT"),
    async kill() {
      const pids = child?.pid === undefined ? [] : childrenOf(child.pid);
      await end("SIGKILL");
      while (pids.some(isAlive)) await delay(5);
    },
    log,
  };
}

/** Waits for the word that the postmaster writes into the eighth line of its file. */
async function untilReady(dataFolder: string, child: ChildProcess, log: () => string): Promise<void> {
  const deadlineMs = Date.now() + startTimeoutMs;
  const isReady = () => {
    const lines = readIfThere(join(dataFolder, "postmaster.pid")).split("\n");
    return Number(lines[0]) === child.pid && /^(ready|standby)/.test(lines[7] ?? "");
  };
  while (!isReady()) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadlineMs)
      throw new Error(
        `PostgreSQL did not start in ${dataFolder}:\n${log().split("\n").slice(-20).join("\n")}`,
      );
    await delay(10);
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Returns the processes that a process has started and that still run. */
function childrenOf(pid: number): readonly number[] {
  return readIfThere(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** Says whether a process still runs: one that nobody has waited for yet does not. */
function isAlive(pid: number): boolean {
  const status = readIfThere(`/proc/${pid}/status`);
  return status !== "" && !/^State:\tZ/m.test(status);
}

/** Returns a port of loopback that nobody listens on now. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP server has a port");
  server.close();
  await once(server, "close");
  return address.port;
}
