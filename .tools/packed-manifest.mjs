// Writes the package.json that `npm pack` packs, and restores ours afterwards: `node .tools/packed-manifest.mjs write|restore`.
//
// What is bundled must not be installed again, and what prepares a clone must not run for a package: npm warns of it. npm has no
// field for either, so `prepack` and `postpack` change the file for the moment between them.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { installed } from "./bundle.mjs";

const file = fileURLToPath(new URL("../package.json", import.meta.url));
const kept = fileURLToPath(new URL("../node_modules/.cache/gatehouse-pack/package.json", import.meta.url));

/** What only builds and tests is left out. The scripts stay: somebody may run one at this moment. */
function toPacked({ dependencies, ...manifest }) {
  const packed = { ...manifest, scripts: { ...manifest.scripts } };
  delete packed.scripts.prepare;
  delete packed.devDependencies;
  delete packed.allowScripts;
  return { ...packed, dependencies: Object.fromEntries(installed.map((name) => [name, dependencies[name]])) };
}

function write() {
  if (existsSync(kept)) restore(); // a pack that was ended before `postpack`
  const text = readFileSync(file, "utf8");
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, text);
  replace(`${JSON.stringify(toPacked(JSON.parse(text)), undefined, 2)}\n`);
}

/** Leaves a file alone that is ours already, which may have changed since. */
function restore() {
  if (JSON.parse(readFileSync(file, "utf8")).devDependencies === undefined)
    replace(readFileSync(kept, "utf8"));
  renameSync(kept, `${kept}.last`);
}

/** At once, because scripts of this package may be running. */
function replace(text) {
  writeFileSync(`${kept}.new`, text);
  renameSync(`${kept}.new`, file);
}

if (process.argv[2] === "restore") restore();
else write();
