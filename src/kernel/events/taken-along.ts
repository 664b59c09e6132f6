import { type SqlValue, toInList, type WriteTransaction } from "../base/database.ts";
import type { NewEvent, Parents, Projection, Taken, TakenOfEach } from "./event.ts";
import type { EventType } from "./payloads.ts";

/** Objects of one type that a removal has taken along. */
export interface TakenObjects {
  /** The name that their events begin with, such as `user.token`. */
  readonly type: string;
  /** At least 1. Exact up to `maxTaken`, one more stands for more. */
  readonly count: number;
}

/** Objects of a type are counted up to this number. */
export const maxTaken = 10_000;

/**
 * Objects that depend on removed ones are counted for this number of removed ones. An organization may have a million users, and
 * nobody else can write while they are looked through.
 */
export const maxWalked = maxTaken + 1;

/** The number of objects of which one statement counts what hangs on them. */
const portion = 64;

/** The users of the removed organization. */
export const usersOfOrganization: Parents = {
  ids: "SELECT id FROM users WHERE resource_owner = :id ORDER BY creation_date, id",
};

/** Its projects. */
export const projectsOfOrganization: Parents = {
  ids: "SELECT id FROM projects WHERE resource_owner = :id ORDER BY creation_date, id",
};

/** Its groups. */
export const groupsOfOrganization: Parents = {
  ids: "SELECT id FROM groups WHERE resource_owner = :id ORDER BY creation_date, id",
};

/** The applications of those. */
export const applicationsOfOrganization: Parents = {
  of: projectsOfOrganization,
  ids: "SELECT id FROM applications WHERE project_id IN :ids",
};

/** The applications of the removed project. */
export const applicationsOfProject: Parents = {
  ids: "SELECT id FROM applications WHERE project_id = :id ORDER BY creation_date, id",
};

/** Counts what removals take along. */
export interface TakenCounter {
  /** Call it before the events of the command, and before anything else that the command changes. */
  begin(tx: WriteTransaction, removals: readonly NewEvent[], nowMs: number): Promise<BegunCount>;
}

/** What may go has been counted. */
export interface BegunCount {
  /** Call it after the events. Returns the objects that have gone, sorted by type. */
  end(tx: WriteTransaction): Promise<readonly TakenObjects[]>;
}

/** Creates the counter of the projections. A removal of which no projection says anything costs no statement. */
export function createTakenCounter(projections: readonly Projection[]): TakenCounter {
  const all = new Map<EventType, Counting>();
  const left = new Map<EventType, Counting>();
  for (const { takenAlong = {} } of projections)
    for (const type of Object.keys(takenAlong) as EventType[]) {
      const entries = projections.flatMap((each) => each.takenAlong?.[type] ?? []);
      all.set(type, toCounting(entries));
      left.set(type, toCounting(entries.filter(({ isPart }) => isPart === true)));
    }
  return {
    async begin(tx, removals, nowMs) {
      const before = await countAll(tx, all, { removals, nowMs });
      return {
        async end(after) {
          const kept = await countAll(after, left, { removals, nowMs });
          return [...before]
            .map(([type, count]) => ({
              type,
              count: count - (kept.get(type) ?? 0) - countOwn(removals, type),
            }))
            .filter(({ count }) => count > 0)
            .map(({ type, count }) => ({ type, count: Math.min(count, maxTaken + 1) }))
            .toSorted((a, b) => (a.type < b.type ? -1 : 1));
        },
      };
    },
  };
}

/** Returns how many of the removed objects themselves are among those that a part counts. */
function countOwn(removals: readonly NewEvent[], type: string): number {
  return removals.filter((event) => event.type === `${type}.removed`).length;
}

/** How the objects that go with one object are counted. */
interface Counting {
  /** Counts each type in a column of its own. Undefined: no type is found by the removed object alone. */
  readonly short: CountStatement | undefined;
  readonly long: readonly (TakenOfEach & Pick<Taken, "type">)[];
}

interface CountStatement {
  readonly sql: string;
  readonly types: readonly string[];
}

