import { openInstallation } from "../../app/installation.ts";
import { parseConfig } from "../../config/config.ts";
import { ConfigError } from "../../config/config-error.ts";
import { type Flags, processEnvironment } from "../../config/values.ts";
import { createDirectoryServers } from "../../identity/directories/servers.ts";
import { syncDirectory, type SyncPorts, type SyncResult } from "../../identity/directories/sync.ts";
import { listActiveDirectories } from "../../identity/providers/repository.ts";
import { DirectoryError } from "../../kernel/base/directory/directory-error.ts";
import { createDirectories } from "../../kernel/outbound/directory/directories.ts";
import type { PlaceConfig } from "../../config/place.ts";

/** What prints the lines of the command. */
interface Printing {
  readonly print: (line: string) => Promise<void>;
  readonly printError: (text: string) => void;
}

/** Where the data is, and what prints. */
export interface SyncCommand extends Printing {
  readonly place: PlaceConfig;
}

/**
 * Makes the users who are linked to directories what these say, directory by directory, and prints a line for each. The exit code is 1 if one
 * of them does not answer, or was left as it is because too many users would go.
 */
export async function syncDirectories(flags: Flags, { place, ...printing }: SyncCommand): Promise<number> {
  const {
    dev,
    fetchAllowedHosts: allowedHosts,
    ldapPlainTextHosts: plainTextHosts,
  } = parseConfig(flags, processEnvironment());
  const ids = Array.isArray(flags["idp"]) ? flags["idp"].map(String) : [];
  const options = { isForced: flags["force"] === true, isDryRun: flags["dryRun"] === true };
  const installation = await openInstallation(place, { isNewAllowed: false });
  try {
    const { context } = installation;
    const directories = createDirectories({ dev, allowedHosts, plainTextHosts });
    const ports = { ...context, servers: createDirectoryServers(directories, context.clock) };
    const all = await context.database.read(listActiveDirectories);
    const unknown = ids.find((id) => !all.some((provider) => provider.id === id));
    if (unknown !== undefined)
      throw new ConfigError(`there is no active directory with the id ${JSON.stringify(unknown)}`);
    let code = 0;
    for (const provider of all.filter(({ id }) => ids.length === 0 || ids.includes(id)))
      code = Math.max(code, await syncOne({ ...ports, ...printing }, provider, options));
    return code;
  } finally {
    await installation.close();
  }
}

async function syncOne(
  { print, printError, ...ports }: SyncPorts & Printing,
  provider: Parameters<typeof syncDirectory>[1],
  options: Parameters<typeof syncDirectory>[2],
): Promise<number> {
  const name = `${provider.name} (${provider.id})`;
  try {
    const result = await syncDirectory(ports, provider, options);
    await print(`${name}: ${describe(result, options.isDryRun)}`);
    return result.isStopped ? 1 : 0;
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error;
    printError(
      `gatehouse: ${name}: nothing was changed, because the directory did not answer (${error.detail})\n`,
    );
    return 1;
  }
}

function describe(
  { people, linked, changed, leavers, kept, isStopped }: SyncResult,
  isDryRun: boolean,
): string {
  const found = `${people} people, ${linked} linked users`;
  const gone = leavers - kept;
  if (isStopped)
    return `${found}; nothing was changed: ${gone} would be deactivated, more than a tenth of the active ones. Make sure that the directory shows all its people; --force does it all the same`;
  const would = isDryRun ? " (nothing was done)" : "";
  const stay =
    kept === 0
      ? ""
      : `; ${kept} stay, because they hold a role outside of the organization or are its last owner`;
  return `${found}; ${changed} changed, ${gone} deactivated${stay}${would}`;
}
