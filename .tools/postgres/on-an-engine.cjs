// Chooses the files of the tier `postgres`: those that ask for a database, and those that are about PostgreSQL. What a rule decides
// without one is the same on any engine.
const { existsSync, readFileSync } = require("node:fs");
const { dirname, join, relative, resolve } = require("node:path");

const root = resolve(__dirname, "../..");
/** Where the tests get their databases from. */
const sources = ["test/support/engine/engine.ts", "test/process/support/place-options.ts"];
const reaches = new Map(sources.map((file) => [join(root, file), true]));

/** Says whether a file is one of the sources, or imports one, itself or through others. */
function asksForDatabase(file) {
  const known = reaches.get(file);
  if (known !== undefined) return known;
  reaches.set(file, false); // for a circle
  const asks = importsOf(file).some(asksForDatabase);
  reaches.set(file, asks);
  return asks;
}

/** The files of tests that a file imports. */
function importsOf(file) {
  return [...readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)]
    .map(([, path]) => resolve(dirname(file), path))
    .filter((path) => path.startsWith(join(root, "test/")) && existsSync(path));
}

module.exports = async (files) => ({
  filtered: files.filter(
    (file) => /^test\/(kernel\/storage\/)?postgres\//.test(relative(root, file)) || asksForDatabase(file),
  ),
});
