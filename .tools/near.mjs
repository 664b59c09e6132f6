// Runs the tests nearest to what the change touches: `npm run test:near`. Those are the tests that changed, the tests of the files
// that changed and of those that import them, by the imports of test/architecture, and the rules about the sources. The nearest come
// first; where many depend on a change, only so many are run that a minute is enough, and it says how many are left to `npm test`.
// `npm run test:near -- --list` prints their names only; everything else goes to jest.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { importsOf, placeOfRoom, roomOf } from "../test/architecture/import-table.ts";
import { tiersOf } from "../test/support/tiers.ts";
import { listTouched } from "../test/support/touched.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
/** What half a minute is enough for on each of two cores. */
const most = 80;
/** Rooms that put all others together: behind them, everything depends on everything. */
const composing = new Set(["services", "installation", "providers", "app", "cli", "main"]);

/** The rooms whose work is seen through the API. */
const behindApi = new Set(["access", "features", "gen", "rpc"]);
/** Farther than any number of imports. */
const throughService = 100;

const importers = readImporters(["src", "gen", "test"]);
const touched = listTouched();
const distances = measureDistances(touched);
const tests = [...distances.keys()].filter((file) => isTest(file) && tiersOf(file).includes("fast"));
const nearest = tests.toSorted((a, b) => distances.get(a) - distances.get(b)).slice(0, most);

if (process.argv.includes("--list"))
  for (const file of nearest) console.log(`${distances.get(file)} ${file}`);
else {
  const { status } = spawnSync(
    process.execPath,
    [".tools/jest.mjs", "fast", ...process.argv.slice(2), "test/architecture/", ...nearest],
    { cwd: root, stdio: "inherit" },
  );
  process.exitCode = status ?? 1;
}
console.log(
  `${touched.length} files are touched; ${nearest.length} of ${tests.length} files of tests near them`,
);

/** Returns by each file which files load it. */
function readImporters(folders) {
  const found = new Map();
  for (const folder of folders)
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(name) || name.includes("node_modules")) continue;
      const file = `${folder}/${name}`;
      for (const { target, isRelative, isTypeOnly } of importsOf(
        file,
        readFileSync(join(root, file), "utf8"),
      ))
        if (isRelative && !isTypeOnly) found.set(target, [...(found.get(target) ?? []), file]);
    }
  return found;
}

/**
 * Returns the files that depend on those, the nearest first: by the number of imports between, then those that meet them through a whole
 * service. What a test takes from the helpers of all tests does not count; a test in the mirror of a touched folder is as near as
 * if it imported what is touched.
 */
function measureDistances(files) {
  const found = new Map();
  let next = files;
  for (let distance = 0; next.length > 0; distance += 1) {
    const fresh = next.filter((file) => !found.has(file));
    for (const file of fresh) found.set(file, distance);
    if (distance === 0) addTests(found, files.filter(isSource).map(dirname), 1);
    next = fresh.filter(passesOn).flatMap((file) => importers.get(file) ?? []);
  }
  const sources = [...found].filter(([file]) => isSource(file) && passesOn(file));
  for (const [file, distance] of sources.toSorted(([, a], [, b]) => a - b))
    addTests(found, [placeOfRoom[roomOf(file)]], throughService + distance, true);
  if (files.some((file) => behindApi.has(roomOf(file)))) addTests(found, ["src/api"], 2 * throughService);
  return found;
}

/** Adds the tests that mirror folders of src/, and those below them if told so. */
function addTests(found, folders, distance, below = false) {
  const mirrors = folders.map((folder) => folder.replace(/^src/, "test"));
  // A room with more of them, such as that of all features, is no neighbour.
  if (below && listTests().filter((test) => test.startsWith(mirrors[0])).length > most) return;
  const isIn = (test, mirror) => (below ? test.startsWith(`${mirror}/`) : dirname(test) === mirror);
  for (const test of listTests())
    if (!found.has(test) && mirrors.some((mirror) => isIn(test, mirror))) found.set(test, distance);
}

function isSource(file) {
  return file.startsWith("src/");
}

function isTest(file) {
  return file.endsWith(".test.ts");
}

function listTests() {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter(isTest)
    .map((name) => `test/${name}`);
}

function passesOn(file) {
  if (file.startsWith("test/support/")) return touched.includes(file);
  return !composing.has(roomOf(file));
}
