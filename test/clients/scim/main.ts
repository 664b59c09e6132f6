/**
 * Asks scim2-tester and scim2-cli, which others have written, whether the service keeps to SCIM 2.0. By hand,
 * because it installs them, in the versions of the lock beside it: `npm run test:clients -- scim`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { judgeByCli } from "./cli.ts";
import { makeScimDirectory } from "./directory.ts";
import { serveGatehouse } from "../../support/process.ts";

/** Runs both. Throws when one of them finds a fault, after it has printed what. */
export async function judgeScim(): Promise<void> {
  const bin = installPrograms();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-scim-"));
  const service = await serveGatehouse(["--data", folder]);
  try {
    const directory = await makeScimDirectory(
      service.url,
      readFileSync(join(folder, "admin.token"), "utf8").trim(),
    );
    const { url, token } = directory;
    const options = { stdio: "inherit" } as const;
    execFileSync(join(bin, "python"), [join(import.meta.dirname, "judge.py"), url, token], options);
    judgeByCli(bin, directory);
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Installs the programs unless they are there. Returns the folder that they are in. */
function installPrograms(): string {
  const lock = join(import.meta.dirname, "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(lock)).digest("hex").slice(0, 16);
  const folder = join(import.meta.dirname, "../../../node_modules/.cache/clients", `scim-${digest}`);
  if (!existsSync(folder)) {
    execFileSync("python3", ["-m", "venv", folder]);
    execFileSync(join(folder, "bin/pip"), ["install", "--quiet", "--requirement", lock], {
      stdio: "inherit",
    });
  }
  return join(folder, "bin");
}
