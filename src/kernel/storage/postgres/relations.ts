import type { PostgresConnection } from "./postgres-connection.ts";

/** Which tables stand behind the names in a statement. */
export interface Relations {
  /**
   * Returns the tables among these words and behind the views among them, and every table that those refer to: a row
   * can be inserted only after the rows that it refers to.
   */
  behind(words: Iterable<string>): ReadonlySet<string>;
  /** Returns a number that is larger than those of all other tables that the table refers to. */
  rank(table: string): number;
}

/** `name` needs `other`: a view its tables, and a table those that its foreign keys refer to. */
interface Dependency {
  readonly name: string;
  readonly other: string;
}

const tables = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`;
const dependencies = `
  SELECT DISTINCT view.relname AS name, used.relname AS other
  FROM pg_class view JOIN pg_rewrite rule ON rule.ev_class = view.oid
    JOIN pg_depend needs ON needs.classid = 'pg_rewrite'::regclass AND needs.objid = rule.oid
    JOIN pg_class used ON needs.refclassid = 'pg_class'::regclass AND used.oid = needs.refobjid
  WHERE view.relnamespace = current_schema()::regnamespace AND view.relkind = 'v' AND used.oid <> view.oid
  UNION
  SELECT child.relname, parent.relname
  FROM pg_constraint JOIN pg_class child ON child.oid = conrelid JOIN pg_class parent ON parent.oid = confrelid
  WHERE contype = 'f' AND child.relnamespace = current_schema()::regnamespace`;

/** Reads the schema of the connection. */
export async function readRelations(connection: PostgresConnection): Promise<Relations> {
  const [found, needed] = await Promise.all([
    connection.ask({ text: tables }),
    connection.ask({ text: dependencies }),
  ]);
  // The columns of the statements above.
  return createRelations(
    (found.rows as readonly { readonly name: string }[]).map(({ name }) => name),
    needed.rows as readonly Dependency[],
  );
}

/** Creates the relations of a schema with these tables. */
export function createRelations(names: readonly string[], needed: readonly Dependency[]): Relations {
  const isTable = new Set(names);
  const others = new Map<string, string[]>();
  for (const { name, other } of needed) others.set(name, [...(others.get(name) ?? []), other]);
  const rank = (table: string): number =>
    Math.max(
      0,
      ...(others.get(table) ?? []).filter((other) => other !== table).map((other) => 1 + rank(other)),
    );
  return {
    rank,
    behind(words) {
      const found = new Set<string>();
      const look = (name: string) => {
        if (found.has(name)) return;
        found.add(name);
        for (const other of others.get(name) ?? []) look(other);
      };
      for (const word of words) look(word);
      return new Set([...found].filter((name) => isTable.has(name)));
    },
  };
}
