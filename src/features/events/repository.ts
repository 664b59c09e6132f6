import { type ReadTransaction, type SqlValue, toInList } from "../../base/database.ts";
import { aggregateTypeOf } from "../../events/catalogue.ts";
import { aggregateTypes, type EventFilter, type EventHead, type EventScope, eventTypesOf } from "./event.ts";

/** Rows that one look may go through in vain, so that a rare filter on a long log holds nobody else up. */
const rowsLookedAt = 2000;

/** Paths that one look may take to go by organization and type at once; beyond it goes by organization. */
const maxPaths = 1000;

/** A part of the log in which to look: behind `after`, not behind `upTo`. */
export interface LogRange {
  readonly after: number;
  readonly upTo: number;
  readonly limit: number;
}

/** What a look has found. */
export interface Look {
  /** Sequences of events that match, in order, at most `limit`. */
  readonly sequences: readonly number[];
  /** Everything up to this sequence has been looked at. */
  readonly position: number;
}

/** One index to walk along: the condition that leads into it, and what is asked of each row. */
interface Path {
  readonly lead: Condition;
  readonly rest: readonly Condition[];
  /** The column that the index has the rows in the order of; the order of sequences is the same. */
  readonly order: "sequence" | "revision";
}

interface Condition {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * Looks for events that match, by indexes only and through a bounded number of rows: to be called again from `position` on
 * until that is `upTo`. Several organizations are looked through one by one, and what is found is merged.
 */
export async function lookForEvents(
  tx: ReadTransaction,
  scope: EventScope,
  filter: EventFilter,
  range: LogRange,
): Promise<Look> {
  if (range.after >= range.upTo) return { sequences: [], position: range.after };
  const looks: Look[] = [];
  for (const path of await listPaths(tx, scope, filter)) looks.push(await walk(tx, path, range));
  // What one path has not reached yet, the others must not show.
  const reached = Math.min(range.upTo, ...looks.map((look) => look.position));
  const found = looks
    .flatMap((look) => look.sequences.filter((sequence) => sequence <= reached))
    .toSorted((left, right) => left - right);
  const sequences = found.slice(0, range.limit);
  return { sequences, position: found.length >= range.limit ? (sequences.at(-1) ?? reached) : reached };
}

/** Returns how many bytes the contents of these events take, in the order of the sequences. */
export async function listEventBytes(
  tx: ReadTransaction,
  sequences: readonly number[],
): Promise<readonly { readonly sequence: number; readonly bytes: number }[]> {
  const list = toInList(sequences);
  return await tx.all(
    `SELECT sequence, OCTET_LENGTH(payload) + COALESCE(OCTET_LENGTH(personal), 0) AS bytes
     FROM events WHERE sequence IN ${list.sql} ORDER BY sequence`,
    list.parameters,
  );
}

/** Returns what is known of the events behind a sequence, in order. */
export async function listEventHeads(
  tx: ReadTransaction,
  after: number,
  limit: number,
): Promise<readonly EventHead[]> {
  return await tx.all<EventHead>(
    "SELECT sequence, type, aggregate_id, resource_owner, editor FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?",
    [after, limit],
  );
}

async function walk(tx: ReadTransaction, path: Path, range: LogRange): Promise<Look> {
  const { lead, rest, order } = path;
  const end = rest.length === 0 ? range.upTo : await findWindowEnd(tx, path, range);
  const where = [lead, ...rest].map(({ sql }) => sql).join(" AND ");
  const rows = await tx.all<{ sequence: number }>(
    `SELECT sequence FROM events WHERE ${where} AND sequence > ? AND sequence <= ? ORDER BY ${order} LIMIT ?`,
    [...[lead, ...rest].flatMap(({ parameters }) => parameters), range.after, end, range.limit],
  );
  const sequences = rows.map((row) => row.sequence);
  const last = sequences.at(-1);
  return { sequences, position: last !== undefined && rows.length >= range.limit ? last : end };
}

/** Returns how far the path may be walked in one look. */
async function findWindowEnd(
  tx: ReadTransaction,
  { lead, order }: Path,
  { after, upTo }: LogRange,
): Promise<number> {
  const row = await tx.get<{ last: number | null; count: number }>(
    `SELECT MAX(sequence) AS last, COUNT(*) AS count FROM
       (SELECT sequence FROM events WHERE ${lead.sql} AND sequence > ? AND sequence <= ? ORDER BY ${order} LIMIT ${rowsLookedAt}) AS looked`,
    [...lead.parameters, after, upTo],
  );
  return (row?.count ?? 0) < rowsLookedAt ? upTo : (row?.last ?? upTo);
}

/** Chooses the paths that together hold every event that matches, and no event twice. */
async function listPaths(
  tx: ReadTransaction,
  scope: EventScope,
  filter: EventFilter,
): Promise<readonly Path[]> {
  const types = eventTypesOf(filter);
  if (types.length === 0) return [];
  const ofType = filter.eventType === "" ? [] : [checked("type", filter.eventType)];
  const ofAggregateType =
    filter.aggregateType === "" || filter.eventType !== ""
      ? []
      : [checked("aggregate_type", filter.aggregateType)];
  const byEditor = filter.editor === "" ? [] : [checked("editor", filter.editor)];
  if (filter.aggregateId !== "") {
    const aggregate = await findAggregate(tx, filter.aggregateId);
    if (aggregate === undefined || !(scope === "all" || scope.some((id) => id === aggregate.resource_owner)))
      return [];
    if (!types.some((type) => aggregateTypeOf(type) === aggregate.aggregate_type)) return [];
    const lead = {
      sql: "aggregate_type = ? AND aggregate_id = ?",
      parameters: [aggregate.aggregate_type, filter.aggregateId],
    };
    return [{ lead, rest: [...ofType, ...byEditor], order: "revision" }];
  }
  if (filter.editor !== "") {
    const rest = [...ofType, ...ofAggregateType, ...ofOwners(scope)];
    return [{ lead: led("editor", filter.editor), rest, order: "sequence" }];
  }
  const isOfAllTypes = filter.eventType === "" && filter.aggregateType === "";
  if (scope !== "all") {
    const owners = scope.map((id) => led("resource_owner", id));
    if (isOfAllTypes || owners.length * types.length > maxPaths)
      return owners.map((lead) => ({ lead, rest: [...ofType, ...ofAggregateType], order: "sequence" }));
    const leads = owners.flatMap((owner) => types.map((type) => both(owner, led("type", type))));
    return leads.map((lead) => ({ lead, rest: [], order: "sequence" }));
  }
  if (isOfAllTypes) return [{ lead: { sql: "TRUE", parameters: [] }, rest: [], order: "sequence" }];
  return types.map((type) => ({ lead: led("type", type), rest: [], order: "sequence" }));
}

/** Returns of which kind an object is and whose, by its first event. Ids are unique across all kinds. */
async function findAggregate(tx: ReadTransaction, id: string) {
  const list = toInList(aggregateTypes);
  return await tx.get<{ aggregate_type: string; resource_owner: string }>(
    `SELECT aggregate_type, resource_owner FROM events WHERE aggregate_type IN ${list.sql} AND aggregate_id = ? LIMIT 1`,
    [...list.parameters, id],
  );
}

function ofOwners(scope: EventScope): readonly Condition[] {
  if (scope === "all") return [];
  const list = toInList(scope);
  return [{ sql: `(resource_owner || '') IN ${list.sql}`, parameters: list.parameters }];
}

function led(column: string, value: string): Condition {
  return { sql: `${column} = ?`, parameters: [value] };
}

function both(one: Condition, other: Condition): Condition {
  return { sql: `${one.sql} AND ${other.sql}`, parameters: [...one.parameters, ...other.parameters] };
}

/** A condition that leads into no index: the one that was chosen bounds the rows, another one might not. */
function checked(column: string, value: string): Condition {
  return { sql: `(${column} || '') = ?`, parameters: [value] };
}
