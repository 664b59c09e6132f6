// Builds what is published: dist/src and dist/gen as JavaScript, the files beside the sources that are no code, and dist/console.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = `${root}dist`;

// Not the console, which somebody may be serving: its builder replaces it as a whole.
for (const part of ["src", "gen"]) rmSync(`${output}/${part}`, { recursive: true, force: true });
const compiler = spawnSync("tsc", ["--project", ".config/tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
if (compiler.status !== 0) process.exit(1);
// The types of what programs import: the client and the messages.
const types = spawnSync("tsc", ["--project", ".config/tsconfig.client.json"], {
  cwd: root,
  stdio: "inherit",
});
if (types.status !== 0) process.exit(1);
const application = `${root}src${sep}console`;
cpSync(`${root}src`, `${output}/src`, {
  recursive: true,
  filter: (path) => !path.endsWith(".ts") && path !== application,
});
const builder = spawnSync(process.execPath, [`${root}.tools/build-console.mjs`], {
  cwd: root,
  stdio: "inherit",
});
if (builder.status !== 0) process.exit(1);
