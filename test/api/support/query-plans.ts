import type { FilterColumn } from "../../../src/kernel/base/list.ts";
import { engine, type PlanStep, type TestPlace } from "../../support/engine/engine.ts";
import { findLists } from "../../support/lists.ts";

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
  const stop = engine.onStatement((sql) => {
    recent.add(sql);
    all.add(sql);
  });
  return {
    take() {
      const taken = [...recent];
      recent = new Set();
      return taken;
    },
    all: () => [...all],
    stop,
  };
}

/** Judges statements by the plans that the database makes for them. */
export interface PlanJudge {
  /** Lists what walks through a table or sorts; nothing for a statement that does not read a list. */
  faultsOf(sql: string): Promise<readonly string[]>;
  /** Lists what is wrong with any of the statements. */
  faultsIn(statements: readonly string[]): Promise<readonly string[]>;
  /** Lists the filters that the statement compares with rows instead of finding rows by them. */
  unindexedFiltersOf(sql: string, list: AskedList): Promise<readonly string[]>;
}

/** A list as it was asked for. */
export interface AskedList {
  readonly method: string;
  /** The names of the filters, and of required fields that choose rows too. */
  readonly filters: readonly string[];
}

/** Judges by the database of a service. */
export function createPlanJudge({ raw }: TestPlace): PlanJudge {
  const known = new Map<string, Promise<readonly PlanStep[]>>();
  const explain = (sql: string) => {
    const plan = known.get(sql) ?? raw.explain(sql);
    known.set(sql, plan);
    return plan;
  };
  const isExempt = (sql: string) => !/^\s*(SELECT|WITH)\b/.test(sql) || exempt.some((each) => each.test(sql));
  const faults = async (sql: string) => (isExempt(sql) ? [] : faultsOf(sql, await explain(sql)));
  return {
    faultsOf: faults,
    faultsIn: async (statements) => (await Promise.all(statements.map(faults))).flat(),
    unindexedFiltersOf: async (sql, list) =>
      isOfList(sql) ? unindexedOf(sql, await explain(sql), list) : [],
  };
}

/** Says whether a statement reads a page of a list, or counts one. */
export function isOfList(sql: string): boolean {
  const isPage = /\bORDER BY\b.*\bLIMIT\b|\bCOUNT\(\*\) AS total\b/s.test(sql);
  return isPage && !exempt.some((known) => known.test(sql));
}

const lists = new Map((await findLists()).map((list) => [list.name, list]));

/** What the list says about the filter; nothing for one of a list that has parts. */
function columnOf(method: string, filter: string): FilterColumn | undefined {
  const name = filter.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
  return lists.get(method)?.filters[name];
}

/** The columns by which filters find rows that no list names, where they are named otherwise than the filter. */
const columns: Readonly<Record<string, string>> = {
  "ListOrganizations name": "folded_name",
  "ListApplicationKeys app_id": "application_id",
  "ListUserMetadata user_id": "object_id",
  "ListOrganizationMetadata id": "object_id",
  "ListProjectMetadata project_id": "object_id",
  "ListApplicationMetadata app_id": "object_id",
  "ListGroupMetadata group_id": "object_id",
  "ListUsers metadata_key": "key|value_digest", // the digest is of both
  "ListUsers metadata_value": "value_digest",
  aggregate_type: "type", // all types of the aggregate
  event_type: "type",
  expires_before: "end_date",
  after_sequence: engine.name === "sqlite" ? "rowid" : "sequence",
  before_sequence: engine.name === "sqlite" ? "rowid" : "sequence",
  "ListMemberships instance": "scope_id",
  "ListTargets instance": "resource_owner",
  "ListHooks instance": "resource_owner",
  "ListMemberships organization_id": "scope_id",
  "ListMemberships project_id": "scope_id",
  "ListMemberships project_grant_id": "scope_id",
};

/** Filters that leave few rows, on which the other filters of the call may be compared. Each with the reason. */
const narrowing: Readonly<Record<string, string>> = {
  "ListOrganizations name": "is unique",
  "ListApplicationKeys app_id": "is in one project, which is compared before",
  "ListApplicationMetadata app_id": "as above",
  "ListMemberships user_id": "a user has at most 1,000",
  "ListMemberships group_id": "a group has at most 100",
  "ListUserGrants user_id": "the grants of a user lie together, and are as many as they have projects",
  "ListEffectiveRoles user_id": "as above",
  "ListGroupGrants group_id": "a group has as many as organizations give it projects",
  "ListGroups user_id": "a user is in at most 1,000 groups",
  "ListEvents aggregate_id": "a look compares at most 2,000 events",
  "ListEvents aggregate_type": "as above",
  "ListEvents event_type": "as above",
  "ListEvents editor": "as above",
};

