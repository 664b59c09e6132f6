/**
 * Runs tests with jest, once for each message: jest and what it keeps are loaded once for many mutants. The modules of
 * the project are loaded anew for each run, as jest does for each file of tests.
 */
import { join } from "node:path";
import { buildArgv, runCLI } from "jest";
import type { Answer, FileReport, Run } from "./run-tests.ts";

/** What a red test may not have ended: it could disturb the tests of the next mutant. */
const leftOver = new Set(["ProcessWrap", "TCPServerWrap", "TCPSocketWrap", "Timeout"]);
/** A test that waits for what never comes without the guard waits no longer than this, unless it says so itself. */
const testTimeoutMs = 10_000;
const environment = join(import.meta.dirname, "stop-at-first-failure.cjs");

process.on("message", (run: Run) => {
  void answer(run);
});

async function answer(run: Run): Promise<void> {
  delete process.env["GATEHOUSE_TEST_DATABASE"];
  if (run.database !== undefined) process.env["GATEHOUSE_TEST_DATABASE"] = run.database;
  const files = await runJest(run);
  const isClean = !process.getActiveResourcesInfo().some((each) => leftOver.has(each));
  process.send?.({ files, isClean } satisfies Answer);
}

async function runJest({ files, test }: Run): Promise<readonly FileReport[]> {
  const folder = process.cwd();
  const argv = await buildArgv([
    "--config=.config/jest.json",
    `--cacheDirectory=${join(folder, ".jest-cache")}`,
    `--testEnvironment=${environment}`,
    `--testTimeout=${testTimeoutMs}`,
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
    tests: testResults.map(({ status, fullName, failureMessages }) => ({
      status,
      fullName,
      failureMessages,
    })),
  }));
}
