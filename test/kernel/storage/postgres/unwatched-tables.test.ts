import { expect, test } from "@jest/globals";
import Sqlite from "better-sqlite3";
import { accessTables } from "../../../../src/identity/access/credentials.ts";
import { unwatchedTables } from "../../../../src/kernel/storage/engine/unwatched-tables.ts";
import { migrate } from "../../../../src/kernel/storage/sqlite/migrations.ts";

/** What processes remember of the database, besides who may do what, depends on these. */
const remembered = ["external_client_settings", "label_policies", "saml_keys", "signing_keys"];

/** Nothing is remembered of these, and people change them by hand, so that it does not matter. */
const rarelyWritten = [
  "application_keys",
  "custom_texts",
  "former_signing_keys",
  "identity_providers",
  "label_images",
  "login_policies",
  "login_policy_idps",
  "migrations",
  "project_roles",
  "settings",
  "stored_applications",
  "stored_group_grants",
  "stored_groups",
  "subgroups",
  "targets",
  "hooks",
  "used_setup_links",
];

test("of every table it was decided whether a write to it makes all processes forget", () => {
  const database = new Sqlite(":memory:");
  migrate(database, 0);
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  database.close();
  const decided = [...accessTables, ...remembered, ...rarelyWritten, ...unwatchedTables];
  expect(decided.toSorted()).toEqual(tables);
});
