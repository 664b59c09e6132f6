import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallation } from "../app/installation.ts";
import { ConfigError } from "../config/config-error.ts";
import type { PlaceConfig } from "../config/place.ts";
import type { Flags } from "../config/values.ts";
import { readExportFile } from "../importing/gatehouse/files.ts";
import { countExport, type ExportCounts, restoreLines } from "../importing/gatehouse/restore.ts";
import { requireUnknown, takeInOrganization } from "../importing/gatehouse/organization/take-in.ts";
import { stageLines } from "../importing/gatehouse/organization/staged-lines.ts";
import { CopyError } from "../kernel/storage/copy/rows.ts";
import { putSeal } from "../kernel/storage/copy/seal.ts";
import { dataFolderAt, writePrivateFile } from "../kernel/storage/data-folder.ts";
import { copyPlace } from "./copy.ts";
import { findKeyText } from "./copy/keys.ts";
import { readPlaceOptions } from "./place-options.ts";
import { print } from "./terminal/print.ts";

/**
 * Prints what a file of `gatehouse export` holds or, with --apply, makes the same installation of it in an empty place. One organization comes
 * into a place that has an instance.
 */
export async function restore(flags: Flags, files: readonly string[]): Promise<number> {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0) throw new ConfigError("import gatehouse takes one file");
  const identity = readIdentity(flags["identity"]);
  const read = () => readExportFile(file, identity);
  const counted = await countExport(read(), (text) => print(`~ ${text}`)); // reads all of it: a damaged file leaves nothing behind
  await describe(counted);
  if (flags["apply"] !== true) return 0;
  const place = readPlaceOptions(flags);
  if (counted.organizationId !== undefined) {
    await addOrganizationTo(place, counted.organizationId, read());
    return 0;
  }
  const fill = (to: PlaceConfig) => fillFolder(to, file, read);
  if (place.database === undefined) await fill(place);
  else await fillDatabase(place, place.database.masterKeyFile, fill);
  return 0;
}

/** Nobody else may use the place meanwhile: its tables are made again. */
async function addOrganizationTo(
  place: PlaceConfig,
  organizationId: string,
  lines: ReturnType<typeof readExportFile>,
): Promise<void> {
  const installation = await openInstallation(place, { isNewAllowed: false, isAlone: true });
  try {
    const { context, instance, place: opened } = installation;
    if ((await instance.findId()) === undefined)
      throw new CopyError(
        `there is no installation in ${opened.name}; gatehouse serve creates one in a folder, gatehouse init in a database`,
      );
    await requireUnknown(context, organizationId);
    const staged = await stageLines(lines, context.random);
    try {
      await takeInOrganization(context, organizationId, staged.read());
    } finally {
      staged.close();
    }
    await print(`the organization ${organizationId} is in ${opened.name}`);
  } finally {
    await installation.close();
  }
}

async function describe({ lines, objects }: ExportCounts): Promise<void> {
  const named = [...objects]
    .filter(([, count]) => count > 0)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  await print(
    `${lines.event} events, of which remain: ${named.map(([kind, count]) => `${kind} ${count}`).join(", ")}`,
  );
  await print(
    `${lines.row} rows beside the events, ${lines.user_key} keys of users, ${lines.secret} secrets`,
  );
  if (lines.secret === 0)
    await print(
      "without secrets: passwords, factors, tokens, secrets of clients and providers and signing keys must be made again",
    );
  await print("left out: what logins are under way with, sessions of browsers, and tokens of applications");
}

function readIdentity(file: unknown): string | undefined {
  if (typeof file !== "string") return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`--identity: ${file} cannot be read`, { cause: error });
  }
}

/** A failure leaves the folder as it was; an interruption leaves a part, which nothing opens. */
async function fillFolder(
  place: PlaceConfig,
  file: string,
  read: () => ReturnType<typeof readExportFile>,
): Promise<void> {
  const installation = await openInstallation(place, { isNewAllowed: true, isAlone: true });
  let end = installation.close;
  try {
    const { context, instance } = installation;
    if ((await instance.findId()) !== undefined)
      throw new CopyError(
        `there is already an installation in ${installation.place.name}; name an empty place`,
      );
    end = installation.discard;
    const seal = { id: file, role: "target", other: file, isDone: false } as const;
    await context.database.write((tx) => putSeal(tx, seal));
    await restoreLines(context, read());
    await context.database.write((tx) => putSeal(tx, undefined));
    end = installation.close;
  } finally {
    await end();
  }
  const opened = await openInstallation(place, { isNewAllowed: false, isAlone: true }); // notes its keys
  try {
    await print(`everything is in ${opened.place.name}, with its master key in ${opened.place.keyFile}`);
  } finally {
    await opened.close();
  }
}

/** Fills a folder for the moment, and copies it: events keep their sequences, which a database gives only to new ones. */
async function fillDatabase(
  place: PlaceConfig,
  keyFile: string,
  fill: (to: PlaceConfig) => Promise<void>,
): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), "gatehouse-import-"));
  try {
    const text = findKeyText(keyFile);
    if (text !== undefined) writePrivateFile(dataFolderAt(path).masterKey, text);
    const folder: PlaceConfig = { dataFolder: path, database: undefined };
    await fill(folder);
    await copyPlace(folder, place);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
