// Writes the next migration of both engines for a new column:
//
//   npm run column -- stored_projects description text "What a project is for." --filter resource_owner
//
// The kind is one of `kinds`, named as in src/kernel/base/columns.ts. `--filter` adds the index of a filter to a list; its value is the
// column of what the list is of. The view of a table names its columns in PostgreSQL, so the migration replaces it there.
// `--out <folder>` writes into the folders `sqlite` and `postgres` there.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const kinds = {
  text: { sqlite: "TEXT NOT NULL DEFAULT ''", postgres: `TEXT COLLATE "C" NOT NULL DEFAULT ''` },
  flag: { sqlite: "INTEGER NOT NULL DEFAULT 0", postgres: "BIGINT NOT NULL DEFAULT 0" },
  choice: { sqlite: "TEXT", postgres: 'TEXT COLLATE "C"' },
  optionalText: { sqlite: "TEXT", postgres: 'TEXT COLLATE "C"' },
};

const migrations = fileURLToPath(new URL("../src/kernel/storage/ENGINE/migrations", import.meta.url));
const folderOf = (engine) => migrations.replace("ENGINE", engine);
const filesOf = (engine) =>
  readdirSync(folderOf(engine))
    .filter((file) => file.endsWith(".sql"))
    .toSorted();

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { filter: { type: "string" }, out: { type: "string" } },
});
const [table, column, kind, comment] = positionals;
if (comment === undefined || !Object.hasOwn(kinds, kind)) {
  console.error(
    `usage: add-column.mjs <table> <column> ${Object.keys(kinds).join("|")} <comment> [--filter <owner>]`,
  );
  process.exit(2);
}

const noun = table.replace("stored_", "");
const number = String(Number.parseInt(filesOf("sqlite").at(-1), 10) + 1).padStart(4, "0");
const file = `${number}-${noun}-${column}.sql`.replaceAll("_", "-");
for (const engine of ["sqlite", "postgres"]) {
  const folder = options.out === undefined ? folderOf(engine) : join(options.out, engine);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), toMigration(engine), { flag: "wx" });
  console.log(join(folder, file));
}

function toMigration(engine) {
  const lines = [`-- ${comment}`, `ALTER TABLE ${table} ADD COLUMN ${column} ${kinds[kind][engine]};`];
  if (options.filter !== undefined)
    lines.push(
      `CREATE INDEX ${noun}_by_${column} ON ${table} (${options.filter}, ${column}, creation_date, id);`,
    );
  if (engine === "postgres") lines.push(...toView());
  return `${lines.join("\n")}\n`;
}

/** Adds the column to the view of the table as the last migration has made it. */
function toView() {
  if (!table.startsWith("stored_")) return [];
  const scripts = filesOf("postgres").map((each) => readFileSync(join(folderOf("postgres"), each), "utf8"));
  const views = scripts.join("\n").matchAll(/^CREATE (?:OR REPLACE )?VIEW (\w+) AS\n[^;]*;/gm);
  const [last] = [...views].findLast(([, name]) => name === noun) ?? [];
  if (!last?.includes(`\n  FROM ${table}\n`)) throw new Error(`no migration makes a view of ${table}`);
  const view = last.replace(/^CREATE (OR REPLACE )?/, "CREATE OR REPLACE ");
  return ["", view.replace(`\n  FROM ${table}\n`, `,\n    ${column}\n  FROM ${table}\n`)];
}