function toCounting(entries: readonly Taken[]): Counting {
  const short = entries.filter(({ rows = [] }) => rows.length > 0);
  return {
    short: short.length === 0 ? undefined : toStatement(short),
    long: entries.flatMap(({ type, ofEach = [] }) => ofEach.map((each) => ({ type, ...each }))),
  };
}

/** Counts types of which all may go no further than necessary. */
function toStatement(entries: readonly Taken[]): CountStatement {
  const columns = entries.map(({ rows = [], isPart }, index) => {
    const limit = isPart === true ? "" : ` LIMIT ${maxTaken + 1}`;
    const counts = rows.map((sql) => `(SELECT COUNT(*) FROM (${sql}${limit}) AS taken)`);
    return `${counts.join(" + ")} AS taken_${index}`;
  });
  return { sql: `SELECT ${columns.join(", ")}`, types: entries.map(({ type }) => type) };
}

/** What the names in a statement stand for. */
interface Bound {
  readonly id: string;
  readonly now: number;
  readonly ids?: readonly string[];
}

/** Writes a statement for what its names stand for. */
function bind(
  sql: string,
  { id, now, ids = [] }: Bound,
): readonly [sql: string, parameters: readonly SqlValue[]] {
  const list = toInList(ids);
  const parameters: SqlValue[] = [];
  const bound = sql.replaceAll(/:(ids?|now)\b/g, (_text, name: string) => {
    parameters.push(...(name === "ids" ? list.parameters : [name === "id" ? id : now]));
    return name === "ids" ? list.sql : "?";
  });
  return [bound, parameters];
}

async function countAll(
  tx: WriteTransaction,
  countings: ReadonlyMap<EventType, Counting>,
  { removals, nowMs }: { readonly removals: readonly NewEvent[]; readonly nowMs: number },
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const add = (type: string, count: number) => counts.set(type, (counts.get(type) ?? 0) + count);
  for (const { type: removal, aggregateId } of removals) {
    const { short, long = [] } = countings.get(removal) ?? {};
    const bound = { id: aggregateId, now: nowMs };
    if (short !== undefined) {
      const row = await tx.get<Readonly<Record<string, number>>>(...bind(short.sql, bound));
      for (const [index, type] of short.types.entries()) add(type, row?.[`taken_${index}`] ?? 0);
    }
    const known = new Map<Parents, readonly string[]>();
    for (const { type, parents, rows } of long) {
      const ids = known.get(parents) ?? (await readParents(tx, parents, bound));
      known.set(parents, ids);
      add(type, await countOfEach(tx, rows, { ...bound, ids }));
    }
  }
  return counts;
}

/** Counts what hangs on the objects, portion by portion, until there is more than needs to be counted. */
async function countOfEach(
  tx: WriteTransaction,
  rows: string,
  { ids, ...bound }: Required<Bound>,
): Promise<number> {
  const sql = `SELECT COUNT(*) AS taken_0 FROM (${rows} LIMIT ${maxTaken + 1}) AS taken`;
  let count = 0;
  for (const some of portionsOf(ids)) {
    const row = await tx.get<{ readonly taken_0: number }>(...bind(sql, { ...bound, ids: some }));
    count += row?.taken_0 ?? 0;
    if (count > maxTaken) break;
    await tx.pause();
  }
  return count;
}

/** Reads the ids of the objects, each once. */
async function readParents(tx: WriteTransaction, parents: Parents, bound: Bound): Promise<readonly string[]> {
  const found = new Set<string>();
  const of = parents.of === undefined ? undefined : await readParents(tx, parents.of, bound);
  const sql = `${parents.ids} LIMIT ${maxWalked}`;
  for (const some of of === undefined ? [[]] : portionsOf(of)) {
    for (const { id } of await tx.all<{ readonly id: string }>(...bind(sql, { ...bound, ids: some })))
      found.add(id);
    if (found.size >= maxWalked) break;
    await tx.pause();
  }
  return [...found].slice(0, maxWalked);
}

function portionsOf(ids: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(ids.length / portion) }, (_, index) =>
    ids.slice(index * portion, (index + 1) * portion),
  );
}
