import { addExportedRow, exportedTables, putExportedSetting } from "../../identity/exports/repository.ts";
import { type FeatureContext } from "../../identity/context.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { KeyUse } from "../../kernel/base/keyring.ts";
import { userKeyPrefix, wrapUserKey } from "../../kernel/events/personal-data.ts";
import { restoreEvent } from "../../kernel/events/transfer/restore.ts";
import { addSecret } from "../../kernel/events/secret-store.ts";
import { ImportError } from "../records.ts";
import { damaged, type ExportLine, type ExportLines, toRow } from "./format.ts";

/** Lines that are stored in one transaction. */
const linesAtOnce = 1000;
const keyBytes = 32;

/** What the secrets of an export are encrypted for by the master key. */
const encryptedUses: readonly KeyUse[] = [
  "client-secret",
  "signing-key",
  "saml-key",
  "saml-pairwise",
  "target-secret",
  "hook-secret",
];

/** What an export holds. */
export interface ExportCounts {
  /** Of an export of one organization. */
  readonly organizationId: string | undefined;
  readonly lines: Readonly<Record<keyof ExportLines, number>>;
  /** How many objects of each kind there are: those that were added and not removed. */
  readonly objects: ReadonlyMap<string, number>;
}

/** Counts what the lines hold, and checks that all of them are there. `onLeftOut` hears what is left out. Throws ImportError. */
export async function countExport(
  lines: AsyncIterable<ExportLine>,
  onLeftOut: (text: string) => Promise<void>,
): Promise<ExportCounts> {
  let organizationId: string | undefined;
  const counts = { export: 0, setting: 0, user_key: 0, event: 0, left_out: 0, row: 0, secret: 0, end: 0 };
  const objects = new Map<string, number>();
  for await (const { kind, value } of lines) {
    counts[kind] += 1;
    if (kind === "export") organizationId = value.organization_id;
    if (kind === "left_out") await onLeftOut(value.text.replaceAll(/\p{C}/gu, "?"));
    if (kind !== "event") continue;
    const [, object = "", change = ""] = /^(.*)\.(added|removed)$/.exec(value.type) ?? [];
    if (object === "") continue;
    objects.set(object, (objects.get(object) ?? 0) + (change === "added" ? 1 : -1));
  }
  return { organizationId, lines: counts, objects };
}

/**
 * Stores all lines in a place that is empty but for its tables, in several transactions: an interruption leaves a part of them. Throws
 * ImportError for a line that cannot be stored.
 */
export async function restoreLines(context: FeatureContext, lines: AsyncIterable<ExportLine>): Promise<void> {
  let number = 0;
  let portion: ExportLine[] = [];
  const store = async () => {
    const some = portion;
    const first = number - some.length;
    portion = [];
    await context.database.write(
      async (tx) => {
        for (const [at, line] of some.entries()) await storeOne(tx, context, line, first + at + 1);
      },
      { mayTakeLong: true },
    );
  };
  for await (const line of lines) {
    number += 1;
    if (portion.push(line) === linesAtOnce) await store();
  }
  await store();
  await context.database.write((tx) => context.log.endReplay(tx), { mayTakeLong: true });
}

async function storeOne(
  tx: WriteTransaction,
  context: FeatureContext,
  line: ExportLine,
  number: number,
): Promise<void> {
  try {
    await storeLine(tx, context, line);
  } catch (error) {
    if (context.database.isFailure(error)) throw error;
    if (error instanceof ImportError) throw damaged(number, error.message);
    throw damaged(number, error instanceof Error ? error.message : String(error));
  }
}

async function storeLine(tx: WriteTransaction, context: FeatureContext, line: ExportLine): Promise<void> {
  switch (line.kind) {
    case "export":
    case "left_out":
    case "end":
      return;
    case "setting":
      return await putExportedSetting(tx, line.value.name, line.value.value);
    case "user_key":
      return await storeKey(tx, context, line.value);
    case "event":
      return await restoreEvent(tx, context, line.value);
    case "row": {
      const table = exportedTables.find(({ name }) => name === line.value.table);
      if (table === undefined) throw new ImportError(`the table ${line.value.table} is not known`);
      return await addExportedRow(tx, table, toRow(line.value.columns));
    }
    case "secret":
      return await storeSecret(tx, context, line.value);
  }
}

/** Stores the key of a user. Without secrets the user gets another one: it encrypts nothing yet. */
export async function storeKey(
  tx: WriteTransaction,
  { keyring, random }: FeatureContext,
  { user_id: userId, organization_id: organizationId, key: text }: ExportLines["user_key"],
): Promise<void> {
  const key = text === undefined ? random.bytes(keyBytes) : toBytes(text);
  if (key.length !== keyBytes) throw new ImportError("the key has a wrong length");
  await addSecret(
    tx,
    `${userKeyPrefix}${userId}`,
    await wrapUserKey(tx, { keyring, random }, { userId, organizationId, key }),
  );
}

/** Stores a secret, encrypted by the keys of this place. */
export async function storeSecret(
  tx: WriteTransaction,
  { keyring }: FeatureContext,
  { id, use, context, value }: ExportLines["secret"],
): Promise<void> {
  const bytes = toBytes(value);
  if (use === undefined) return await addSecret(tx, id, { keyId: "", value: bytes });
  const known = encryptedUses.find((each) => each === use);
  if (known === undefined) throw new ImportError("it is encrypted for no known use");
  await addSecret(tx, id, keyring.encrypt(known, bytes, context ?? ""));
}

function toBytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, "base64"));
}
