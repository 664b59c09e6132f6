import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { type Details, type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import { defineListOfParts, type List } from "../../kernel/base/list.ts";
import { always, equals, insertSql, isAmong } from "../../kernel/base/sql.ts";
import type { Projection, RecordedEvent } from "../../kernel/events/event.ts";
import type { MetadataSetPayload } from "../../kernel/events/payloads.ts";
import { digestMetadata } from "../people/user/user-filter.ts";
import type { UserState } from "../people/user/user.ts";
import { type Metadata, metadataNotFound, type MetadataItem, type MetadataObject } from "./metadata.ts";

const columns = ["object_id", "key", ...detailsColumns, "value"];
const select = `SELECT ${columns.join(", ")} FROM metadata WHERE object_id = ?`;
const replaced =
  "ON CONFLICT (object_id, key) DO UPDATE SET value = excluded.value, sequence = excluded.sequence";
const put = `${insertSql("metadata", columns)} ${replaced}`;
const putOfUser = `INSERT INTO metadata (${columns.join(", ")}, value_digest, state, object_date)
  SELECT id, ?, ?, ?, ?, ?, ?, state, creation_date FROM stored_users WHERE id = ?
  ${replaced}, value_digest = excluded.value_digest`;

/** How events fill the table of metadata. What changes them changes their object. */
export const metadataProjection: Projection = {
  tables: ["metadata"],
  on: {
    "user.metadata.set": setOfUser,
    "user.metadata.removed": removeIn("stored_users"),
    "user.removed": removeAll,
    // By these, metadata lead to users of a state.
    "user.deactivated": noteState("INACTIVE"),
    "user.reactivated": noteState("ACTIVE"),
    "user.locked": noteState("LOCKED"),
    "user.unlocked": noteState("ACTIVE"),
    "organization.metadata.set": setIn("stored_organizations"),
    "organization.metadata.removed": removeIn("stored_organizations"),
    "organization.removed": removeAll,
    "project.metadata.set": setIn("stored_projects"),
    "project.metadata.removed": removeIn("stored_projects"),
    "project.removed": async (tx, event) => {
      await removeAll(tx, event);
      await tx.run(
        "DELETE FROM metadata WHERE object_id IN (SELECT id FROM stored_applications WHERE project_id = ?)",
        [event.aggregateId],
      );
    },
    "application.metadata.set": setIn("stored_applications"),
    "application.metadata.removed": removeIn("stored_applications"),
    "application.removed": removeAll,
    "group.metadata.set": setIn("stored_groups"),
    "group.metadata.removed": removeIn("stored_groups"),
    "group.removed": removeAll,
  },
};

/** Whose metadata are listed. */
export interface AskedMetadata {
  readonly object: MetadataObject;
  /** Whether keys that begin with an underscore are left out. */
  readonly isSelf: boolean;
}

/** A key in a list, which tells keys apart by an id. */
export type ListedMetadata = Metadata & { readonly id: string };

/** The metadata of a user, in the order in which the keys were set. */
export const userMetadataList = defineMetadataList("ListUserMetadata");
/** The metadata of an organization, likewise. */
export const organizationMetadataList = defineMetadataList("ListOrganizationMetadata");
/** The metadata of a project, likewise. */
export const projectMetadataList = defineMetadataList("ListProjectMetadata");
/** The metadata of an application, likewise. */
export const applicationMetadataList = defineMetadataList("ListApplicationMetadata");
/** The metadata of a group, likewise. */
export const groupMetadataList = defineMetadataList("ListGroupMetadata");

function defineMetadataList(name: string): List<AskedMetadata, ListedMetadata> {
  return defineListOfParts<AskedMetadata, MetadataRow, ListedMetadata>({
    name,
    from: "metadata",
    columns,
    order: ["creation_date", "key"],
    indexes: [{ table: "metadata", columns: ["object_id", "creation_date", "key"], isUnique: false }],
    keyOf: ({ object, isSelf }) => [object.id, String(isSelf)],
    partsOf: ({ object, isSelf }) => [
      {
        where: [
          equals("object_id", object.id),
          isSelf ? { sql: "substr(key, 1, 1) <> '_'", parameters: [] } : always,
        ],
      },
    ],
    toItems: (rows) => rows.map((row) => ({ id: row.key, ...toMetadata(row) })),
  });
}

/** Returns a key of the object. Raises NOT_FOUND. */
export async function getMetadata(
  tx: ReadTransaction,
  object: MetadataObject,
  key: string,
): Promise<Metadata> {
  const [found] = await readMetadata(tx, object, [key]);
  if (found === undefined) throw metadataNotFound(object, key);
  return found;
}

/** Reads those of the keys that the object has. */
export async function readMetadata(
  tx: ReadTransaction,
  { id }: Pick<MetadataObject, "id">,
  keys: readonly string[],
): Promise<readonly Metadata[]> {
  const named = isAmong("key", keys);
  const rows = await tx.all<MetadataRow>(`${select} AND ${named.sql}`, [id, ...named.parameters]);
  return rows.map(toMetadata);
}

/** Counts the keys of the object. */
export async function countMetadata(
  tx: ReadTransaction,
  { id }: Pick<MetadataObject, "id">,
): Promise<number> {
  const row = await tx.get<{ count: number }>("SELECT count(*) AS count FROM metadata WHERE object_id = ?", [
    id,
  ]);
  return row?.count ?? 0;
}

interface MetadataRow extends DetailsRow, MetadataItem {}

function toMetadata(row: MetadataRow): MetadataItem & { readonly details: Details } {
  return { key: row.key, value: row.value, details: toDetails(row) };
}

/** What an applier needs of events of any kind of object. The payload of an erased user has nothing. */
type OfObject<Payload> = Pick<RecordedEvent, "aggregateId" | "resourceOwner" | "date"> & {
  readonly payload: Partial<Payload>;
};

type ObjectTable =
  | "stored_users"
  | "stored_organizations"
  | "stored_projects"
  | "stored_applications"
  | "stored_groups";

function setIn(table: ObjectTable) {
  return async (
    tx: WriteTransaction,
    { aggregateId, resourceOwner, date, payload }: OfObject<MetadataSetPayload>,
  ): Promise<void> => {
    for (const { key, value } of payload.entries ?? [])
      await tx.run(put, [aggregateId, key, date, date, resourceOwner, Buffer.from(value, "base64")]);
    await move(tx, table, { aggregateId, date });
  };
}

async function setOfUser(
  tx: WriteTransaction,
  { aggregateId, resourceOwner, date, payload }: OfObject<MetadataSetPayload>,
): Promise<void> {
  for (const { key, value } of payload.entries ?? []) {
    const bytes = Buffer.from(value, "base64");
    const written = [key, date, date, resourceOwner, bytes, digestMetadata(key, bytes)];
    await tx.run(putOfUser, [...written, aggregateId]);
  }
  await move(tx, "stored_users", { aggregateId, date });
}

/** Notes the state of a user at their metadata. */
function noteState(state: UserState) {
  return async (tx: WriteTransaction, { aggregateId }: Pick<RecordedEvent, "aggregateId">): Promise<void> => {
    await tx.run("UPDATE metadata SET state = ? WHERE object_id = ?", [state, aggregateId]);
  };
}

function removeIn(table: ObjectTable) {
  return async (
    tx: WriteTransaction,
    { aggregateId, date, payload }: OfObject<{ readonly key: string }>,
  ): Promise<void> => {
    if (payload.key !== undefined)
      await tx.run("DELETE FROM metadata WHERE object_id = ? AND key = ?", [aggregateId, payload.key]);
    await move(tx, table, { aggregateId, date });
  };
}

async function removeAll(
  tx: WriteTransaction,
  { aggregateId }: Pick<RecordedEvent, "aggregateId">,
): Promise<void> {
  await tx.run("DELETE FROM metadata WHERE object_id = ?", [aggregateId]);
}

async function move(
  tx: WriteTransaction,
  table: ObjectTable,
  { aggregateId, date }: Pick<RecordedEvent, "aggregateId" | "date">,
): Promise<void> {
  await tx.run(`UPDATE ${table} SET sequence = ? WHERE id = ?`, [date, aggregateId]);
}
