// Runs one tier of the tests with jest: `node .tools/jest.mjs rules test/api --verbose`. What comes after the name of the
// tier goes to jest. `.config/tiers.json` says what each tier adds to `.config/jest.json`, in jest's own words, and under
// `full` what it adds to that with `--full`, where tests that have a size run in full (`test/support/size.ts`).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (name) => JSON.parse(readFileSync(`${root}.config/${name}.json`, "utf8"));

const [tier, ...given] = process.argv.slice(2);
const isFull = given.includes("--full");
const args = given.filter((arg) => arg !== "--full");
const tiers = read("tiers");
if (!Object.hasOwn(tiers, tier)) throw new Error(`Name one of the tiers: ${Object.keys(tiers).join(", ")}`);
const { full = {}, ...small } = tiers[tier];
const config = { ...read("jest"), rootDir: root, ...small, ...(isFull ? full : {}) };
if (isFull) config.globals = { testSize: "full", ...config.globals };
// In place of this process, so that a signal to `npm test` reaches jest. Its workers inherit the flag, without which jest
// takes no modules of ECMAScript.
process.execve(process.execPath, [
  process.execPath,
  "--experimental-vm-modules",
  "--disable-warning=ExperimentalWarning",
  `${root}node_modules/jest/bin/jest.js`,
  `--config=${JSON.stringify(config)}`,
  ...args,
]);
