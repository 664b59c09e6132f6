// Before the first test of the tier `browser`: builds the console as its sources are now.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export default function buildConsole() {
  const builder = fileURLToPath(new URL("build-console.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [builder], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("the console cannot be built");
}
