import {
  exportedTables,
  type ExportedRow,
  type ExportedTable,
  listExportedSettings,
  listExportedRows,
} from "../../identity/exports/repository.ts";
import { bindingOf } from "../../identity/instance/sealed-secrets.ts";
import type { FeatureContext } from "../../identity/context.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { organizationOfKey, openUserKey, userKeyPrefix } from "../../kernel/events/personal-data.ts";
import { readOpenEvents } from "../../kernel/events/transfer/restore.ts";
import { listSecrets, type StoredSecret } from "../../kernel/events/secret-store.ts";
import { exportFormat, type ExportLine, toColumns } from "./format.ts";

/** What is exported. */
export interface ExportRun {
  readonly context: Pick<FeatureContext, "database" | "keyring" | "personalData" | "clock">;
  readonly instanceId: string;
  readonly hasSecrets: boolean;
}

const secretsAtOnce = 200;

/** Challenges and codes that somebody is answering at the moment. */
const shortLived = /^(?:u2f-challenge|passkey-challenge):/;

/**
 * Lists the lines of an export, in the order of the file. Nobody else may write to the place meanwhile. Throws UnreadableError for what is
 * damaged.
 */
export async function* listExport(run: ExportRun): AsyncGenerator<ExportLine, void, undefined> {
  let lines = 0;
  for await (const line of listContents(run)) {
    lines += 1;
    yield line;
  }
  yield { kind: "end", value: { lines } };
}

async function* listContents(run: ExportRun): AsyncGenerator<ExportLine, void, undefined> {
  const { context, instanceId, hasSecrets } = run;
  const { database, clock } = context;
  const date = new Date(clock.nowMs()).toISOString();
  yield {
    kind: "export",
    value: { format: exportFormat, instance_id: instanceId, date, with_secrets: hasSecrets },
  };
  for (const [name, value] of await database.read(listExportedSettings))
    yield { kind: "setting", value: { name, value } };
  yield* listKeys(run);
  yield* listEvents(run);
  yield* listExportRows(run);
  if (hasSecrets) yield* listOpenSecrets(run);
}

/** Lists rows beside the log: all, or those that `isIncluded`. */
export async function* listExportRows(
  { context, hasSecrets }: ExportRun,
  isIncluded: (tx: ReadTransaction, table: ExportedTable, row: ExportedRow) => Promise<boolean> = async () =>
    true,
): AsyncGenerator<ExportLine, void, undefined> {
  for (const table of exportedTables) {
    if (table.isSecret === true && !hasSecrets) continue;
    let last: ExportedRow | undefined;
    do {
      const after: ExportedRow | undefined = last;
      const { included, end } = await context.database.read(async (tx) => {
        const rows = await listExportedRows(tx, table, after);
        const some: ExportedRow[] = [];
        for (const row of rows) if (await isIncluded(tx, table, row)) some.push(row);
        return { included: some, end: rows.at(-1) };
      });
      for (const row of included)
        yield { kind: "row", value: { table: table.name, columns: toColumns(row) } };
      last = end;
    } while (last !== undefined);
  }
}

async function* listEvents({ context }: ExportRun): AsyncGenerator<ExportLine, void, undefined> {
  const { database, personalData } = context;
  let after = 0;
  for (;;) {
    const events = await database.read((tx) => readOpenEvents(tx, personalData, after));
    if (events.length === 0) return;
    for (const event of events) yield { kind: "event", value: event };
    after = events.at(-1)?.sequence ?? after;
  }
}

/** Lists the keys of users: of all, or of an organization. */
export async function* listKeys(
  run: ExportRun,
  onlyOf?: string,
): AsyncGenerator<ExportLine, void, undefined> {
  yield* inPortions(run, userKeyPrefix, async (tx, row) => {
    const organizationId = organizationOfKey(row);
    if (onlyOf !== undefined && organizationId !== onlyOf) return undefined;
    const userId = row.id.slice(userKeyPrefix.length);
    const key = await openUserKey(tx, run.context.keyring, { userId, wrapped: row });
    if (key === undefined || organizationId === undefined) return undefined; // the organization was removed
    return {
      kind: "user_key",
      value: {
        user_id: userId,
        organization_id: organizationId,
        ...(run.hasSecrets ? { key: toBase64(key) } : {}),
      },
    };
  });
}

/** Lists secrets, without keys of users: all, or those that `isIncluded`. */
export async function* listOpenSecrets(
  run: ExportRun,
  isIncluded: (tx: ReadTransaction, id: string) => Promise<boolean> = async () => true,
): AsyncGenerator<ExportLine, void, undefined> {
  yield* inPortions(run, "", async (tx, row): Promise<ExportLine | undefined> => {
    if (row.id.startsWith(userKeyPrefix) || row.id.startsWith("organization-key:") || shortLived.test(row.id))
      return undefined;
    if (!(await isIncluded(tx, row.id))) return undefined;
    const binding = await bindingOf(tx, row);
    if (binding.kind === "plain" && row.keyId === "")
      return { kind: "secret", value: { id: row.id, value: toBase64(row.value) } };
    if (binding.kind !== "sealed") return undefined; // a hash under the master key, of a code that lives for minutes
    const { use, context } = binding;
    const value = toBase64(run.context.keyring.decrypt(use, row, context));
    return { kind: "secret", value: { id: row.id, use, context, value } };
  });
}

type Row = StoredSecret & { readonly id: string };

async function* inPortions(
  { context }: ExportRun,
  prefix: string,
  convert: (tx: ReadTransaction, row: Row) => Promise<ExportLine | undefined>,
): AsyncGenerator<ExportLine, void, undefined> {
  let after = prefix;
  for (;;) {
    const from = after;
    const { lines, last } = await context.database.read(async (tx) => {
      const rows = await listSecrets(tx, { prefix, after: from, limit: secretsAtOnce });
      const converted: (ExportLine | undefined)[] = [];
      for (const row of rows) converted.push(await convert(tx, row));
      return { lines: converted, last: rows.at(-1)?.id };
    });
    for (const line of lines) if (line !== undefined) yield line;
    if (last === undefined) return;
    after = last;
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
