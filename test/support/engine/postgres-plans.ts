import type { PlanStep } from "./engine.ts";
import type { Query } from "./postgres-raw.ts";

/** A node of a plan, as EXPLAIN writes it in JSON. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
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
  return (row?.["QUERY PLAN"] ?? []).flatMap(({ Plan }) => stepsOf(Plan, ""));
}

/** A node comes after those that it takes rows from, but for the index of a bitmap scan, which belongs to the table above. */
function stepsOf(node: PlanNode, tableAbove: string): readonly PlanStep[] {
  const { "Relation Name": table = tableAbove, Plans = [] } = node;
  return [...Plans.flatMap((each) => stepsOf(each, table)), toStep(node, table)];
}

function toStep(node: PlanNode, table: string): PlanStep {
  const { "Node Type": type, "Index Name": index = "", "Index Cond": condition = "" } = node;
  const terms = termsOf(condition);
  const text = [type, table, index, condition].filter((part) => part !== "").join(" ");
  return { kind: kindOf(type, condition), table, index, terms, text };
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
