import Sqlite from "better-sqlite3";
import { foldName } from "../../src/kernel/base/names/folding.ts";

/** One organization that has `size` users, projects and user grants, on an instance of `size` organizations and memberships. */
export interface Ground {
  readonly file: string;
  readonly size: number;
}

/** One of the rare projects had this done, by this editor. */
export const rareEventType = "project.deactivated";
export const rareEditor = "1";

/** How many objects the rare filters match, whatever the size: one full page. */
export const rareCount = 50;

const kinds = ["organization", "user", "project", "user_grant", "membership"] as const;
type Kind = (typeof kinds)[number];

/** Returns the id of the object of that number; they grow as those of the service do. */
export function idAt(kind: Kind, index: number): string {
  return String(BigInt(kinds.indexOf(kind) + 1) * 10n ** 17n + BigInt(index) * step);
}

/**
 * Fills the tables of a new database directly: a million commands would take an hour. Indexes are made afterwards, with
 * the statements of the migrations. The log has `size` events that would have made some of the objects, without payloads,
 * and a few rare ones. Throws when a row refers to one that is not there.
 */
export function fillGround({ file, size }: Ground): void {
  const database = new Sqlite(file);
  try {
    database.pragma("journal_mode = OFF");
    database.pragma("synchronous = OFF");
    database.pragma("foreign_keys = OFF");
    database.pragma("cache_size = -500000");
    database.function("fold", { deterministic: true }, (text) => foldName(String(text)));
    const indexes = dropIndexes(database);
    database.exec("CREATE TEMP TABLE numbers (i INTEGER PRIMARY KEY)");
    database
      .prepare(
        "INSERT INTO numbers WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1) SELECT i FROM n",
      )
      .run(size);
    for (const sql of inserts(size)) database.exec(sql);
    for (const sql of indexes) database.exec(sql);
    const orphans = database.pragma("foreign_key_check") as readonly unknown[]; // as SQLite documents it
    if (orphans.length > 0) throw new Error(`${orphans.length} rows refer to nothing`);
    database.pragma("journal_mode = WAL");
  } finally {
    database.close();
  }
}

/** As if one object was made each millisecond. */
const step = 2n ** 22n;
const firstDate = 1_780_000_000_000_000;

function dropIndexes(database: Sqlite.Database): readonly string[] {
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    .all() as readonly { name: string; sql: string }[]; // the columns asked for
  for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
  return indexes.map(({ sql }) => sql);
}

function idOf(kind: Kind, index = "i"): string {
  return `CAST(${kinds.indexOf(kind) + 1}00000000000000000 + (${index}) * ${step} AS TEXT)`;
}

function dateOf(kind: Kind): string {
  return `${firstDate} + i * 1000 + ${kinds.indexOf(kind)}`;
}