/** Filters that are compared with what the others find. Each with what bounds that. */
const compared: Readonly<Record<string, string>> = {
  "ListUserGrants search": "a page compares at most 4,000 grants",
};

function unindexedOf(
  sql: string,
  plan: readonly PlanStep[],
  { method, filters }: AskedList,
): readonly string[] {
  if (byIds.test(sql)) return []; // rows of the few ids that the roles of the caller name, or that a search has found
  if (ofWords.test(sql)) return []; // finds rows by a word, with which the other filters are compared then
  // What follows from the order of the list finds no rows of a filter.
  const terms = plan.flatMap((step) => (step.kind === "search" ? step.terms : []));
  const found = new Set(terms.flatMap((term) => /^(<expr>|\w+)/.exec(term)?.[0] ?? []));
  const isFound = (filter: string) => {
    const column = columnOf(method, filter)?.column.replace(/.*\(.*/, "<expr>"); // as plans name an expression
    const name = column ?? columns[`${method} ${filter}`] ?? columns[filter] ?? filter;
    return name.split("|").some((each) => found.has(each));
  };
  const isNarrowing = (filter: string) =>
    columnOf(method, filter)?.leaves !== undefined || Object.hasOwn(narrowing, `${method} ${filter}`);
  if (filters.some((filter) => isNarrowing(filter) && isFound(filter))) return [];
  return filters.filter((filter) => !isFound(filter) && !Object.hasOwn(compared, `${method} ${filter}`));
}

function faultsOf(sql: string, plan: readonly PlanStep[]): readonly string[] {
  const faults = plan.filter((step) => isFault(step) && !(step.index === "" && countsAll.test(sql)));
  if (byIds.test(sql) && !plan.some((step) => isById(sql, step))) faults.push(...plan);
  return faults.map(({ text }) => `${text}: ${sql.replaceAll(/\s+/g, " ")}`);
}

/** A statement that reads rows of known ids. */
export const byIds = /\bid IN \(\+?\?/;

const ofWords = /\bFROM \w+_words WHERE (owner_id = \+?\?|TRUE) AND (word >= |\(word, id\) > )/;

/** Statements that no list makes, or that sort few rows. */
const exempt: readonly RegExp[] = [
  /FROM (sqlite_master|sqlite_schema|settings|migrations|log_position|pg_\w+)\b/, // the start; a handful of rows
  /^SELECT json_agg\(/, // a test copies a database
  /FROM metadata_refreshes\b/, // the background; it bounds what it sorts
  /^SELECT MIN\(next_ms\) AS next FROM (logout|security)_notices$/, // the background; the first entry of an index
  /^SELECT sequence, type, aggregate_id, resource_owner, editor FROM events WHERE sequence > \+?\? ORDER BY/, // the background; it goes along the log
  /^WITH RECURSIVE chain\b/, // what it scans is the chain, of at most five groups a way
  /FROM \w+_grant_roles WHERE .* ORDER BY (\w+, )?position$/, // at most 1,000 a grant
];

/** Says whether the rows that a statement is about are found by their ids, and not only others that a view looks up. */
function isById(sql: string, { kind, table, terms }: PlanStep): boolean {
  const [, name = ""] = /\bFROM (\w+)/.exec(sql) ?? [];
  return kind === "search" && table.replace("stored_", "") === name && terms.join() === "id=";
}

/** Tables that some list holds all of, in the order of an index, or counts up to a limit in any order. */
const heldInFull = /^stored_(organizations|memberships)$/;
const countsAll =
  /^SELECT COUNT\(\*\) AS total FROM \(SELECT id FROM (organizations|memberships) WHERE TRUE LIMIT \+?\?\)/;

function isFault({ kind, table, index }: PlanStep): boolean {
  if (kind === "sort") return true;
  if (kind !== "walk") return false;
  const isAllowed =
    (heldInFull.test(table) && index.endsWith("_by_creation")) ||
    (table === "stored_organizations" && index === "organizations_removed"); // those whose rows have yet to go
  return !isAllowed;
}
