import { beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import Sqlite from "better-sqlite3";
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { openInstallation } from "../../src/app/installation.ts";
import { createAllKinds } from "./support/all-kinds.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { rebuildHere } from "./support/rebuild-here.ts";
import { type Dump, dump, projectionsOf } from "./support/tables.ts";
import { createCaller, createHumanUser, createWorld, type World } from "../support/world.ts";

const migrations = join(import.meta.dirname, "../../src/kernel/storage/sqlite/migrations");
const versions = readdirSync(migrations)
  .map((file) => Number.parseInt(file, 10))
  .toSorted((left, right) => left - right);

const newPlace = usePlaces();

// The objects are made by this version, and their rows put into the tables that version 1 had.
let newest: Place;
let world: World;
let rows: Dump;
let answers: readonly JsonObject[];

beforeAll(async () => {
  newest = newPlace();
  const serving = await newest.serve(["--dev"]);
  const service = newest.connect(serving);
  await createAllKinds(service);
  world = await createWorld(service);
  const userId = await createHumanUser(service, world.organizationId);
  const { projectId } = world;
  const inside = createCaller(service, world.organizationId);
  // What JSON escapes, or may.
  const oddKey = '"\\/é\u{1f600}';
  await inside(ProjectService.method.addProjectRole, { projectId, roleKey: oddKey });
  const roleKeys = ["writer", oddKey, "reader"];
  await inside(UserGrantService.method.addUserGrant, { userId, projectId, roleKeys });
  answers = await readEverything(service);
  expect(await serving.stop()).toBe(0);
  rows = dump(newest.file("gatehouse.db"));
});

describe("a database of version 1", () => {
  test("holds objects of every kind", () => {
    const place = makeVersion1();
    const tables = Object.entries(projectionsOf(dump(place.file("gatehouse.db"))));
    expect(tables.filter(([, held]) => held.length === 0)).toEqual([]);
    expect(versionsOf(place)).toEqual([1]);
    expect(
      Object.keys(dump(place.file("gatehouse.db"), ["user_grant_roles"])["user_grant_roles"]?.[0] ?? {}),
    ).toEqual(["user_grant_id", "role_key", "position"]);
  });

  test("has the rows of the newest version when it was brought there, and the same indexes", async () => {
    const place = makeVersion1();
    await migrate(place);
    expect(versionsOf(place)).toEqual(versions);
    expect(comparable(dump(place.file("gatehouse.db")))).toEqual(comparable(rows));
    expect(schemaOf(place)).toEqual(schemaOf(newest));
  });

  test("is made again out of its events as the migrations made it", async () => {
    const place = makeVersion1();
    await migrate(place);
    const migrated = dump(place.file("gatehouse.db"));
    expect(await rebuildHere(place.path)).toBeGreaterThan(0);
    expect(withoutWords(dump(place.file("gatehouse.db")))).toEqual(withoutWords(migrated));
  });

  test("is served as it was", async () => {
    const place = makeVersion1();
    const serving = await place.serve(["--dev"]);
    expect(await readEverything(place.connect(serving))).toEqual(answers);
    expect(await serving.stop()).toBe(0);
  });
});

/** Makes a data folder with a database of version 1 that holds the rows. */
function makeVersion1(): Place {
  const place = newPlace();
  mkdirSync(place.path, { mode: 0o700 });
  for (const name of ["master.key", "admin.token"]) copyFileSync(newest.file(name), place.file(name));
  const database = new Sqlite(place.file("gatehouse.db"));
  database.pragma("foreign_keys = OFF");
  database.exec(readFileSync(join(migrations, "0001-initial.sql"), "utf8"));
  database.exec(
    "CREATE TABLE migrations (version INTEGER NOT NULL PRIMARY KEY, date INTEGER NOT NULL) STRICT; INSERT INTO migrations VALUES (1, 0)",
  );
  database.prepare("ATTACH ? AS newest").run(newest.file("gatehouse.db"));
  for (const table of tablesOf(database)) {
    if (table === "user_grant_roles") continue;
    const columns = database.pragma(`main.table_info(${table})`) as readonly { name: string }[]; // as documented
    const names = columns.map(({ name }) => name).join(", ");
    const source = table === "personal_access_tokens" ? "credentials" : table;
    database.exec(`INSERT INTO main.${table} (${names}) SELECT ${names} FROM newest.${source}`);
  }
  database.exec(`INSERT INTO main.user_grant_roles (user_grant_id, role_key, position)
    SELECT g.id, r.value, r.key FROM newest.user_grants g, json_each(g.role_keys) r`);
  database.exec(`UPDATE main.events SET payload = replace(payload, '${undated}', '')`);
  // Until version 9 no token was limited.
  database.exec("UPDATE main.events SET payload = json_remove(payload, '$.limited_token_ids')");
  // Until version 13 nothing said how the access tokens of service users are made.
  database.exec(
    "UPDATE main.events SET payload = json_remove(payload, '$.access_token_type', '$.signing_algorithm')",
  );
  // Until version 38 nobody recorded where the giver of a grant held the permission.
  database.exec("UPDATE main.events SET payload = json_remove(payload, '$.held_at_home')");
  expect(database.pragma("main.foreign_key_check")).toEqual([]);
  database.close();
  return place;
}

/** Opens the folder in this process as every command does, which brings it to the newest version. */
async function migrate(place: Place): Promise<void> {
  await (await openInstallation({ dataFolder: place.path }, { isNewAllowed: false })).close();
}

function tablesOf(database: Sqlite.Database): readonly string[] {
  return database
    .prepare<[], string>("SELECT name FROM main.sqlite_master WHERE type = 'table' AND name <> 'migrations'")
    .pluck()
    .all();
}

function versionsOf(place: Place): readonly number[] | undefined {
  const applied = dump(place.file("gatehouse.db"), ["migrations"])["migrations"];
  return applied?.map(({ version }) => Number(version)).toSorted((left, right) => left - right);
}

/** Returns the tables with their columns, and the indexes with theirs. */
function schemaOf(place: Place): readonly unknown[] {
  const database = new Sqlite(place.file("gatehouse.db"), { readonly: true });
  const schema = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name").all();
  database.close();
  return schema;
}

/** What version 1 did not write about a document. */
const undated = ',"valid_until":""';

/**
 * Leaves out what the newest version does not make of older rows: in version 1, each event had an address of its own, no row
 * had a checksum, nothing said until when metadata is valid, and no token was limited.
 */
function comparable(dumped: Dump): Dump {
  const { migrations: _versions, left_out_roles: _limited, ...others } = withoutWords(dumped);
  const { stored_applications: applications = [], events = [], secrets = [] } = others;
  const { credentials: tokens = [], stored_users: users = [], stored_user_grants: grants = [] } = others;
  return {
    ...others,
    stored_applications: applications.map((row) => Object.assign(row, { metadata_valid_until: null })),
    events: events.map((row) => {
      const payload = JSON.parse(String(row["payload"]).replace(undated, "")) as Record<string, unknown>;
      for (const field of ["limited_token_ids", "access_token_type", "signing_algorithm", "held_at_home"])
        delete payload[field];
      return Object.assign(row, {
        payload: JSON.stringify(payload),
        remote_address_of: null,
        checksum: null,
      });
    }),
    stored_users: users.map((row) =>
      Object.assign(row, { access_token_type: null, signing_algorithm: null }),
    ),
    stored_user_grants: grants.map((row) => Object.assign(row, { held_at_home: 0 })),
    credentials: tokens.map((row) => Object.assign(row, { was_limited: 0 })),
    secrets: secrets.map((row) => Object.assign(row, { checksum: null })),
  };
}

/** Returns what the lists of the world show, all but the moment at which they were made. */
async function readEverything(service: ConnectedService): Promise<readonly JsonObject[]> {
  const { organizationId, projectId, userId } = world;
  const inside = createCaller(service, organizationId);
  const lists: readonly (readonly [DescMethodUnary, Record<string, unknown>])[] = [
    [OrganizationService.method.listOrganizations, {}],
    [MembershipService.method.listMemberships, {}],
    [UserService.method.listUsers, {}],
    [UserService.method.listSecondFactors, { userId }],
    [UserService.method.listPersonalAccessTokens, { userId }],
    [IdentityProviderService.method.listIdentityProviders, {}],
    [ProjectService.method.listProjects, {}],
    [ProjectService.method.listProjectRoles, { projectId }],
    [ProjectService.method.listProjectGrants, { projectId }],
    [UserGrantService.method.listUserGrants, {}],
    [UserGrantService.method.listUserGrants, { roleKey: "reader" }],
    [UserGrantService.method.listUserGrants, { projectId, roleKey: "writer" }],
    [UserGrantService.method.listEffectiveRoles, { userId }],
    [ApplicationService.method.listApplications, { projectId }],
    [ApplicationService.method.getApplication, { projectId, appId: world.appId }],
  ];
  const read: JsonObject[] = [];
  for (const [method, request] of lists) {
    const { details: _moment, ...list } = await inside(method, request);
    expect(Object.values(list)[0]).not.toEqual([]);
    read.push(list);
  }
  return read;
}

/** Leaves out the words by which objects are found, which the first start notes. */
function withoutWords(dumped: Dump): Dump {
  return Object.fromEntries(Object.entries(dumped).filter(([table]) => !table.endsWith("_words")));
}
