import type { ReadTransaction } from "../../kernel/base/database.ts";
import { allOf, always, type Condition, equals, isAmong, unindexed } from "../../kernel/base/sql.ts";
import { aggregateTypeOf } from "../../kernel/events/catalogue.ts";
import { aggregateTypes, type EventFilter, type EventHead, type EventScope, eventTypesOf } from "./event.ts";

/** Condition on the unique index of the table, which ends with the revision. */
const ofAggregate = "aggregate_type = ? AND aggregate_id = ?";

/** How many rows one scan may read in vain, so that a rare filter on a long log does not hold up other calls. */
const maxRowsPerScan = 2000;

/** How many paths one scan may walk by organization and type; beyond this it goes by organization alone. */
const maxPaths = 1000;

/** A part of the log: behind `after`, up to and with `upTo`. */
export interface Span {
  readonly after: number;
  readonly upTo: number;
}

/** The part of the log to scan, and from which end. */
export interface ScanRange extends Span {
  readonly limit: number;
  /** Whether the newest events come first. Default: false. */
  readonly newestFirst?: boolean;
}

/** The result of a scan. */
export interface EventScan {
  /** Sequences of events that match, in the order of the scan, at most `limit`. */
  readonly sequences: readonly number[];
  /** What has not been scanned yet: nothing when it is empty. */
  readonly rest: Span;
}

/** Says whether there is nothing in a part of the log. */
export function isEmptySpan({ after, upTo }: Span): boolean {
  return after >= upTo;
}

/** One index to walk along: the condition that leads into it, and what is asked of each row. */
interface Path {
  readonly lead: Condition;
  readonly rest: readonly Condition[];
  /** The column that the index has the rows in the order of; the order of sequences is the same. */
  readonly order: "sequence" | "revision";
}

/**
 * Scans for events that match, on indexes only and through a bounded number of rows: call it again with the `rest` until that
 * is empty. Several organizations are scanned one by one, and the results are merged.
 */
export async function scanEvents(
  tx: ReadTransaction,
  scope: EventScope,
  filter: EventFilter,
  range: ScanRange,
): Promise<EventScan> {
  if (isEmptySpan(range)) return { sequences: [], rest: range };
  const scans: EventScan[] = [];
  for (const path of await listPaths(tx, scope, filter, range)) scans.push(await walk(tx, path, range));
  // Events that one path has not reached yet must not be shown from the others.
  const rest = scans.map((scan) => scan.rest).reduce(wider, nothingOf(range));
  const found = scans
    .flatMap((scan) => scan.sequences.filter((sequence) => sequence <= rest.after || sequence > rest.upTo))
    .toSorted((left, right) => (range.newestFirst === true ? right - left : left - right));
  const sequences = found.slice(0, range.limit);
  const last = sequences.at(-1);
  return { sequences, rest: last !== undefined && found.length >= range.limit ? restOf(range, last) : rest };
}

/** Returns the rest of a range once it has been scanned as far as this event. */
export function restOf({ after, upTo, newestFirst }: Omit<ScanRange, "limit">, sequence: number): Span {
  return newestFirst === true ? { after, upTo: sequence - 1 } : { after: sequence, upTo };
}

function nothingOf({ after, upTo, newestFirst }: ScanRange): Span {
  return newestFirst === true ? { after, upTo: after } : { after: upTo, upTo };
}

function wider(left: Span, right: Span): Span {
  return { after: Math.min(left.after, right.after), upTo: Math.max(left.upTo, right.upTo) };
}

/** Lists the sizes of the contents of these events, in any order. */
export async function listEventBytes(
  tx: ReadTransaction,
  sequences: readonly number[],
): Promise<readonly { readonly sequence: number; readonly bytes: number }[]> {
  const { sql, parameters } = isAmong("sequence", sequences);
  return await tx.all(
    `SELECT sequence, OCTET_LENGTH(payload) + COALESCE(OCTET_LENGTH(personal), 0) AS bytes
     FROM events WHERE ${sql}`,
    parameters,
  );
}

/** Lists the heads of the events behind a sequence, in order. */
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

