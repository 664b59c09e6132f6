/**
 * Asks scim2-tester, which others have written, whether the service keeps to SCIM 2.0. By hand,
 * because it installs them, in the versions of the lock beside it: `npm run test:clients -- scim`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serveGatehouse } from "../../support/process.ts";

type Answer = Readonly<Record<string, string>>;

/** Runs both. Throws when one of them finds a fault, after it has printed what. */
export async function judgeScim(): Promise<void> {
  const bin = installPrograms();
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-scim-"));
  const service = await serveGatehouse(["--data", folder]);
  try {
    const { url, token } = await makeDirectory(
      service.url,
      readFileSync(join(folder, "admin.token"), "utf8").trim(),
    );
    const options = { stdio: "inherit" } as const;
    execFileSync(join(bin, "python"), [join(import.meta.dirname, "judge.py"), url, token], options);
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

/** Makes a service user that may manage the users of its organization, and returns what a directory is given. */
async function makeDirectory(origin: string, adminToken: string) {
  const call = async (path: string, body: object, organization = ""): Promise<Answer> => {
    const headers = {
      authorization: `Bearer ${adminToken}`,
      "content-type": "application/json",
      "x-service-orgid": organization,
    };
    const answer = await fetch(origin + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer; // of what is read here
  };
  const { organizationId = "" } = await call("/v1/orgs", { name: "Directory" });
  const { userId = "" } = await call(
    "/v1/users/service",
    { username: "directory", name: "Directory" },
    organizationId,
  );
  await call("/v1/memberships", { userId, organizationId, roles: ["ORGANIZATION_USER_MANAGER"] });
  const { token = "" } = await call(`/v1/users/${userId}/pats`, {});
  return { url: `${origin}/scim/v2/${organizationId}`, token };
}
