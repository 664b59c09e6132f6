import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Which tests to run. */
export interface Run {
  readonly files: readonly string[];
  /** A pattern for the names of the tests; undefined: all tests of the files. */
  readonly test: string | undefined;
  readonly timeoutMs: number;
}

/** What came of a run. `broken`: it ended for another reason than a test. */
export type Result =
  | { readonly kind: "green"; readonly count: number }
  | { readonly kind: "red"; readonly test: string; readonly why: string }
  | { readonly kind: "broken"; readonly why: string };

/** Whether a test saw that the guard was missing. */
export type Verdict =
  | { readonly isCaught: true; readonly by: string }
  | { readonly isCaught: false; readonly why: string };

/** The part of jest's report (`--json`) that is read. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

const running = new Set<number>();

/** Ends all runs at once: they are in process groups of their own, which a signal to this one does not reach. */
export function endRuns(): void {
  for (const group of running) process.kill(-group, "SIGKILL");
}

/** Runs tests of the project in `folder`, and ends them after `timeoutMs`. */
export async function runTests(folder: string, run: Run): Promise<Result> {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const args = [
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    "node_modules/jest/bin/jest.js",
    "--config=.config/jest.json",
    `--cacheDirectory=${join(folder, ".jest-cache")}`,
    "--json",
    `--outputFile=${report}`,
    "--bail",
    "--silent",
    "--forceExit",
    ...(run.test === undefined ? [] : ["--testNamePattern", run.test]),
    "--runTestsByPath",
    ...run.files,
  ];
  // Only its own process group is ended, so that processes which a test started end with it.
  const child = spawn(process.execPath, args, { cwd: folder, stdio: "ignore", detached: true });
  const { pid } = child;
  if (pid === undefined) return { kind: "broken", why: "node did not start" };
  running.add(pid);
  let isTimeUp = false;
  const timer = setTimeout(() => {
    isTimeUp = true;
    process.kill(-pid, "SIGKILL");
  }, run.timeoutMs);
  await once(child, "close");
  running.delete(pid);
  clearTimeout(timer);
  if (isTimeUp) return { kind: "broken", why: `the tests did not end within ${run.timeoutMs} ms` };
  if (!existsSync(report)) return { kind: "broken", why: "the tests did not start" };
  return toResult(JSON.parse(readFileSync(report, "utf8")) as Report); // jest has written it
}

/** A red test catches; everything else does not. */
export function judge(result: Result): Verdict {
  switch (result.kind) {
    case "red":
      return { isCaught: true, by: result.test };
    case "green":
      return { isCaught: false, why: `${result.count} tests passed without the guard` };
    case "broken":
      return { isCaught: false, why: result.why };
  }
}

/** What stands in the failures of a mutant that does not even run: it shows nothing about the guard. */
const doesNotRun = /SyntaxError|ReferenceError|Cannot find module|is not defined/;

function toResult({ testResults }: Report): Result {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.find(({ status }) => status === "failed");
  if (failed !== undefined) {
    const why = failed.failureMessages.join("\n");
    if (doesNotRun.test(why)) return { kind: "broken", why: `does not run: ${firstLine(why)}` };
    return { kind: "red", test: failed.fullName, why };
  }
  const broken = testResults.find(
    ({ message, assertionResults }) =>
      message !== "" && !assertionResults.some(({ status }) => status === "failed"),
  );
  if (broken !== undefined) return { kind: "broken", why: `does not run: ${firstLine(broken.message)}` };
  const passed = tests.filter(({ status }) => status === "passed").length;
  return passed === 0 ? { kind: "broken", why: "no test was run" } : { kind: "green", count: passed };
}

function firstLine(text: string): string {
  return text.trim().split("\n").slice(0, 3).join(" ");
}