async function walk(tx: ReadTransaction, path: Path, range: ScanRange): Promise<EventScan> {
  const { lead, rest } = path;
  const window = rest.length === 0 ? undefined : await findWindow(tx, path, range);
  const { sql, parameters } = allOf([lead, ...rest, within(path, range, window)]);
  const rows = await tx.all<{ sequence: number }>(
    `SELECT sequence FROM events WHERE ${sql} ORDER BY ${orderOf(path, range)} LIMIT ?`,
    [...parameters, range.limit],
  );
  const sequences = rows.map((row) => row.sequence);
  const last = rows.length >= range.limit ? sequences.at(-1) : window?.last;
  return { sequences, rest: last === undefined ? nothingOf(range) : restOf(range, last) };
}

/** How far one scan may walk a path. */
interface Window {
  /** The place of the last row in the order of the index. */
  readonly place: number;
  /** The sequence of that row; undefined when there is nothing behind it. */
  readonly last: number | undefined;
}

/** Finds out how far one scan may walk the path. */
async function findWindow(tx: ReadTransaction, path: Path, range: ScanRange): Promise<Window> {
  const { sql, parameters } = allOf([path.lead, ofSequences(path, range)]);
  const end = range.newestFirst === true ? "MIN" : "MAX";
  const row = await tx.get<{ last: number | null; place: number | null; count: number }>(
    `SELECT ${end}(sequence) AS last, ${end}(place) AS place, COUNT(*) AS count FROM
       (SELECT sequence, ${path.order} AS place FROM events
        WHERE ${sql} ORDER BY ${orderOf(path, range)} LIMIT ${maxRowsPerScan}) AS looked`,
    parameters,
  );
  const isFull = (row?.count ?? 0) >= maxRowsPerScan;
  return { place: row?.place ?? 0, last: isFull ? (row?.last ?? undefined) : undefined };
}

function orderOf({ order }: Path, { newestFirst }: ScanRange): string {
  return newestFirst === true ? `${order} DESC` : order;
}

/** Chooses the paths that together hold every event that matches, and no event twice. */
async function listPaths(
  tx: ReadTransaction,
  scope: EventScope,
  filter: EventFilter,
  range: ScanRange,
): Promise<readonly Path[]> {
  const types = eventTypesOf(filter);
  if (types.length === 0) return [];
  const ofType = filter.eventType === "" ? [] : [unindexedEquals("type", filter.eventType)];
  const ofAggregateType =
    filter.aggregateType === "" || filter.eventType !== ""
      ? []
      : [unindexedEquals("aggregate_type", filter.aggregateType)];
  const byEditor = filter.editor === "" ? [] : [unindexedEquals("editor", filter.editor)];
  if (filter.aggregateId !== "") {
    const aggregate = await findAggregate(tx, filter.aggregateId);
    if (aggregate === undefined || !(scope === "all" || scope.some((id) => id === aggregate.resource_owner)))
      return [];
    if (!types.some((type) => aggregateTypeOf(type) === aggregate.aggregate_type)) return [];
    const of = [aggregate.aggregate_type, filter.aggregateId];
    const ofObject = { sql: ofAggregate, parameters: of };
    const behind = { sql: "revision > ?", parameters: [await findRevision(tx, of, range.after)] };
    const lead = allOf([ofObject, behind, ...(await boundRevision(tx, of, range))]);
    return [{ lead, rest: [...ofType, ...byEditor], order: "revision" }];
  }
  if (filter.editor !== "") {
    const rest = [...ofType, ...ofAggregateType, ...ofOwners(scope)];
    return [{ lead: leadBy("editor", filter.editor), rest, order: "sequence" }];
  }
  const isOfAllTypes = filter.eventType === "" && filter.aggregateType === "" && filter.among === undefined;
  if (scope !== "all") {
    const owners = scope.map((id) => leadBy("resource_owner", id));
    if (isOfAllTypes || (owners.length * types.length > maxPaths && filter.among === undefined))
      return owners.map((lead) => ({ lead, rest: [...ofType, ...ofAggregateType], order: "sequence" }));
    const leads = owners.flatMap((owner) => types.map((type) => allOf([owner, leadBy("type", type)])));
    return leads.map((lead) => ({ lead, rest: [], order: "sequence" }));
  }
  if (isOfAllTypes) return [{ lead: always, rest: [], order: "sequence" }];
  return types.map((type) => ({ lead: leadBy("type", type), rest: [], order: "sequence" }));
}

