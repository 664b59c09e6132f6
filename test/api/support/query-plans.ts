import Sqlite from "better-sqlite3";

/** The statements that this process runs, as the database sees them. */
export interface StatementRecorder {
  /** Returns the statements that were run since the last time. */
  take(): readonly string[];
  /** Returns all statements that were run. */
  all(): readonly string[];
  stop(): void;
}

/** Records every statement that returns rows, on every connection of this process. */
export function recordStatements(): StatementRecorder {
  const all = new Set<string>();
  let recent = new Set<string>();
  const prototype = statementPrototype();
  const { get, all: getAll } = prototype;
  const recording = (original: typeof get) =>
    function record(this: Sqlite.Statement, ...parameters: unknown[]): unknown {
      recent.add(this.source);
      all.add(this.source);
      return original.apply(this, parameters);
    };
  Object.assign(prototype, { get: recording(get), all: recording(getAll) });
  return {
    take() {
      const taken = [...recent];
      recent = new Set();
      return taken;
    },
    all: () => [...all],
    stop: () => void Object.assign(prototype, { get, all: getAll }),
  };
}

/** All statements share it, those that were prepared before too. */
function statementPrototype(): Pick<Sqlite.Statement, "get" | "all"> {
  const database = new Sqlite(":memory:");
  const prototype: unknown = Object.getPrototypeOf(database.prepare("SELECT 1"));
  database.close();
  return prototype as Pick<Sqlite.Statement, "get" | "all">; // as better-sqlite3 documents it
}

/** Judges statements by the plans that SQLite makes for them. */
export interface PlanJudge {
  /** Lists what walks through a table or sorts; nothing for a statement that does not read a list. */
  faultsOf(sql: string): readonly string[];
  /** Lists the filters that the statement compares with rows instead of finding rows by them. */
  unindexedFiltersOf(sql: string, list: AskedList): readonly string[];
  close(): void;
}

/** A list as it was asked for. */
export interface AskedList {
  readonly method: string;
  /** The names of the filters, and of required fields that choose rows too. */
  readonly filters: readonly string[];
}

/** Opens the database of a service beside it. */
export function createPlanJudge(file: string): PlanJudge {
  const database = new Sqlite(file, { readonly: true });
  const known = new Map<string, readonly string[]>();
  const explain = (sql: string) => {
    const found = known.get(sql);
    if (found !== undefined) return found;
    const parameters = Array.from({ length: sql.split("?").length - 1 }, () => "1");
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(parameters) as readonly {
      readonly detail: string;
    }[]; // as SQLite documents it
    const details = plan.map(({ detail }) => detail);
    known.set(sql, details);
    return details;
  };
  return {
    faultsOf: (sql) => faultsOf(sql, explain),
    unindexedFiltersOf: (sql, list) => (isOfList(sql) ? unindexedOf(sql, explain(sql), list) : []),
    close: () => void database.close(),
  };
}

/** Says whether a statement reads a page of a list, or counts one. */
export function isOfList(sql: string): boolean {
  const isPage = /\bORDER BY\b.*\bLIMIT\b|\bCOUNT\(\*\) AS total\b/s.test(sql);
  return isPage && !exempt.some((known) => known.test(sql));
}

/** The columns by which filters find rows, where they are named otherwise than the filter. */
const columns: Readonly<Record<string, string>> = {
  name: "folded_name",
  username: "folded_username",
  email: "<expr>", // lower(email)
  aggregate_type: "type", // all types of the aggregate
  event_type: "type",
  after_sequence: "rowid",
  "ListMemberships instance": "scope_id",
  "ListMemberships organization_id": "scope_id",
  "ListMemberships project_id": "scope_id",
  "ListMemberships project_grant_id": "scope_id",
};

