import { systemClock } from "../kernel/base/clock.ts";
import type { Database, ReadTransaction } from "../kernel/base/database.ts";
import { Problem } from "../kernel/base/problem.ts";
import { systemRandom } from "../kernel/base/random.ts";
import type { Flags } from "../config/values.ts";
import { createEventLog, type EventLog } from "../kernel/events/event-log.ts";
import { createPersonalData } from "../kernel/events/personal-data.ts";
import { projections } from "../app/installation.ts";
import { findReasonOfSeal } from "../kernel/storage/copy/seal.ts";
import type { Checkup, CopiedData, Place } from "../kernel/storage/place.ts";
import type { Finding } from "../kernel/storage/finding.ts";
import { toLine } from "./doctor/line.ts";
import { checkCertificates } from "./doctor/certificate-check.ts";
import { checkKeys, checkSecrets, readKeyring } from "./doctor/key-checks.ts";
import { checkClock, checkOrder, checkTables } from "./doctor/log-checks.ts";
import { checkOptions, readConfig } from "./doctor/option-checks.ts";
import { checkWaysIn } from "./doctor/way-in-check.ts";
import { checkChecksums, checkSealed } from "./doctor/row-checks.ts";
import { findPlace } from "./place-options.ts";
import { print } from "./terminal/print.ts";

/**
 * Checks the data and prints one line per check. Changes nothing and takes no lock, so it can run beside the service; it
 * works on a copy. Returns 1 if a check failed.
 */
export async function doctor(flags: Flags): Promise<number> {
  const place = await findPlace(flags);
  const checkup = place.checkUp();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => {
      checkup.dispose();
      process.exit(1);
    });
  let hasFailed = false;
  try {
    const tell = async (finding: Finding) => {
      hasFailed ||= finding.state === "FAILED";
      await print(toLine(finding));
    };
    for await (const finding of examine(place, checkup, flags)) await tell(finding);
    for (const finding of checkOptions(flags, place)) await tell(finding);
  } finally {
    checkup.dispose();
  }
  return hasFailed ? 1 : 0;
}

async function* examine(
  place: Place,
  checkup: Checkup,
  flags: Flags,
): AsyncGenerator<Finding, void, undefined> {
  yield* checkup.checkOutside();
  const copy = await checkup.openCopy();
  if ("state" in copy) {
    yield copy;
    return;
  }
  try {
    for (const { check, look, whyVital } of copy.checks) {
      const finding = await readFor(copy, check, look);
      yield finding;
      if (whyVital === undefined || finding.state === "ok") continue;
      yield { state: "warning", check: "contents", detail: `not checked, because ${whyVital}` };
      return;
    }
    yield* examineContents(place, copy, flags);
  } finally {
    await copy.close();
  }
}

async function* examineContents(
  place: Place,
  copy: CopiedData,
  flags: Flags,
): AsyncGenerator<Finding, void, undefined> {
  const { database } = copy;
  const read = (check: string, look: (tx: ReadTransaction) => Promise<Finding>) => readFor(copy, check, look);
  yield await read("checksums", checkChecksums);
  yield await read("event order", checkOrder);
  yield await read("clock", (tx) => checkClock(tx, systemClock.nowMs()));
  yield await read("SAML certificates", (tx) => checkCertificates(tx, systemClock.nowMs()));
  const sealed = await copy.database.read((tx) => findReasonOfSeal(tx, place.name));
  if (sealed !== undefined) yield { state: "warning", check: "copy", detail: sealed };
  const config = readConfig(flags);
  const known = config instanceof Error ? undefined : config;
  yield await read("ways in", (tx) => checkWaysIn(tx, known));
  const keyring = readKeyring(place);
  if ("state" in keyring) {
    yield keyring;
    return;
  }
  const keys = await read("master key", (tx) => checkKeys(tx, keyring));
  yield keys;
  const personalData = createPersonalData(keyring, systemRandom);
  const log = createEventLog({ projections, personalData, isFailure: database.isFailure });
  const { whyOtherTables } = copy;
  if (whyOtherTables === undefined) await sweep(copy, log);
  yield await read("secrets", (tx) => checkSecrets(tx, keyring));
  if (keys.state === "ok") yield await read("sealed values", (tx) => checkSealed(tx, keyring));
  const check = "tables";
  if (whyOtherTables !== undefined)
    yield { state: "warning", check, detail: `not compared with the log, because ${whyOtherTables}` };
  else if (keys.state !== "ok")
    yield {
      state: "warning",
      check,
      detail: "not compared with the log, which cannot be read without the right key",
    };
  else yield await attempt(copy, check, () => compareTables(database, log));
}

/**
 * Deletes the remaining rows of removed organizations in the copy: they are not a fault, and a rebuild would not make
 * them.
 */
async function sweep({ database, explain }: CopiedData, log: EventLog): Promise<void> {
  try {
    while (await database.write((tx) => log.sweep(tx, objectsAtOnce)));
  } catch (error) {
    explain(error instanceof Problem ? error.cause : error); // raises what is no fault of the data
    throw error;
  }
}

const objectsAtOnce = 1000;

async function compareTables(database: Pick<Database, "write">, log: EventLog): Promise<Finding> {
  const tables = projections.flatMap((projection) => projection.tables);
  return await checkTables(database, log, tables);
}

async function readFor(
  copy: CopiedData,
  check: string,
  look: (tx: ReadTransaction) => Promise<Finding>,
): Promise<Finding> {
  return await attempt(copy, check, () => copy.database.read(look));
}

/**
 * Runs a check; an error of the place, such as a full disk or an unreadable page, becomes the finding. If the tables are of an
 * earlier version, a check does not fail because something is not there yet.
 */
async function attempt(copy: CopiedData, check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (error) {
    const reason = copy.explain(error instanceof Problem ? error.cause : error);
    if (reason === undefined) throw error;
    const { whyOtherTables } = copy;
    return whyOtherTables === undefined
      ? { state: "FAILED", check, detail: `not done: ${reason}` }
      : { state: "warning", check, detail: `not done, because ${whyOtherTables}: ${reason}` };
  }
}
