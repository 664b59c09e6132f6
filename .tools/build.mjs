// Builds what is published: the bundles of dist/src and dist/gen, the files beside the sources that are no code, the types of what
// programs import, an empty database, dist/console, and dist/cache, which holds the compiled code of a start.
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { migrate } from "../src/kernel/storage/sqlite/migrations.ts";
import { bundle } from "./bundle.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = `${root}dist`;

function run(command, ...args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

// Not the console, which somebody may be serving: its builder replaces it as a whole.
for (const part of ["src", "gen", "cache"]) rmSync(`${output}/${part}`, { recursive: true, force: true });
await bundle(root, output);
run("tsc", "--project", ".config/tsconfig.client.json");
shareNoRules(`${output}/gen/gatehouse/v1/rules_pb.d.ts`);
const application = `${root}src${sep}console`;
cpSync(`${root}src`, `${output}/src`, {
  recursive: true,
  filter: (path) => !/\.(?:ts|md)$/.test(path) && path !== application,
});
makeEmptyDatabase(`${output}/src/kernel/storage/sqlite/empty.db`);
run(process.execPath, `${root}.tools/build-console.mjs`);
run(process.execPath, `${root}.tools/warm-cache.mjs`, "dist/src/main.js");

/** Makes what a database in memory begins with, so that a start does not apply all migrations. */
function makeEmptyDatabase(file) {
  const database = new Sqlite(":memory:");
  migrate(database, 0);
  database.exec("VACUUM");
  writeFileSync(file, database.serialize());
  database.close();
}

/** Rules extend a message of a package that is bundled, so that its type is not installed. */
function shareNoRules(file) {
  const imported =
    'import type { StringRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";';
  const text = readFileSync(file, "utf8");
  if (!text.includes(imported)) throw new Error(`${file} imports other types`);
  writeFileSync(
    file,
    text.replace(imported, 'import type { Message as StringRules } from "@bufbuild/protobuf";'),
  );
}