/** Half of the users and projects are active, few of the others locked. `size` is a multiple of 300, plus 100. */
function inserts(size: number): readonly string[] {
  const common = (kind: Kind) => `${idOf(kind)}, ${dateOf(kind)}, ${dateOf(kind)}`;
  const first = `'${idAt("organization", 0)}'`;
  const isRare = `i % ${size / rareCount} = 7`;
  const state = `CASE WHEN ${isRare} THEN 'LOCKED' WHEN i % 2 = 0 THEN 'ACTIVE' ELSE 'INACTIVE' END`;
  const role = (key: string) => `INSERT INTO user_grant_roles
      (user_grant_id, role_key, resource_owner, creation_date, project_id)
      SELECT ${idOf("user_grant")}, '${key}', ${first}, ${dateOf("user_grant")}, ${projectOfGrant} FROM numbers`;
  return [
    `INSERT INTO stored_organizations (id, sequence, creation_date, state, name, folded_name)
      SELECT ${common("organization")}, 'ACTIVE', 'Organization ' || i, fold('Organization ' || i) FROM numbers`,
    `INSERT INTO stored_users (id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name,
        family_name, display_name, preferred_language, email, is_email_verified, is_phone_verified)
      SELECT ${common("user")}, ${first}, ${state}, 'human', 'user-' || i, fold('user-' || i), 'Ada',
        'Lovelace ' || i, '', 'en', CASE WHEN ${isRare} THEN 'Team@example.com' ELSE 'u' || i || '@example.com' END, 0, 0
      FROM numbers`,
    ...words("user", "organization", ["user", "ada", "lovelace"], ["i", "'u' || i"]),
    `INSERT INTO user_words (owner_id, word, id) SELECT ${first}, 'thousand', ${idOf("user")} FROM numbers
      WHERE i % ${size / 1000} = 0`,
    ...words("organization", undefined, ["organization"], ["i"]),
    ...words("project", "organization", ["project"], ["i"]),
    `INSERT INTO stored_projects (id, sequence, creation_date, resource_owner, state, name, folded_name, project_role_assertion,
        project_role_check, has_project_check, private_labeling_setting)
      SELECT ${common("project")}, ${first}, CASE WHEN i % 2 = 0 THEN 'ACTIVE' ELSE 'INACTIVE' END, 'Project ' || i, fold('Project ' || i), 0, 0, 0,
        'PRIVATE_LABELING_SETTING_UNSPECIFIED' FROM numbers`,
    `INSERT INTO stored_user_grants (id, sequence, creation_date, resource_owner, state, user_id, project_id, project_grant_id,
        role_keys)
      SELECT ${common("user_grant")}, ${first}, 'ACTIVE', ${idOf("user")}, ${projectOfGrant}, '',
        CASE WHEN ${isRare} THEN '["reader","auditor"]' ELSE '["reader"]' END FROM numbers`,
    role("reader"),
    `${role("auditor")} WHERE ${isRare}`,
    `INSERT INTO stored_memberships (id, sequence, creation_date, resource_owner, user_id, scope_kind, scope_id, roles)
      SELECT ${common("membership")}, ${organizationOfMembership}, ${idOf("user")}, 'organization',
        ${organizationOfMembership}, '["ORGANIZATION_VIEWER"]' FROM numbers`,
    ...kinds.map(
      (
        kind,
        index,
      ) => `INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner,
          editor, request_id, payload)
        SELECT ${dateOf(kind)}, ${dateOf(kind)}, '${kind}', ${idOf(kind)}, 1, '${kind}.added', 1, ${first}, 'system', '',
          '{}' FROM numbers WHERE i % ${kinds.length} = ${index}`,
    ),
    `INSERT INTO events (sequence, date, aggregate_type, aggregate_id, revision, type, version, resource_owner, editor,
        request_id, payload)
      SELECT ${dateOf("project")} + 10, ${dateOf("project")} + 10, 'project', ${idOf("project")}, 2, '${rareEventType}', 1,
        ${first}, '${rareEditor}', '', '{}' FROM numbers WHERE ${isRare}`,
  ];
}

/** The rows that make objects be found by words, some of which all of them have. */
function words(
  kind: Kind,
  owner: Kind | undefined,
  common: readonly string[],
  own: readonly string[],
): readonly string[] {
  const ownerId = owner === undefined ? idOf(kind) : `'${idAt(owner, 0)}'`;
  return [...common.map((word) => `'${word}'`), ...own, `'!' || ${idOf(kind)}`].map(
    (word) =>
      `INSERT INTO ${kind}_words (owner_id, word, id) SELECT ${ownerId}, CAST(${word} AS TEXT), ${idOf(kind)} FROM numbers`,
  );
}

/** Two of three grants are on the first project, the others on one each. */
const projectOfGrant = idOf("project", "CASE WHEN i % 3 = 0 THEN i ELSE 0 END");

/** Two of three memberships are on the first organization, the others on one each. */
const organizationOfMembership = idOf("organization", "CASE WHEN i % 3 = 0 THEN i ELSE 0 END");
