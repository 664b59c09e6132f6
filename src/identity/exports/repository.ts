import type { ReadTransaction, SqlValue, WriteTransaction } from "../../kernel/base/database.ts";
import { insertSql } from "../../kernel/base/sql.ts";
import type { AggregateType } from "../../kernel/events/payloads.ts";

/** A table beside the log whose rows an export takes along as they are. */
export interface ExportedTable {
  readonly name: string;
  /** Its primary key. */
  readonly key: readonly string[];
  readonly columns: readonly string[];
  /** The column that says whose the row is, by the id of an organization or of something in it. */
  readonly of: { readonly column: string; readonly kind: "organization" | "imported" | AggregateType };
  /** Only in an export with secrets. */
  readonly isSecret?: true;
}

/** The rows that are taken along. */
export const exportedTables: readonly ExportedTable[] = [
  {
    name: "metadata_refreshes",
    key: ["application_id"],
    columns: ["application_id", "next_ms", "failures", "fetch_date"],
    of: { column: "application_id", kind: "application" },
  },
  {
    name: "activity_hours",
    key: ["resource_owner", "hour", "kind", "subject"],
    columns: ["resource_owner", "hour", "kind", "subject", "count"],
    of: { column: "resource_owner", kind: "organization" },
  },
  {
    name: "active_users",
    key: ["resource_owner", "span"],
    columns: ["resource_owner", "span", "sketch"],
    of: { column: "resource_owner", kind: "organization" },
  },
  {
    name: "label_images",
    key: ["hash", "resource_owner"],
    columns: ["hash", "resource_owner", "content_type", "bytes"],
    of: { column: "resource_owner", kind: "organization" },
  },
  {
    name: "imported_objects",
    key: ["source", "kind", "old_id_digest"],
    columns: ["source", "kind", "old_id_digest", "object_id"],
    of: { column: "object_id", kind: "imported" },
  },
  {
    name: "target_positions",
    key: ["target_id"],
    columns: [
      "target_id",
      "sequence",
      "attempts",
      "next_attempt_ms",
      "generation",
      "holder",
      "held_until_ms",
    ],
    of: { column: "target_id", kind: "target" },
  },
  {
    name: "target_deliveries",
    key: ["target_id", "sequence"],
    columns: [
      "target_id",
      "sequence",
      "event_type",
      "failure",
      "status",
      "attempts",
      "first_attempt_ms",
      "last_attempt_ms",
      "duration_ms",
    ],
    of: { column: "target_id", kind: "target" },
  },
  {
    name: "imported_hashes",
    key: ["user_id"],
    columns: ["user_id", "kind", "work", "header"],
    of: { column: "user_id", kind: "user" },
    isSecret: true,
  },
];

/** A row by the names of its columns. */
export type ExportedRow = Readonly<Record<string, SqlValue>>;

/** A row may hold an image of 512 KiB. */
const rowsAtOnce = 20;

/** Returns some rows in the order of the key, after this one; none at the end. */
export async function listExportedRows(
  tx: ReadTransaction,
  { name, key, columns }: ExportedTable,
  after: ExportedRow | undefined,
): Promise<readonly ExportedRow[]> {
  const keys = key.join(", ");
  const where = after === undefined ? "" : `WHERE (${keys}) > (${key.map(() => "?").join(", ")})`;
  return await tx.all<ExportedRow>(
    `SELECT ${columns.join(", ")} FROM ${name} ${where} ORDER BY ${keys} LIMIT ${rowsAtOnce}`,
    after === undefined ? [] : key.map((column) => after[column] ?? null),
  );
}

/** Adds a row as `listExportedRows` returned it. */
export async function addExportedRow(
  tx: WriteTransaction,
  { name, columns }: ExportedTable,
  row: ExportedRow,
): Promise<void> {
  await tx.run(
    insertSql(name, columns),
    columns.map((column) => row[column] ?? null),
  );
}

/** What the settings say that is not about the place, such as the keys of its file. */
const exportedSettings: ReadonlySet<string> = new Set([
  "instance_id",
  "user-keys",
  "unique-names",
  "search-words",
  "provider-logins",
]);

/** Returns the settings that an export takes along, by name. */
export async function listExportedSettings(tx: ReadTransaction): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all<{ name: string; value: string }>(
    "SELECT name, value FROM settings ORDER BY name",
  );
  return new Map(
    rows.filter(({ name }) => exportedSettings.has(name)).map(({ name, value }) => [name, value]),
  );
}

/** Stores a setting; undefined deletes it. Throws for one that no export takes along. */
export async function putExportedSetting(tx: WriteTransaction, name: string, value: string): Promise<void> {
  if (!exportedSettings.has(name)) throw new Error(`the setting ${name} is not known`);
  await tx.run(
    "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [name, value],
  );
}
