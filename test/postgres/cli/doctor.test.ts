import { expect, test } from "@jest/globals";
import { type Site, useDatabaseSites } from "./support/site.ts";

const sites = useDatabaseSites();

/** Returns an installation with an event of its own. */
async function makeUsed(): Promise<Site> {
  const site = await sites.make();
  await site.init();
  const serving = await site.serve();
  await site.addProject(serving, "Examined");
  await serving.stop();
  return site;
}

test("doctor finds nothing wrong beside a process that serves, and changes nothing", async () => {
  const site = await makeUsed();
  const serving = await site.serve();
  const before = await site.ask("SELECT xmin::text AS xmin, * FROM stored_projects");
  const { code, stdout, stderr } = await site.run(["doctor"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).not.toContain("FAILED");
  for (const line of [
    /^ok {6}schema: version \d+$/m,
    /^ok {6}server: PostgreSQL \d+.* for postgres:\/\/postgres@127\.0\.0\.1:\d+\/test_\d+\?sslmode=disable$/m,
    /^ok {6}references: all \d+ kinds are valid$/m,
    /^ok {6}master key: 1 in use, of 1 in the file$/m,
    /^ok {6}tables: \d+ equal to 5 events$/m,
    /^warning standbys: 0 connected/m,
  ])
    expect(stdout).toMatch(line);
  expect(await site.ask("SELECT xmin::text AS xmin, * FROM stored_projects")).toEqual(before);
  expect(await site.ask("SELECT relname FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'")).toEqual(
    [],
  );
  expect(await serving.stop()).toBe(0);
});

test.each([
  [
    "a row that the log does not give",
    "UPDATE projects SET name = 'Other'",
    /^FAILED {2}tables: .*projects \(2\)/m,
  ],
  [
    "a row that is gone",
    "DELETE FROM projects",
    /^FAILED {2}tables: rows that differ from the log: stored_projects \(1\)/m,
  ],
  [
    "a changed event",
    "UPDATE events SET request_id = 'x' WHERE type = 'project.added'",
    /^FAILED {2}checksums: 1 of/m,
  ],
  [
    "a secret that cannot be opened",
    "UPDATE secrets SET value = '\\x00' WHERE id LIKE 'user-key:%' OR id LIKE 'organization-key:%'",
    /^FAILED {2}secrets: /m,
  ],
  [
    "a reference to nothing",
    "SET session_replication_role = replica; UPDATE users SET resource_owner = 'nothing'",
    /^FAILED {2}references: rows refer to missing rows: stored_users to stored_organizations/m,
  ],
])("doctor finds %s", async (_what, sql, finding) => {
  const site = await makeUsed();
  await site.ask(sql);
  const { code, stdout } = await site.run(["doctor"]);
  expect(stdout).toMatch(finding);
  expect(code).toBe(1);
});

test("doctor goes on with what it can check in tables of an earlier version", async () => {
  const site = await makeUsed();
  // As the version before had it: another name, fewer columns, and tables that are not there yet.
  await site.ask(
    `DROP VIEW personal_access_tokens; ALTER TABLE credentials RENAME TO personal_access_tokens;
     DROP TABLE access_tokens; DELETE FROM migrations WHERE version > 12`,
  );
  await site.ask("UPDATE events SET request_id = 'x' WHERE type = 'project.added'");
  const { code, stdout, stderr } = await site.run(["doctor"]);
  expect(stderr).toBe("");
  expect(code).toBe(1); // by the changed event, which is found
  for (const line of [
    /^warning schema: version 12; the next start of this program makes it \d+$/m,
    /^ok {6}server: PostgreSQL/m,
    /^ok {6}references: all \d+ kinds are valid$/m,
    /^FAILED {2}checksums: 1 of/m,
    /^ok {6}master key: 1 in use/m,
    /^warning secrets: not done, because the tables are those of version 12: .*credentials/m,
    /^ok {6}sealed values: /m,
    /^warning tables: not compared with the log, because the tables are those of version 12$/m,
  ])
    expect(stdout).toMatch(line);
});
