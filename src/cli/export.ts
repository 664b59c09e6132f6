import { openInstallation } from "../app/installation.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Flags } from "../config/values.ts";
import { writeExport } from "../importing/gatehouse/files.ts";
import { listExport } from "../importing/gatehouse/write.ts";
import { requireOpenSecrets } from "../identity/instance/sealed-secrets.ts";
import { CopyError } from "../kernel/storage/copy/rows.ts";
import { readPlaceOptions } from "./place-options.ts";
import { print } from "./print.ts";

/**
 * Writes everything to a new file, with --with-secrets encrypted, or with --as-config the configuration of a running service. The place must be stopped; the log keeps that it was exported.
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
    let count = 0;
    const lines = async function* () {
      for await (const line of listExport({ context, instanceId, hasSecrets })) {
        count += 1;
        yield line;
      }
    };
    await writeExport(file, lines(), {
      recipients,
      beforeName: () => instance.noteExport({ instanceId, hasSecrets }),
    });
    await print(
      `${file}: ${count} lines, ${hasSecrets ? "with secrets, encrypted" : "without secrets"}; it has personal data`,
    );
    return 0;
  } finally {
    await installation.close();
  }
}
