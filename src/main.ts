#!/usr/bin/env node
import module from "node:module"; // whole, because Node 20 refuses a file that names what it lacks, before the check below
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";

// Nothing that needs a newer Node may be imported before the version is known: better-sqlite3 crashes on an old one.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 23)) {
  process.stderr.write(`gatehouse needs Node 22.23 or newer; this is ${process.versions.node}\n`);
  process.exit(2);
}
// Halves the time of a start from sources. In a folder of our own, because anybody can put files into /tmp. Before the flags below,
// because Node names the folder in it after the flags of the moment: `npm start` names it before this line runs.
// The package brings a folder that its build has filled. From Node 25 on it fits wherever the package is, and every user.
const isBuilt = import.meta.filename.endsWith(".js");
const cache = join(import.meta.dirname, isBuilt ? "../cache" : "../node_modules/.cache/gatehouse");
module.enableCompileCache(isBuilt && major > 24 ? { directory: cache, portable: true } : cache);
// The start produces much garbage. A young generation that grows with it would stay that large: 25 MB for nothing.
// `serve` undoes this.
setFlagsFromString("--semi-space-growth-factor=1");
// V8 allocates objects of a place in the code directly in the old generation once objects of that place have
// survived. The first calls survive, because the code of streams is not compiled yet; afterwards a part of each call
// was old at once and kept the rest of the call alive.
setFlagsFromString("--no-allocation-site-pretenuring");
const { run } = await import("./cli/run.ts");
process.exitCode = await run(process.argv.slice(2));
