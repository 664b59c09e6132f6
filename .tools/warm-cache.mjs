// Fills the cache of compiled code that src/main.ts uses, so that the first start is as quick as all others.
import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

// As src/main.ts does: V8 takes only what was compiled under the same flags.
setFlagsFromString("--semi-space-growth-factor=1");
setFlagsFromString("--no-allocation-site-pretenuring");
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gatehouse", import.meta.url)));
try {
  const rooms = ["app", "services", "cli/run", "cli/explain"];
  const commands = ["serve", "token", "rebuild", "doctor/doctor", "backup", "events", "keys"];
  for (const file of [...rooms, ...commands.map((name) => `cli/${name}`)]) await import(`../src/${file}.ts`);
  flushCompileCache();
} catch {
  // A Node that cannot run the sources, or packages left out: the service says so itself when it is started.
}
