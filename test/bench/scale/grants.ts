import Sqlite from "better-sqlite3";
import { definitionOf } from "../../../src/kernel/events/catalogue.ts";
import { roleKey } from "../speed/calls.ts";

/** The user grants that a database is to get. They come in rounds over all users. */
export interface Grants {
  readonly count: number;
  readonly userIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly organizationId: string;
  /** Who gave them. */
  readonly editorId: string;
}

/**
 * Writes the events and the rows that AddUserGrant would have made, a microsecond apart behind the last event: as commands
 * they would take half an hour. A test compares them with what a rebuild and a call make. The indexes grow with the rows, as
 * they do under calls: one that is made in the end has full pages only, and each of the next rows splits one.
 */
export function insertGrants(file: string, grants: Grants): void {
  const database = new Sqlite(file);
  try {
    database.unsafeMode(); // without a journal, which better-sqlite3 does not allow otherwise
    database.pragma("journal_mode = OFF");
    database.pragma("synchronous = OFF");
    database.pragma("cache_size = -1000000");
    database.pragma("temp_store = FILE");
    database.exec("BEGIN");
    fillNumbered(database, "numbered_users", grants.userIds);
    fillNumbered(database, "numbered_projects", grants.projectIds);
    fillGiven(database, grants);
    for (const sql of inserts(grants)) database.exec(sql);
    database.exec("COMMIT");
    const orphans = database.pragma("foreign_key_check") as readonly unknown[]; // as SQLite documents it
    if (orphans.length > 0) throw new Error(`${orphans.length} rows refer to nothing`);
    database.pragma("journal_mode = WAL");
  } finally {
    database.close();
  }
}

/** Ids as `createIdGenerator` makes them: milliseconds since 2026 in the upper bits, 22 bits below; a thousand in each. */
const idStep = 2 ** 22 / 1000;

/** Returns the id of the grant of that number; `firstDate` is the instant of the first one. */
export function grantIdAt(firstDate: number, index: number): string {
  const firstMs = BigInt(Math.ceil(firstDate / 1000) - Date.UTC(2026, 0, 1));
  return String((firstMs << 22n) + BigInt(index * Math.floor(idStep)));
}

/** Returns the instant of the first grant that comes behind everything in the database. */
export function nextDate(file: string): number {
  const database = new Sqlite(file, { readonly: true });
  const last = database.prepare<[], number>("SELECT MAX(sequence) FROM events").pluck().get() ?? 0;
  database.close();
  return last + 1;
}

function fillNumbered(database: Sqlite.Database, table: string, ids: readonly string[]): void {
  database.exec(`CREATE TEMP TABLE ${table} (i INTEGER PRIMARY KEY, id TEXT)`);
  const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?)`);
  for (const [index, id] of ids.entries()) insert.run(index, id);
}

/** Lists what is given: one row for each grant. The project is another one in each round. */
function fillGiven(database: Sqlite.Database, { count, userIds, projectIds }: Grants): void {
  const firstDate = database.prepare<[], number>("SELECT MAX(sequence) + 1 FROM events").pluck().get() ?? 1;
  const [users, projects] = [userIds.length, projectIds.length];
  database.exec(`
    CREATE TEMP TABLE given (i INTEGER PRIMARY KEY, id TEXT, date INTEGER, user_id TEXT, project_id TEXT);
    INSERT INTO given
      WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count} - 1)
      SELECT n.i, CAST(${grantIdAt(firstDate, 0)} + n.i * ${Math.floor(idStep)} AS TEXT), ${firstDate} + n.i,
        (SELECT id FROM numbered_users AS u WHERE u.i = n.i % ${users}),
        (SELECT id FROM numbered_projects AS p WHERE p.i = (n.i + n.i / ${users}) % ${projects})
      FROM n WHERE ${count} > 0`);
}

function inserts({ organizationId, editorId }: Grants): readonly string[] {
  const { version } = definitionOf("user_grant.added");
  return [
    `INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner, editor,
        request_id, payload)
      SELECT date, date, 'user_grant', id, 1, 'user_grant.added', ${version}, '${organizationId}', '${editorId}',
        lower(hex(randomblob(16))), '{"user_id":"' || user_id || '","project_id":"' || project_id ||
        '","project_grant_id":"","role_keys":["${roleKey}"]}' FROM given ORDER BY i`,
    `INSERT INTO stored_user_grants (id, sequence, creation_date, resource_owner, state, user_id, project_id, project_grant_id,
        role_keys)
      SELECT id, date, date, '${organizationId}', 'ACTIVE', user_id, project_id, '', '["${roleKey}"]' FROM given ORDER BY i`,
    `INSERT INTO user_grant_roles (user_grant_id, role_key, resource_owner, creation_date, project_id)
      SELECT id, '${roleKey}', '${organizationId}', date, project_id FROM given ORDER BY i`,
    "INSERT INTO right_events (subject_id, sequence) SELECT user_id, date FROM given ORDER BY i",
  ];
}
