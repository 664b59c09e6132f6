// Fills the cache of compiled code that main.ts uses, so that the first start is as quick as all others: of the sources, or with
// `dist/src/main.js` that of the package.
//
// It starts the service on a data folder of its own, and stops it when it is ready and has answered: Node keeps the code of all
// functions that ran until then, where loading the modules alone would keep only what they run at once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { env } from "node:process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const [, , main = "src/main.ts"] = process.argv;
const folder = mkdtempSync(join(tmpdir(), "gatehouse-warm-"));
// `npm start` names the folder, which Node then names after the flags of the start; the package does it by itself.
const named = main.endsWith(".ts") ? { NODE_COMPILE_CACHE: "node_modules/.cache/gatehouse" } : {};
const service = spawn(
  process.execPath,
  [main, "serve", "--listen", "127.0.0.1:0", "--data", join(folder, "data")],
  { cwd: root, env: { PATH: env.PATH, ...named }, stdio: ["ignore", "pipe", "ignore"], timeout: 60_000 },
);
const lines = createInterface(service.stdout);
lines.once("line", (line) => {
  const url = line.replace("gatehouse ready on ", "").replace("127.0.0.1", "localhost");
  void fetch(`${url}/.well-known/openid-configuration`)
    .then((answer) => answer.text())
    .catch(() => "") // the cache then lacks what answers
    .finally(() => service.kill());
});
// It fails with a Node that cannot run the sources, or with packages left out: the service says so itself when it is started.
await once(service, "close");
rmSync(folder, { recursive: true, force: true });
