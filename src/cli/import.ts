import { ConfigError } from "../config/config-error.ts";
import { parseDomain } from "../config/relying-parties.ts";
import type { Flags } from "../config/values.ts";
import { openInstallation } from "../app/installation.ts";
import type { ReadTransaction } from "../kernel/base/database.ts";
import type { OrganizationId } from "../kernel/base/ids.ts";
import { findOrganization, findOrganizationByName } from "../identity/organizations/repository.ts";
import { openGeneric } from "../importing/generic/source.ts";
import { openKeycloak } from "../importing/keycloak/source.ts";
import { createHashReader } from "../importing/hashes.ts";
import type { Source } from "../importing/records.ts";
import { openZitadel } from "../importing/zitadel/source.ts";
import { runImport } from "../importing/run.ts";
import { readPlaceOptions } from "./place-options.ts";
import { print } from "./terminal/print.ts";
import { releaseMemory } from "../kernel/base/memory/release-memory.ts";

type Open = (files: readonly string[], flags: Flags) => Promise<Source>;

const sources: Readonly<Record<string, Open>> = {
  generic: async (files, flags) => openGeneric(files, textOf(flags, "as") ?? "generic"),
  keycloak: (files, flags) =>
    openKeycloak(files, {
      name: textOf(flags, "as"),
      keepsSubjects: flags["keepSubjects"] === true,
      rpId: rpIdOf(flags),
    }),
  zitadel: (files, flags) =>
    openZitadel(files, {
      name: textOf(flags, "as"),
      from: textOf(flags, "from"),
      keepsSubjects: flags["keepSubjects"] === true,
    }),
};

/** Prints what an import would do or, with --apply, does it. The exit code is 1 if something has a fault. */
export async function importFiles(flags: Flags, [kind = "", ...files]: readonly string[]): Promise<number> {
  if (kind === "gatehouse") return await (await import("./restore.ts")).restore(flags, files);
  const open = sources[kind];
  if (open === undefined)
    throw new ConfigError(
      `import knows no source ${kind}; it knows ${Object.keys(sources).join(", ")}, gatehouse`,
    );
  const named = textOf(flags, "organization");
  if (named === undefined)
    throw new ConfigError(
      "import needs --organization, the id or name of the organization that users come to",
    );
  const source = await open(files, flags);
  const installation = await openInstallation(readPlaceOptions(flags), { isNewAllowed: false });
  try {
    const { context } = installation;
    const isWhole = await runImport({
      context,
      source,
      organizationId: await context.database.read((tx) => findTarget(tx, named)),
      isApplied: flags["apply"] === true,
      isPartial: flags["partial"] === true,
      isQuiet: flags["quiet"] === true,
      hashes: createHashReader({ allowSlowHashes: flags["allowSlowHashes"] === true }),
      print,
      releaseMemory,
    });
    return isWhole ? 0 : 1;
  } finally {
    await installation.close();
  }
}

async function findTarget(tx: ReadTransaction, named: string): Promise<OrganizationId> {
  const found = (await findOrganization(tx, named)) ?? (await findOrganizationByName(tx, named));
  if (found?.state !== "ACTIVE")
    throw new ConfigError(`there is no active organization with the id or name ${JSON.stringify(named)}`);
  return found.id;
}

/** Throws ConfigError. */
function rpIdOf(flags: Flags): string | undefined {
  const text = textOf(flags, "rpId");
  return text === undefined ? undefined : parseDomain(text);
}

function textOf(flags: Flags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