/** Finds the type and the owner of an object by its first event. Ids are unique across all types. */
async function findAggregate(tx: ReadTransaction, id: string) {
  const { sql, parameters } = allOf([isAmong("aggregate_type", aggregateTypes), equals("aggregate_id", id)]);
  return await tx.get<{ aggregate_type: string; resource_owner: string }>(
    `SELECT aggregate_type, resource_owner FROM events WHERE ${sql} LIMIT 1`,
    parameters,
  );
}

/**
 * Finds the revision of the last event of the object up to the sequence; 0 when there is none. The index is ordered by
 * revision and not by sequence: without this, each scan would read all events of the object.
 */
async function findRevision(tx: ReadTransaction, of: readonly string[], after: number): Promise<number> {
  if (after === 0) return 0;
  const at = async (condition: string, ...parameters: number[]) =>
    await tx.get<{ sequence: number; revision: number }>(
      `SELECT sequence, revision FROM events WHERE ${ofAggregate} AND ${condition} LIMIT 1`,
      [...of, ...parameters],
    );
  const last = await at("TRUE ORDER BY revision DESC");
  if (last === undefined || last.sequence <= after) return last?.revision ?? 0;
  let [low, high] = [0, last.revision - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const event = await at("revision >= ? ORDER BY revision", middle);
    if (event !== undefined && event.sequence <= after) low = middle;
    else high = middle - 1;
  }
  return low;
}

function ofOwners(scope: EventScope): readonly Condition[] {
  return scope === "all" ? [] : [isAmong(unindexed("resource_owner"), scope)];
}

/** From the newest on, the revisions that earlier looks went through are not looked at again. */
async function boundRevision(
  tx: ReadTransaction,
  of: readonly string[],
  { upTo, newestFirst }: ScanRange,
): Promise<readonly Condition[]> {
  if (newestFirst !== true) return [];
  return [{ sql: "revision <= ?", parameters: [await findRevision(tx, of, upTo)] }];
}

/** Bounds the path by the range and the window. */
function within(path: Path, range: ScanRange, window: Window | undefined): Condition {
  if (window === undefined) return ofSequences(path, range);
  const isBackwards = range.newestFirst === true;
  if (path.order === "sequence") {
    const { after } = range;
    const { place } = window;
    return ofSequences(
      path,
      isBackwards ? { ...range, after: Math.max(after, place - 1) } : { after, upTo: place },
    );
  }
  const toPlace = { sql: `revision ${isBackwards ? ">=" : "<="} ?`, parameters: [window.place] };
  return allOf([ofSequences(path, range), toPlace]);
}

/** Bounds the sequences of the path. On an index in the order of revisions they must not lead through those of other objects. */
function ofSequences({ order }: Path, { after, upTo }: Span): Condition {
  const column = order === "sequence" ? order : unindexedSequence;
  return { sql: `${column} > ? AND ${column} <= ?`, parameters: [after, upTo] };
}

/** As `unindexed`, for the numbers that are the key of the table. */
const unindexedSequence = "sequence + 0";

/**
 * Leads into an index of this column and the sequence. PostgreSQL does not know how many sequences a look spans, and would look
 * through all events in between if it takes them for fewer than those of the value. The repeated condition makes it expect fewer
 * rows of the value, which is right: a look goes through few of them.
 */
function leadBy(column: string, value: string): Condition {
  return {
    sql: `${column} = ? AND ${column} >= ? AND ${column} <= ?`,
    parameters: [value, value, value],
  };
}

/** A condition that leads into no index: the one that was chosen bounds the rows, another one might not. */
function unindexedEquals(column: string, value: string): Condition {
  return equals(unindexed(column), value);
}
