import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  createPostgresServer,
  findPostgres,
  makePostgresFolder,
  type PostgresFolder,
} from "../support/postgres-cluster.ts";
import type { ProjectCopy } from "./project-copy.ts";

/** Which tests to run. */
export interface Run {
  readonly files: readonly string[];
  /** A pattern for the names of the tests; undefined: all tests of the files. */
  readonly test: string | undefined;
  readonly timeoutMs: number;
  /** What the tests of `postgres/` find as GATEHOUSE_TEST_DATABASE; the runner says it. */
  readonly database?: string;
}

/** What came of a run. `broken`: it ended for another reason than a test. */
export type Result =
  | { readonly kind: "green"; readonly count: number }
  | { readonly kind: "red"; readonly test: string; readonly isTimeout: boolean }
  | { readonly kind: "broken"; readonly why: string };

/** Whether a test saw that the guard was missing. */
export type Verdict =
  | {
      readonly isCaught: true;
      readonly by: string;
      /** The test waited until its time was over, as it may with the guard on a slow machine. */
      readonly isTimeout: boolean;
    }
  | { readonly isCaught: false; readonly why: string };

/** The part of jest's report on a file of tests that is read. */
export interface FileReport {
  /** Why the file failed; empty when it did not. */
  readonly message: string;
  readonly tests: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

/** What a process of jest answers to a run. */
export interface Answer {
  readonly files: readonly FileReport[];
  /** Nothing that a test started goes on in the process. */
  readonly isClean: boolean;
}

/** Runs tests of one folder, one run after the other. */
export interface TestRunner {
  /** Runs tests until the first of a file that is red, and ends them after `timeoutMs`. */
  run(run: Run): Promise<Result>;
  /** Ends what is running, at once. */
  end(): void;
  /** Ends the server of PostgreSQL, if a run has needed one. */
  close(): Promise<void>;
}

/** As many runs does one process of jest do: what its runs leave behind is little, and goes with it. */
const runsPerProcess = 24;

/** Runs tests of a copy of the project, in a process of their own that is kept for the next runs. */
export function createTestRunner(copy: ProjectCopy): TestRunner {
  let child: ChildProcess | undefined;
  let count = 0;
  let server: ReturnType<typeof startServer> | undefined;
  const end = () => {
    // What a test started and did not end is in the process group, too.
    if (child?.pid !== undefined) killGroup(child.pid);
    child = undefined;
    count = 0;
  };
  return {
    end,
    async run(run) {
      if (count === runsPerProcess) end();
      count += 1;
      const needsServer = run.files.some((file) => file.startsWith("test/postgres/"));
      if (needsServer) server ??= startServer();
      const database = needsServer ? (await server)?.url : undefined;
      child ??= startJest(copy);
      const { result, isClean } = await ask(child, database === undefined ? run : { ...run, database });
      if (!isClean) end();
      return result;
    },
    async close() {
      await (await server)?.folder.remove();
    },
  };
}

/** Starts the server that the tier `postgres` has. */
async function startServer(): Promise<{ readonly folder: PostgresFolder; readonly url: string }> {
  const programs = findPostgres();
  const folder = makePostgresFolder(programs);
  const server = await createPostgresServer(programs, folder, { settings: { max_connections: 400 } });
  return { folder, url: server.url() };
}

/** A red test catches; everything else does not. */
export function judge(result: Result): Verdict {
  switch (result.kind) {
    case "red":
      return { isCaught: true, by: result.test, isTimeout: result.isTimeout };
    case "green":
      return { isCaught: false, why: `${result.count} tests passed without the guard` };
    case "broken":
      return { isCaught: false, why: result.why };
  }
}

/** In a process group of its own: a signal to the group of this process does not reach it. */
function startJest({ path, temporary }: ProjectCopy): ChildProcess {
  return fork(join(import.meta.dirname, "jest-process.ts"), [], {
    cwd: path,
    env: { ...process.env, TMPDIR: temporary },
    execArgv: ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    detached: true,
  });
}

async function ask(
  child: ChildProcess,
  run: Run,
): Promise<{ readonly result: Result; readonly isClean: boolean }> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(run.timeoutMs)]);
  const broken = (why: string) => ({ result: { kind: "broken", why }, isClean: false }) as const;
  try {
    child.send(run, () => {}); // when the process has gone, "close" says so
    const answer = await Promise.race([
      once(child, "message", { signal }).then(([message]) => message as Answer), // it sends nothing else
      once(child, "close", { signal }).then(() => undefined),
    ]);
    if (answer === undefined) return broken("the process of the tests ended");
    return { result: toResult(answer.files), isClean: answer.isClean };
  } catch (error) {
    if (signal.aborted) return broken(`the tests did not end within ${run.timeoutMs} ms`);
    throw error;
  } finally {
    waiting.abort();
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended, with all that it started.
  }
}

/** What stands in the failures of a mutant that does not even run: it shows nothing about the guard. */
const doesNotRun = /SyntaxError|ReferenceError|Cannot find module|is not defined/;

/** What jest says of a test that did not end in time. */
const timeout = /Exceeded timeout of \d+ ms/;

function toResult(reports: readonly FileReport[]): Result {
  const tests = reports.flatMap((report) => report.tests);
  const failed = tests.find(({ status }) => status === "failed");
  if (failed !== undefined) {
    const why = failed.failureMessages.join("\n");
    if (doesNotRun.test(why)) return { kind: "broken", why: `does not run: ${firstLine(why)}` };
    return { kind: "red", test: failed.fullName, isTimeout: timeout.test(why) };
  }
  const broken = reports.find(({ message }) => message !== "");
  if (broken !== undefined) return { kind: "broken", why: `does not run: ${firstLine(broken.message)}` };
  const passed = tests.filter(({ status }) => status === "passed").length;
  return passed === 0 ? { kind: "broken", why: "no test was run" } : { kind: "green", count: passed };
}

function firstLine(text: string): string {
  return text.trim().split("\n").slice(0, 3).join(" ");
}
