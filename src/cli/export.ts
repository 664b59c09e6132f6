import { openInstallation } from "../app/installation.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Flags } from "../config/values.ts";
import { writeExport } from "../importing/gatehouse/files.ts";
import { listOrganizationExport } from "../importing/gatehouse/organization/write.ts";
import { listExport } from "../importing/gatehouse/write.ts";
import { findOrganization, findOrganizationByName } from "../identity/organizations/repository.ts";
import type { Database } from "../kernel/base/database.ts";
import { requireOpenSecrets } from "../identity/instance/sealed-secrets.ts";
import { CopyError } from "../kernel/storage/copy/rows.ts";
import { readPlaceOptions } from "./place-options.ts";
import { print } from "./terminal/print.ts";

/**
 * Writes everything, or with --organization one organization, to a new file, with --with-secrets encrypted, or with --as-config the configuration of a running service. The place must be stopped; the log keeps that it was exported.
 */
export async function exportInstance(flags: Flags, [file = ""]: readonly string[]): Promise<number> {
  if (flags["asConfig"] === true)
    return await (await import("./apply.ts")).exportAsConfiguration(flags, file);
  if (file === "") throw new ConfigError("export needs the name of a new file");
  const hasSecrets = flags["withSecrets"] === true;
  const recipients = Array.isArray(flags["recipient"]) ? flags["recipient"].map(String) : [];
  if (hasSecrets && recipients.length === 0)
    throw new ConfigError(
      "--with-secrets needs --recipient, for whom the file is encrypted: age-keygen prints one (age1…)",
    );
  const installation = await openInstallation(readPlaceOptions(flags), {
    isNewAllowed: false,
    isAlone: true,
  });
  try {
    const { context, instance, place } = installation;
    const instanceId = await instance.findId();
    if (instanceId === undefined) throw new CopyError(`there is no installation in ${place.name}`);
    if (hasSecrets) await context.database.read((tx) => requireOpenSecrets(tx, context.keyring));
    const organizationId = await findExported(context.database, flags["organization"]);
    const run = { context, instanceId, hasSecrets };
    let count = 0;
    const lines = async function* () {
      for await (const line of organizationId === ""
        ? listExport(run)
        : listOrganizationExport({ ...run, organizationId })) {
        count += 1;
        if (line.kind === "left_out") await print(`~ ${line.value.text}`);
        yield line;
      }
    };
    await writeExport(file, lines(), {
      recipients,
      beforeName: () => instance.noteExport({ instanceId, organizationId, hasSecrets }),
    });
    await print(
      `${file}: ${count} lines, ${hasSecrets ? "with secrets, encrypted" : "without secrets"}; it has personal data`,
    );
    return 0;
  } finally {
    await installation.close();
  }
}

/** Returns the id of the organization that --organization names, by id or name; empty without it. */
async function findExported(database: Database, names: unknown): Promise<string> {
  if (!Array.isArray(names)) return "";
  const [named, ...others] = names.map(String);
  if (named === undefined || others.length > 0)
    throw new ConfigError("export writes one organization to a file; --as-config takes several");
  const found = await database.read(
    async (tx) => (await findOrganization(tx, named)) ?? (await findOrganizationByName(tx, named)),
  );
  if (found === undefined)
    throw new ConfigError(`there is no organization with the id or name ${JSON.stringify(named)}`);
  return found.id;
}
