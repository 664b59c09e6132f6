#!/usr/bin/env node
// Nothing that needs a newer Node may be imported before the version is known: better-sqlite3 crashes on an old one.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 22)) {
  process.stderr.write(`gatehouse needs Node 22.23 or newer; this is ${process.versions.node}\n`);
  process.exit(2);
}
const { run } = await import("./cli/run.ts");
process.exitCode = await run(process.argv.slice(2));
