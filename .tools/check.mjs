// Runs every check of the project: `npm run check`. All steps run; output of a step is shown
// when it failed, and the last line says which did.
// Nothing in the work tree is changed: what is generated goes into a temporary folder and is compared with gen/.
//
// `npm run check -- types lint` runs only the named steps; `npm run check -- --but architecture` all others.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const STEPS = {
  lock: () => run("node", ".tools/complete-lock.mjs", "--check"),
  format: () => run("biome", "format", "."),
  lint: () => generateForConsole() && run("oxlint", "--deny-warnings"), // it judges by types, too
  types: () =>
    generateForConsole() &&
    run("tsc", "--project", "tsconfig.json") &&
    run("tsc", "--project", "src/console/tsconfig.json") &&
    run("tsc", "--project", "test/console/tsconfig.json"),
  protos: () =>
    run("node", ".tools/lay-protos.mjs") &&
    run("buf", "lint") &&
    run("buf", "format", "--diff", "--exit-code", "--path", "proto/gatehouse", "--path", "proto/google/rpc"),
  generated: compareGenerated,
  sources: () => run("npm", "run", "test:check", "--silent"),
  architecture: () => run("npm", "test", "--silent", "--", "test/architecture"),
};

const isBut = process.argv[2] === "--but";
const named = process.argv.slice(isBut ? 3 : 2);
const unknown = named.filter((name) => !Object.hasOwn(STEPS, name));
if (unknown.length > 0) throw new Error(`no such step: ${unknown.join(", ")}`);

const wanted =
  isBut || named.length === 0 ? Object.keys(STEPS).filter((name) => !named.includes(name)) : named;

const failed = [];
for (const name of wanted) {
  console.log(`check: ${name}`);
  if (!STEPS[name]()) failed.push(name);
}
console.log(failed.length === 0 ? "check: passed" : `check: FAILED: ${failed.join(", ")}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs the command and says whether it succeeded; what it printed is shown only when it failed. */
function run(command, ...args) {
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  if (result.status === 0) return true;
  process.stdout.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  console.log(
    `check: failed: ${[command, ...args].join(" ")} (${result.error?.message ?? `exit code ${result.status}`})`,
  );
  return false;
}

/** The console has types of its own: those of the browser, and none of Node. Its tests need both. */
function generateForConsole() {
  return run("node", ".tools/gen-console.mjs");
}

function compareGenerated() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-gen-"));
  try {
    if (!run("node", ".tools/gen.mjs", "--out", folder)) return false;
    if (run("diff", "--recursive", "--exclude=console", "--unified=0", "gen", join(folder, "gen")))
      return true;
    console.log("gen/ is not what proto/ generates. Run: npm run gen");
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
