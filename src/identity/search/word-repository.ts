import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import { toWords, type WordRange } from "../../kernel/base/names/words.ts";
import { allOf, always, type Condition, equals, isAmong, unindexed } from "../../kernel/base/sql.ts";

/** A table of the words of objects, `(owner_id, word, id)`: each of its rows leads from a word to an object of that owner. */
export type WordTable =
  | "user_words"
  | "organization_words"
  | "project_words"
  | "application_words"
  | "group_words";

/** An object, and what it is found by. */
export interface IndexedObject {
  readonly id: string;
  /** What it is looked for in: its organization, and its project if it has one. */
  readonly ownerIds: readonly string[];
  /** Each word of these finds it, and what the word begins with. */
  readonly words: readonly (string | null | undefined)[];
}

/** What finds objects by a text in full: conditions on their rows, each on an index, of which one is enough. */
export interface Whole {
  /** The table of the rows. */
  readonly from: string;
  readonly conditions: readonly Condition[];
}

/** Where the rows of objects are. */
export interface ObjectRows {
  readonly from: string;
  /** The columns that are needed, besides the id. */
  readonly columns: readonly string[];
}

/** Lists the rows that meet the condition. */
export async function listRows<T>(
  tx: ReadTransaction,
  { from, columns }: ObjectRows,
  where: Condition,
): Promise<readonly T[]> {
  const sql = `SELECT ${["id", ...columns].join(", ")} FROM ${from} WHERE ${where.sql}`;
  return await tx.all<T>(sql, where.parameters);
}

/** Lists rows behind an id that have changed since a sequence, in the order of their ids. */
export async function listRowsBehind<T>(
  tx: ReadTransaction,
  rows: ObjectRows,
  { after, since, limit }: { readonly after: string; readonly since: number; readonly limit: number },
): Promise<readonly T[]> {
  const sql = "id > ? AND sequence > ? ORDER BY id LIMIT ?";
  return await listRows<T>(tx, rows, { sql, parameters: [after, since, limit] });
}

/** Where an object stands in a search: at a word, and among the objects with that word by its id. */
export interface Hit {
  readonly word: string;
  readonly id: string;
}

function listWords({ words }: IndexedObject): readonly string[] {
  return toWords(words.filter((text) => typeof text === "string").join(" "));
}

/** Notes the words of a new object. */
export async function addWords(tx: WriteTransaction, table: WordTable, object: IndexedObject): Promise<void> {
  await insertRows(tx, table, toRows(object, listWords(object)));
}

/** Notes the words that an object has now in place of those that it had. */
export async function replaceWords(
  tx: WriteTransaction,
  table: WordTable,
  object: IndexedObject,
): Promise<void> {
  const rows = await tx.all<Pick<Hit, "word">>(`SELECT DISTINCT word FROM ${table} WHERE id = ?`, [
    object.id,
  ]);
  const before = new Set(rows.map(({ word }) => word));
  const added = listWords(object).filter((word) => !before.delete(word));
  for (const word of before)
    await tx.run(`DELETE FROM ${table} WHERE id = ? AND word = ?`, [object.id, word]);
  await insertRows(tx, table, toRows(object, added));
}

/** Does so for many objects, with few statements. */
export async function replaceAllWords(
  tx: WriteTransaction,
  table: WordTable,
  objects: readonly IndexedObject[],
): Promise<void> {
  const those = isAmong(
    "id",
    objects.map(({ id }) => id),
  );
  await tx.run(`DELETE FROM ${table} WHERE ${those.sql}`, those.parameters);
  await addAllWords(tx, table, objects);
}

/** Forgets the words of all objects. */
export async function removeAllWords(tx: WriteTransaction, table: WordTable): Promise<void> {
  await tx.run(`DELETE FROM ${table}`);
}

/** Notes the words of many new objects, in the order of the table: what lies on one of its pages is written together. */
export async function addAllWords(
  tx: WriteTransaction,
  table: WordTable,
  objects: readonly IndexedObject[],
): Promise<void> {
  const rows = objects.flatMap((object) => toRows(object, listWords(object))).toSorted(inOrder);
  for (let at = 0; at < rows.length; at += rowsAtOnce)
    await insertRows(tx, table, rows.slice(at, at + rowsAtOnce));
}

