/**
 * Runs tests with jest, once for each message: jest and what it keeps are loaded once for many mutants. The modules of
 * the project are loaded anew for each run, as jest does for each file of tests.
 */
import { join } from "node:path";
import { buildArgv, runCLI } from "jest";
import type { FileReport, Run } from "./run-tests.ts";

const environment = join(import.meta.dirname, "stop-at-first-failure.cjs");

process.on("message", (run: Run) => {
  void answer(run);
});

async function answer(run: Run): Promise<void> {
  const c0 = process.cpuUsage();
  const reports = await runJest(run);
  const c = process.cpuUsage(c0);
  process.send?.(reports);
  const { appendFileSync } = await import("node:fs");
  appendFileSync("/tmp/mutproto/times", `${((c.user + c.system) / 1e6).toFixed(2)} ${(process.memoryUsage().rss / 1e6).toFixed(0)} ${run.files} ${run.test} ${process.getActiveResourcesInfo()} ${run.files.map(() => "")}\n`);
}

async function runJest({ files, test }: Run): Promise<readonly FileReport[]> {
  const folder = process.cwd();
  const argv = await buildArgv([
    "--config=.config/jest.json",
    `--cacheDirectory=${join(folder, ".jest-cache")}`,
    `--testEnvironment=${environment}`,
    "--watchman=false",
    "--runInBand",
    "--silent",
    ...(test === undefined ? [] : ["--testNamePattern", test]),
    "--runTestsByPath",
    ...files,
  ]);
  const { results } = await runCLI({ ...argv, reporters: [] }, [folder]);
  return results.testResults.map(({ failureMessage, testResults }) => ({
    message: failureMessage ?? "",
    tests: testResults.map(({ status, fullName, failureMessages }) => ({ status, fullName, failureMessages })),
  }));
}
