import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const cache = "node_modules/.cache/gatehouse";
const printFolder = `data:text/javascript,import { getCompileCacheDir } from "node:module";
  process.once("exit", () => console.log(getCompileCacheDir()));`;

test("a start by npm, which .tools/warm-cache.mjs does ahead, and any other start keep compiled code in the same folder", () => {
  const byNpm = folderOf({ NODE_COMPILE_CACHE: cache });
  expect(dirname(byNpm)).toBe(join(root, cache));
  expect(folderOf({})).toBe(byNpm);
});

/** Where a process of `gatehouse` keeps its compiled code. */
function folderOf(environment: Readonly<Record<string, string>>): string {
  const { stdout } = spawnSync(process.execPath, ["--import", printFolder, "src/main.ts", "version"], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...environment },
    encoding: "utf8",
  });
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}