/** Filters that leave few rows, on which the other filters of the call may be compared. Each with the reason. */
const narrowing: Readonly<Record<string, string>> = {
  name: "is unique in the organization or project",
  username: "is unique",
  email: "is that of few users",
  "ListUserGrants user_id": "the grants of a user lie together, and are as many as they have projects",
  "ListEffectiveRoles user_id": "as above",
  "ListEvents aggregate_id": "a look compares at most 2,000 events",
  "ListEvents aggregate_type": "as above",
  "ListEvents event_type": "as above",
  "ListEvents editor": "as above",
};

function unindexedOf(
  sql: string,
  details: readonly string[],
  { method, filters }: AskedList,
): readonly string[] {
  if (byIds.test(sql)) return []; // rows of the few ids that the roles of the caller name
  const terms = details.flatMap((detail) => {
    const [, searched = ""] = /^SEARCH [^(]*\((.*)\)/.exec(detail) ?? [];
    // What follows from the order of the list finds no rows of a filter.
    const [chosen = ""] = searched.split(/ AND \(/, 1);
    return chosen.split(" AND ").map((term) => /^(<expr>|\w+)/.exec(term)?.[0] ?? "");
  });
  const found = new Set(terms);
  const isFound = (filter: string) => found.has(columns[`${method} ${filter}`] ?? columns[filter] ?? filter);
  const isNarrowing = (filter: string) =>
    Object.hasOwn(narrowing, filter) || Object.hasOwn(narrowing, `${method} ${filter}`);
  if (filters.some((filter) => isNarrowing(filter) && isFound(filter))) return [];
  return filters.filter((filter) => !isFound(filter));
}

function faultsOf(sql: string, explain: (sql: string) => readonly string[]): readonly string[] {
  if (!/^\s*(SELECT|WITH)\b/.test(sql) || exempt.some((known) => known.test(sql))) return [];
  const details = explain(sql);
  const faults = details.filter(
    (detail) =>
      isFault(detail) && !(/^SCAN stored_(organizations|memberships)$/.test(detail) && countsAll.test(sql)),
  );
  if (byIds.test(sql) && !details.some((detail) => isById(sql, detail))) faults.push(...details);
  return faults.map((detail) => `${detail}: ${sql.replaceAll(/\s+/g, " ")}`);
}

/** A statement that reads rows of known ids. */
export const byIds = /\bid IN \(\+?\?/;

/** Statements that no list makes, or that sort few rows. */
const exempt: readonly RegExp[] = [
  /FROM (sqlite_master|sqlite_schema|settings|migrations)\b/, // the start; a handful of rows
  /FROM metadata_refreshes\b/, // the background; it bounds what it sorts
  /FROM \w+_grant_roles WHERE .* ORDER BY (\w+, )?position$/, // at most 1,000 a grant
];

/** Says whether the rows that a statement is about are found by their ids, and not only others that a view looks up. */
function isById(sql: string, detail: string): boolean {
  const [, table = ""] = /\bFROM (\w+)/.exec(sql) ?? [];
  return new RegExp(`^SEARCH (stored_)?${table}\\b.* (PRIMARY KEY|INDEX \\w+) \\(id=\\?\\)`).test(detail);
}

/** Tables that some list holds all of, in the order of an index, or counts up to a limit in any order. */
const walked = /^SCAN stored_(organizations|memberships)\b.* USING (COVERING )?INDEX \w+_by_creation$/;
const countsAll =
  /^SELECT COUNT\(\*\) AS total FROM \(SELECT id FROM (organizations|memberships) WHERE TRUE LIMIT \+\?\)/;

function isFault(detail: string): boolean {
  if (detail.includes("TEMP B-TREE")) return true;
  if (!detail.startsWith("SCAN ")) return false;
  return !(
    walked.test(detail) ||
    detail === "SCAN stored_organizations USING COVERING INDEX organizations_removed" || // those whose rows have yet to go
    /^SCAN (counted|looked|json_each|CONSTANT ROW|\(subquery|\d+ CONSTANT)/.test(detail)
  );
}
