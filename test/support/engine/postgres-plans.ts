import type { PlanStep } from "./engine.ts";
import type { Query } from "./postgres-raw.ts";

/** A node of a plan, as EXPLAIN writes it in JSON. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly "Parent Relationship"?: string;
  readonly Plans?: readonly PlanNode[];
}

let count = 0;

/** Returns the steps of the plan that PostgreSQL keeps for a statement, whatever its parameters are. */
export async function explainWith(query: Query, sql: string): Promise<readonly PlanStep[]> {
  const name = `explained_${(count += 1)}`;
  let parameters = 0;
  await query(`PREPARE ${name} AS ${sql.replaceAll("?", () => `$${(parameters += 1)}`)}`);
  const values = parameters === 0 ? "" : `(${Array.from({ length: parameters }, () => "NULL").join(", ")})`;
  const [row] = await query<{ "QUERY PLAN": readonly { readonly Plan: PlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) EXECUTE ${name}${values}`,
  );
  await query(`DEALLOCATE ${name}`);
  const unique = await uniqueIndexes(query);
  return (row?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => stepsOf(Plan, "", unique));
}

/** Numbers of columns of the unique indexes, by the names of the indexes. */
type UniqueIndexes = ReadonlyMap<string, number>;

async function uniqueIndexes(query: Query): Promise<UniqueIndexes> {
  const rows = await query<{ name: string; columns: number }>(
    `SELECT c.relname AS name, i.indnkeyatts AS columns FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** A node comes after those that it takes rows from, but for the index of a bitmap scan, which belongs to the table above. */
function stepsOf(node: PlanNode, tableAbove: string, unique: UniqueIndexes): readonly PlanStep[] {
  const { "Relation Name": table = tableAbove, Plans = [] } = node;
  return [...Plans.flatMap((each) => stepsOf(each, table, unique)), toStep(node, table, unique)];
}

/** Says whether a node returns one row at most: that of a value of a unique index, joined with such rows of other tables. */
function isOneRow(node: PlanNode, unique: UniqueIndexes): boolean {
  const { "Node Type": type, "Index Name": index = "", "Index Cond": condition = "", Plans = [] } = node;
  if (type.startsWith("Index")) {
    const equal = termsOf(condition).filter((term) => term.endsWith("="));
    return unique.get(index) === equal.length && !/= ANY\b/.test(condition);
  }
  const inputs = Plans.filter((each) => !/^(InitPlan|SubPlan)$/.test(each["Parent Relationship"] ?? ""));
  const keepsRows = /^(Sort|Nested Loop|Limit|Result|Subquery Scan)$/.test(type);
  return keepsRows && inputs.length > 0 && inputs.every((each) => isOneRow(each, unique));
}

/** A sort of one row is none. */
function toStep(node: PlanNode, table: string, unique: UniqueIndexes): PlanStep {
  const { "Node Type": type, "Index Name": index = "", "Index Cond": condition = "" } = node;
  const terms = termsOf(condition);
  const text = [type, table, index, condition].filter((part) => part !== "").join(" ");
  const kind = type === "Sort" && isOneRow(node, unique) ? "other" : kindOf(type, condition);
  return { kind, table, index, terms, text };
}

function kindOf(type: string, condition: string): PlanStep["kind"] {
  if (type.endsWith("Sort")) return "sort";
  if (type === "Seq Scan") return "walk";
  if (!/^(Index|Bitmap Index)/.test(type)) return "other";
  return condition === "" ? "walk" : "search";
}

/** What stands before a sign in brackets: columns in a ROW, a column, or an expression. */
const compared = /\((?:ROW\(([^()]*)\)|\(?"?(\w+)"?\)?(?:::\w+)?|\w+\([^<>=]*?\)) ([<>=])/g;

/** Reads a condition such as `((resource_owner = $1) AND (ROW(creation_date, id) > ROW($2, $3)))`. */
function termsOf(condition: string): readonly string[] {
  return Array.from(condition.matchAll(compared), ([, columns, column, sign]) =>
    columns === undefined ? `${column ?? "<expr>"}${sign}` : `(${columns.replaceAll(" ", "")})${sign}`,
  );
}
