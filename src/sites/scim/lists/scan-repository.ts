import type { Database, ReadTransaction } from "../../../kernel/base/database.ts";
import { allOf, type Condition, equals, unindexed } from "../../../kernel/base/sql.ts";

/** The rows of a type of resources in an organization. */
export interface ScannedRows {
  readonly from: "users" | "groups";
  readonly only: Condition;
  readonly organizationId: string;
  readonly condition: Condition;
  /** Whether the condition leads to few rows, on an index. */
  readonly isLead: boolean;
}

/** A place in the order of all rows: when the resource was made, and its id. */
export interface ListPlace {
  readonly date: number;
  readonly id: string;
}

/** So many rows are looked at in one turn, in a few milliseconds. Other calls have their turn in between. */
const rowsPerTurn = 2000;

/**
 * Yields the places of the rows that meet the condition, oldest first, in portions, each of which is read in a turn of its own. So what is
 * added or removed meanwhile may be missing or not.
 */
export async function* scanRows(
  database: Pick<Database, "read">,
  rows: ScannedRows,
  after: ListPlace | undefined,
): AsyncGenerator<readonly ListPlace[], void, undefined> {
  if (rows.isLead) {
    yield await database.read((tx) => readLead(tx, rows, after));
    return;
  }
  let last = after;
  for (;;) {
    const from = last;
    const turn = await database.read((tx) => readTurn(tx, rows, from));
    yield turn.hits;
    if (turn.end === undefined) return;
    last = turn.end;
  }
}

/** The condition finds the rows, so the organization must not. */
async function readLead(
  tx: ReadTransaction,
  rows: ScannedRows,
  after: ListPlace | undefined,
): Promise<readonly ListPlace[]> {
  const { from, only, organizationId, condition } = rows;
  const where = allOf([condition, only, equals(unindexed("resource_owner"), organizationId), isAfter(after)]);
  return await readPlaces(tx, from, where);
}

async function readTurn(
  tx: ReadTransaction,
  { from, only, organizationId, condition }: ScannedRows,
  after: ListPlace | undefined,
): Promise<{ readonly hits: readonly ListPlace[]; readonly end: ListPlace | undefined }> {
  const within = allOf([equals("resource_owner", organizationId), isAfter(after)]);
  const end = await tx.get<ListPlace>(
    `SELECT creation_date AS date, id FROM ${from} WHERE ${within.sql} ORDER BY creation_date, id LIMIT 1 OFFSET ?`,
    [...within.parameters, rowsPerTurn - 1],
  );
  const until: Condition =
    end === undefined
      ? { sql: "TRUE", parameters: [] }
      : { sql: "(creation_date, id) <= (?, ?)", parameters: [end.date, end.id] };
  return { hits: await readPlaces(tx, from, allOf([within, until, only, condition])), end };
}

async function readPlaces(
  tx: ReadTransaction,
  from: string,
  where: Condition,
): Promise<readonly ListPlace[]> {
  return await tx.all<ListPlace>(
    `SELECT creation_date AS date, id FROM ${from} WHERE ${where.sql} ORDER BY creation_date, id`,
    where.parameters,
  );
}

function isAfter(place: ListPlace | undefined): Condition {
  if (place === undefined) return { sql: "TRUE", parameters: [] };
  return { sql: "(creation_date, id) > (?, ?)", parameters: [place.date, place.id] };
}
