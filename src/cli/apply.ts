import { readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { exportConfiguration } from "../applying/export/write-configuration.ts";
import { createSecretSource } from "../applying/file/secrets.ts";
import { configurationKinds } from "../applying/kinds/configuration-kinds.ts";
import type { Plan } from "../applying/plan/make-plan.ts";
import type { NewSecret } from "../applying/plan/new-secrets.ts";
import { applyPlan, type ConfigurationRun, planConfiguration } from "../applying/plan/run.ts";
import { toLines, toSummary } from "../applying/plan/show.ts";
import { ConfigurationError } from "../applying/reading/configuration-error.ts";
import { connectService } from "../applying/reading/connect.ts";
import { createServiceReader } from "../applying/reading/reader.ts";
import { type Flags, processEnvironment } from "../config/values.ts";
import { print } from "./terminal/print.ts";

/** Exit code of a plan that would change something. */
const different = 2;

/** Prints what applying the file would change. The exit code is 2 if it is anything. */
export async function planFile(flags: Flags, [file = ""]: readonly string[]): Promise<number> {
  const { plan } = await comparePlan(flags, file);
  return plan.changes.length === 0 ? 0 : different;
}

/** Makes the service what the file says, in one transaction, and prints what has changed. */
export async function applyFile(flags: Flags, [file = ""]: readonly string[]): Promise<number> {
  const { run, plan } = await comparePlan(flags, file);
  if (plan.changes.length === 0) return 0;
  const secretsFile = textOf(flags, "newSecrets");
  if (secretsFile !== undefined) writeFileSync(secretsFile, "", { mode: 0o600, flag: "wx" });
  const secrets = await applyPlan(run, plan);
  await print(toSummary("apply", plan.changes));
  await handOver(secrets, secretsFile);
  return 0;
}

/** Compares the file with the service, and prints the differences. */
async function comparePlan(
  flags: Flags,
  file: string,
): Promise<{ readonly run: ConfigurationRun; readonly plan: Plan }> {
  const run = {
    gatehouse: connectTo(flags),
    file,
    content: file === "-" ? await text(process.stdin) : readFileSync(file, "utf8"),
    secrets: createSecretSource({ environment: processEnvironment(), folder: textOf(flags, "secretsDir") }),
    isPruning: flags["prune"] === true,
  };
  const plan = await planConfiguration(run);
  const lines = [...toLines(plan.changes), toSummary("plan", plan.changes)];
  if (plan.unpruned > 0)
    lines.push(`${plan.unpruned} more are there that the file does not have; --prune removes them`);
  await print(lines.join("\n"));
  return { run, plan };
}

/** Writes the configuration of a service to a new file, or to stdout. */
export async function exportAsConfiguration(flags: Flags, file: string): Promise<number> {
  const named = flags["organization"];
  const content = await exportConfiguration({
    reader: createServiceReader(connectTo(flags)),
    kinds: configurationKinds,
    organizations: Array.isArray(named) ? named.map(String) : [],
    hasPeople: flags["withPeople"] === true,
  });
  if (file === "" || file === "-") await print(content.trimEnd());
  else writeFileSync(file, content, { mode: 0o600, flag: "wx" });
  return 0;
}

/** Connects to the service that the flags name. */
function connectTo(flags: Flags): ReturnType<typeof connectService> {
  const server = textOf(flags, "server");
  const tokenFile = textOf(flags, "tokenFile");
  if (server === undefined || tokenFile === undefined)
    throw new ConfigurationError(
      "--server and --token-file are needed: which service, and a file with an access token",
    );
  return connectService({ server, tokenFile });
}

async function handOver(secrets: readonly NewSecret[], file: string | undefined): Promise<void> {
  if (file !== undefined)
    writeFileSync(
      file,
      secrets.map(({ label, fields }) => `${JSON.stringify({ of: label, ...fields })}\n`).join(""),
    );
  for (const { label, fields } of secrets) {
    const client =
      typeof fields["client_id"] === "string" ? ` has the client id ${fields["client_id"]} and` : " has";
    const where =
      file === undefined
        ? "that nobody has kept; generate another one, or apply with --new-secrets"
        : `that is in ${file}`;
    await print(`${label}${client} a new secret ${where}`);
  }
}

function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
