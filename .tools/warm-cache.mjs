// Fills the cache of compiled code that src/main.ts uses, so that the first start is as quick as all others.
//
// It starts the service as `npm start` does, on a data folder of its own, and stops it when it is ready: Node keeps the code of
// all functions that ran until then, where loading the modules alone would keep only what they run at once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gatehouse-warm-"));
const service = spawn(
  process.execPath,
  ["src/main.ts", "serve", "--listen", "127.0.0.1:0", "--data", join(folder, "data")],
  {
    cwd: root,
    env: { PATH: env.PATH, NODE_COMPILE_CACHE: "node_modules/.cache/gatehouse" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 60_000,
  },
);
service.stdout.once("data", () => service.kill()); // the ready line
// It fails with a Node that cannot run the sources, or with packages left out: the service says so itself when it is started.
await once(service, "close");
rmSync(folder, { recursive: true, force: true });
