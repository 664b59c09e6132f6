import { createSeenTexts } from "../kernel/storage/places/seen-texts.ts";
import { hashForeignSecret } from "../identity/applications/oauth/stretched-secret.ts";
import type { FeatureContext } from "../identity/context.ts";
import type { ImportTarget } from "../identity/imports/commands.ts";
import { keepClientSecret } from "../identity/imports/client-secrets.ts";
import { createProfileCheck } from "./fields.ts";
import type { HashReader } from "./hashes.ts";
import { keepClaims } from "../identity/imports/claims.ts";
import { createOrder } from "./orders.ts";
import {
  type ApplicationRecord,
  ImportError,
  type Remark,
  type ServiceUserRecord,
  type Source,
  type UserRecord,
} from "./records.ts";
import { createImportReferences } from "./references.ts";
import { createReport, quote, type Report } from "./report.ts";
import { addStructure, type StructureInput, type StructureRecord } from "./structure.ts";
import { addPortion } from "./users.ts";

/** What is imported, where to, and how. */
export interface ImportRun {
  readonly context: FeatureContext;
  readonly source: Source;
  readonly organizationId: ImportTarget["organizationId"];
  /** Whether anything is added; otherwise the plan is printed. */
  readonly isApplied: boolean;
  /** Whether the rest is added if something has a fault. Otherwise nothing is. */
  readonly isPartial: boolean;
  /** Whether lines are left out that say what is added or there. */
  readonly isQuiet: boolean;
  readonly hashes: HashReader;
  readonly print: (text: string) => Promise<void>;
  /** Gives memory back, in the middle of large files. */
  readonly releaseMemory?: () => void;
}

/** Users in one transaction. */
const portion = 1000;
/** V8 lets garbage grow to many times of what is in use: readers of JSON make much of it. */
const portionsOfMemory = 10;
/** Objects other than users, which are in one transaction. */
const maxStructure = 100_000;

/** Undoes what a plan has done to find out what would become of it. */
class Undo extends Error {}

/**
 * Prints the plan of an import or, with `isApplied`, does it. Returns whether all of it has come or can come. A run that was interrupted
 * is continued by the next one. Throws ImportError if nothing was done because of faults.
 */
export async function runImport(run: ImportRun): Promise<boolean> {
  const quiet = ["note", "problem"] as const;
  if (run.isApplied && !run.isPartial) {
    const plan = createReport(run.print, ["problem"]);
    await pass({ ...run, isApplied: false }, plan);
    await plan.flush();
    if (plan.count("problem") > 0)
      throw new ImportError(
        `nothing was imported because of ${plan.count("problem")} problems; mend them, or import the rest with --partial`,
      );
  }
  const report = createReport(run.print, run.isQuiet ? quiet : undefined);
  const fastHashes = await pass(run, report);
  await report.flush();
  await printEnd(run, report, fastHashes);
  return report.count("problem") === 0;
}

async function printEnd(run: ImportRun, report: Report, fastHashes: number): Promise<void> {
  const { isApplied, print } = run;
  if (fastHashes > 0 && !isApplied) {
    const seconds = Math.ceil(await run.hashes.estimateSeconds(fastHashes));
    await print(
      `${fastHashes} password hashes are computed so fast that they are hashed again: about ${seconds} s`,
    );
  }
  const counts = [
    `${report.count("add")} ${isApplied ? "added" : "to add"}`,
    `${report.count("present")} there already`,
    `${report.count("note")} notes`,
    `${report.count("problem")} problems`,
  ];
  await print(`${isApplied ? "import" : "plan"}: ${counts.join(", ")}`);
}

/** Goes through all of it once. Returns the number of hashes that have to be hashed again. */
async function pass(run: ImportRun, report: Report): Promise<number> {
  const { context, source, organizationId, isApplied } = run;
  const target = { source: source.name, organizationId };
  const references = createImportReferences(organizationId, quote);
  const records: StructureRecord[] = [];
  for await (const record of source.structure()) {
    if (records.push(record) > maxStructure)
      throw new ImportError(`there are more than ${maxStructure} objects besides users`);
  }
  const order = createOrder(context);
  const secrets = await readSecrets(context, records);
  const keepers = createKeepers(context, organizationId);
  const work = () =>
    context.database.write(
      async (tx) => {
        const adding = { order, tx, target, references, report, secrets, ...keepers, isApplied };
        await addStructure(adding, records);
        if (!isApplied) throw new Undo();
      },
      { mayTakeLong: true },
    );
  try {
    if (records.length > 0) await work();
  } catch (error) {
    if (!(error instanceof Undo)) throw error;
  }
  const seen = createSeenTexts();
  let fastHashes = 0;
  const input = {
    context,
    target,
    references,
    report,
    seen,
    isApplied,
    hashes: run.hashes,
    check: createProfileCheck(),
    onFastHashes: (count: number) => void (fastHashes += count),
  };
  try {
    let portions = 0;
    for await (const some of inPortions(source.users())) {
      await addPortion(input, some);
      await report.flush();
      portions += 1;
      if (portions % portionsOfMemory === 0) run.releaseMemory?.();
    }
  } finally {
    seen.close();
  }
  return fastHashes;
}

/** What applications and service users keep of the other system. */
function createKeepers(
  context: FeatureContext,
  organizationId: ImportTarget["organizationId"],
): Pick<StructureInput, "keepClaims" | "keepSecret"> {
  return {
    keepClaims: (tx, kept) => keepClaims(context, tx, { ...kept, organizationId }),
    keepSecret: (tx, kept) => keepClientSecret(context, tx, { ...kept, organizationId }),
  };
}

/** What is stored of the secrets of clients, which may take time to compute. */
async function readSecrets(
  { random }: FeatureContext,
  records: readonly StructureRecord[],
): Promise<StructureInput["secrets"]> {
  const secrets = new Map<ApplicationRecord | ServiceUserRecord, Uint8Array>();
  for (const record of records) {
    if (record.kind !== "application" && record.kind !== "service_user") continue;
    const secret = secretOf(record);
    if (secret !== undefined) secrets.set(record, await hashForeignSecret(secret.reveal(), random));
  }
  return secrets;
}

function secretOf(record: ApplicationRecord | ServiceUserRecord) {
  if (record.kind === "service_user") return record.secret;
  return record.config.kind === "oidc" ? record.config.secret : undefined;
}

async function* inPortions(
  records: AsyncIterable<UserRecord | Remark>,
): AsyncIterable<readonly (UserRecord | Remark)[]> {
  let some: (UserRecord | Remark)[] = [];
  for await (const record of records) {
    if (some.push(record) < portion) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}
