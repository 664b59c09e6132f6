// Runs one tier of the tests with jest: `node .tools/jest.mjs long test/api --verbose`. What comes after the name of the
// tier goes to jest. `.config/tiers.json` says what each tier adds to `.config/jest.json`, in jest's own words.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (name) => JSON.parse(readFileSync(`${root}.config/${name}.json`, "utf8"));

const [tier, ...args] = process.argv.slice(2);
const tiers = read("tiers");
if (!Object.hasOwn(tiers, tier)) throw new Error(`Name one of the tiers: ${Object.keys(tiers).join(", ")}`);
const config = { ...read("jest"), rootDir: root, ...tiers[tier] };
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
