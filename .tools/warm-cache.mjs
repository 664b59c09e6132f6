// Fills the cache of compiled code that src/main.ts uses, so that the first start is as quick as all others.
import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/gatehouse", import.meta.url)));
try {
  await import("../src/cli/run.ts");
  await import("../src/cli/serve.ts");
  await import("../src/app.ts");
  flushCompileCache();
} catch {
  // A Node that cannot run the sources, or packages left out: the service says so itself when it is started.
}
