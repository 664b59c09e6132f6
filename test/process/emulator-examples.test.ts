import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { findChromium } from "../browser/support/chromium.ts";
import { readNamed } from "../pages/support/page.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";

// The examples of docs/emulator.md, as a project has them: tests that all begin from the same state, a hundred of pytest.

const root = join(import.meta.dirname, "../..");
const { path: folder, remove } = makeTemporaryFolder();
afterAll(remove);

const save = (name: string, text: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const saveExample = (name: string) => save(name, readNamed("docs/emulator.md", name)[0] ?? "");

const entry = join(root, "src/main.ts");
save("bin/gatehouse", `#!/bin/sh\nexec ${process.execPath} ${entry} "$@"\n`);
chmodSync(join(folder, "bin/gatehouse"), 0o755);
saveExample("seed.yaml");
const env = {
  PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
  HOME: process.env["HOME"],
  CHROMIUM: findChromium(process.env),
  NODE_COMPILE_CACHE: join(root, "node_modules/.cache/gatehouse"),
};

const hasPytest = spawnSync("python3", ["-m", "pytest", "--version"]).status === 0;

// Issue 40: pytest is not on every machine.
(hasPytest ? test : test.skip)("pytest runs a hundred isolated tests", () => {
  saveExample("conftest.py");
  saveExample("test_shop.py");
  save(
    "test_many.py",
    `import pytest
@pytest.mark.parametrize("number", range(100))
def test_isolated(emulator, number):
    assert emulator.post("/v1/projects", name="Only one may have this name")["id"]
    assert emulator.post("/v1/emulator/sign_in", user="ada", application="Web")["tokens"]
`,
  );
  const args = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=1"];
  const printed = execFileSync("python3", args, { cwd: folder, env, encoding: "utf8" });
  process.stderr.write(printed.split("\n").slice(-2).join("\n"));
  expect(printed).toContain("101 passed");
});

/** Stands for @playwright/test, which would bring its own browsers: tests one after the other, each in a context of its own. */
const runner = `import { chromium } from "playwright-core";
import { setTimeout as pause } from "node:timers/promises";
export const tests = [];
const before = [];
export const test = (name, run) => void tests.push({ name, run });
test.beforeEach = (run) => void before.push(run);
export const expect = (locator) => ({
  async toContainText(text) {
    for (let tries = 0; tries < 50; tries++) {
      if ((await locator.textContent()).includes(text)) return;
      await pause(100);
    }
    throw new Error("there is no " + text + " in " + (await locator.textContent()));
  },
});
export async function runAll(times) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  for (let round = 0; round < times; round++)
    for (const { run } of tests) {
      const context = await browser.newContext();
      for (const each of before) await each();
      await run({ context, page: await context.newPage() });
      await context.close();
    }
  await browser.close();
}
`;

test("Playwright finds a user signed in, again after each reset", () => {
  for (const name of ["global-setup.mjs", "emulator.mjs", "shop.spec.mjs"]) saveExample(name);
  save(
    "node_modules/@playwright/test/index.mjs",
    runner.replace('"playwright-core"', JSON.stringify(join(root, "node_modules/playwright-core/index.mjs"))),
  );
  save(
    "node_modules/@playwright/test/package.json",
    '{"name": "@playwright/test", "exports": "./index.mjs", "type": "module"}',
  );
  save(
    "run.mjs",
    `import setup from "./global-setup.mjs";
import { runAll } from "@playwright/test";
const teardown = await setup();
await import("./shop.spec.mjs");
const start = performance.now();
try {
  await runAll(3);
} catch (error) {
  teardown(); // else this test would wait for what the emulator prints
  throw error;
}
console.log("3 passed in", Math.round(performance.now() - start), "ms");
teardown();
process.exit(0);
`,
  );
  const printed = execFileSync(process.execPath, ["run.mjs"], { cwd: folder, env, encoding: "utf8" });
  process.stderr.write(printed);
  expect(printed).toContain("3 passed");
});