function inOrder(left: Row, right: Row): number {
  const at = left.findIndex((value, index) => value !== right[index]);
  return at === -1 ? 0 : (left[at] ?? "") < (right[at] ?? "") ? -1 : 1;
}

type Row = readonly [ownerId: string, word: string, id: string];

/** SQLite takes 32,766 values in a statement. */
const rowsAtOnce = 4096;

function toRows(
  { id, ownerIds }: Pick<IndexedObject, "id" | "ownerIds">,
  words: readonly string[],
): readonly Row[] {
  return ownerIds.flatMap((ownerId) => words.map((word): Row => [ownerId, word, id]));
}

async function insertRows(tx: WriteTransaction, table: WordTable, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(
    `INSERT INTO ${table} (owner_id, word, id) VALUES ${rows.map(() => "(?, ?, ?)").join(", ")}`,
    rows.flat(),
  );
}

/** Which entries of a table a search reads. */
export interface EntryQuery {
  readonly table: WordTable;
  /** Undefined: of every owner. */
  readonly ownerId: string | undefined;
  readonly range: WordRange;
}

/** Counts the entries of a range, up to `limit`. */
export async function countEntries(tx: ReadTransaction, query: EntryQuery, limit: number): Promise<number> {
  const where = toCondition(query);
  const row = await tx.get<{ readonly total: number }>(
    `SELECT COUNT(*) AS total FROM (SELECT 1 FROM ${query.table} WHERE ${where.sql} LIMIT ?) AS counted`,
    [...where.parameters, limit],
  );
  return row?.total ?? 0;
}

/** Lists the entries of a range behind a hit, by word and id: as often as the object has owners, if the search is not of one. */
export async function listEntries(
  tx: ReadTransaction,
  { table, ownerId, range: { from, to } }: EntryQuery,
  { after, limit }: { readonly after: Hit; readonly limit: number },
): Promise<readonly Hit[]> {
  // One lower bound alone: of two, the engine may begin at the one that is further away.
  const behind: Condition =
    after.word < from
      ? { sql: "word >= ?", parameters: [from] }
      : { sql: "(word, id) > (?, ?)", parameters: [after.word, after.id] };
  const where = allOf([isOf(ownerId), behind, { sql: "word < ?", parameters: [to] }]);
  return await tx.all<Hit>(`SELECT word, id FROM ${table} WHERE ${where.sql} ORDER BY word, id LIMIT ?`, [
    ...where.parameters,
    limit,
  ]);
}

/** So many objects of one text are found by it; addresses that more have are found by their words, too. */
const maxWhole = 4000;

/** Lists the ids of the objects that are found in full, of all or of these, in their order. */
export async function listWhole(
  tx: ReadTransaction,
  { from, conditions }: Whole,
  among?: readonly string[],
): Promise<readonly string[]> {
  const isThere = among === undefined ? always : isAmong(unindexed("id"), among);
  const found = new Set<string>();
  for (const condition of among?.length === 0 ? [] : conditions) {
    const { sql, parameters } = allOf([condition, isThere]);
    const rows = await tx.all<{ readonly id: string }>(
      `SELECT id FROM ${from} WHERE ${sql} LIMIT ${maxWhole}`,
      parameters,
    );
    for (const { id } of rows) found.add(id);
  }
  return [...found].toSorted();
}

/** Returns one entry that each of these objects has in a range, always the same one; nothing for those that have none. */
export async function listFirstEntries(
  tx: ReadTransaction,
  table: WordTable,
  { ids, range }: { readonly ids: readonly string[]; readonly range: WordRange },
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const where = allOf([isAmong("id", ids), isIn(range, unindexed("word"))]); // an object has few words
  const rows = await tx.all<Hit>(`SELECT id, word FROM ${table} WHERE ${where.sql}`, where.parameters);
  const first = new Map<string, string>();
  for (const { id, word } of rows) {
    const known = first.get(id);
    if (known === undefined || word < known) first.set(id, word);
  }
  return first;
}

function toCondition({ ownerId, range }: EntryQuery): Condition {
  return allOf([isOf(ownerId), isIn(range)]);
}

function isOf(ownerId: string | undefined): Condition {
  return ownerId === undefined ? always : equals("owner_id", ownerId);
}

function isIn({ from, to }: WordRange, column = "word"): Condition {
  return { sql: `${column} >= ? AND ${column} < ?`, parameters: [from, to] };
}
