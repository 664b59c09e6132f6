/** What lies in the tables of a service, and what a rebuild would make of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/kernel/base/clock.ts";
import type { ReadTransaction } from "../../../src/kernel/base/database.ts";
import { createKeyring, parseMasterKeys } from "../../../src/kernel/base/keyring.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { createEventLog } from "../../../src/kernel/events/event-log.ts";
import { createPersonalData } from "../../../src/kernel/events/personal-data.ts";
import { projections } from "../../../src/app/installation.ts";
import { differencesOf, type Dump, type Row } from "../../process/support/tables.ts";
import type { TestPlace } from "../../support/engine/engine.ts";
import { leftOutOf } from "./permissions.ts";
import type { World } from "./world.ts";

const tables = [...projections.flatMap((projection) => projection.tables), "secrets"];

/** The tables of what the model does not draw. */
const ofSigningIn = [
  "application_keys",
  "confirmations",
  "custom_texts",
  "external_client_settings",
  "former_signing_keys",
  "group_members",
  "group_words",
  "imported_ids",
  "label_policies",
  "login_policies",
  "metadata",
  "nested_groups",
  "saml_keys",
  "session_applications",
  "session_links",
  "sessions",
  "signing_keys",
  "stored_group_grants",
  "stored_groups",
  "subgroups",
  "targets",
  "hooks",
];

/** Returns the rows that a rebuild of all tables makes or leaves otherwise: none. The service itself stays as it is. */
export async function rebuiltDifferences(place: TestPlace): Promise<readonly string[]> {
  const copy = await place.copy();
  const database = await copy.open({ clock: systemClock });
  try {
    const keys = parseMasterKeys(readFileSync(join(place.folder, "master.key"), "utf8"));
    const personalData = createPersonalData(createKeyring(keys, systemRandom), systemRandom, database);
    const log = createEventLog({ projections, personalData, isFailure: database.isFailure });
    return await database.write(async (tx) => {
      const live = await dumpAll(tx);
      await log.rebuild(tx);
      return differencesOf(live, await dumpAll(tx));
    });
  } finally {
    await database.close();
    await copy.remove();
  }
}

/** Returns the tables that have more or fewer rows than the world has objects: none. */
export async function rowsTooManyOrFew({ raw }: TestPlace, world: World): Promise<readonly string[]> {
  const wanted = countObjects(world);
  const wrong: string[] = [];
  // Rows of what a user has lost stay there as long as the user does.
  for (const table of tables.filter((name) => name !== "right_events")) {
    // An organization has a key from its first user on, whatever becomes of that.
    const counted = table === "secrets" ? " WHERE id NOT LIKE 'organization-key:%'" : "";
    const rows = table.endsWith("_words") ? "DISTINCT id" : "*"; // each object has some words
    const [row] = await raw.peek<{ n: number }>(`SELECT COUNT(${rows}) AS n FROM "${table}"${counted}`);
    if (row?.n !== wanted[table]) wrong.push(`${table}: ${row?.n} rows instead of ${wanted[table]}`);
  }
  return wrong;
}

function countObjects(world: World): Readonly<Record<string, number>> {
  const rolesOf = (grants: readonly { readonly roleKeys: readonly string[] }[]) =>
    grants.flatMap(({ roleKeys }) => roleKeys).length;
  const users = world.users.all().length;
  const tokens = world.tokens.all().length;
  return {
    stored_organizations: world.organizations.all().length,
    organization_words: world.organizations.all().length,
    stored_users: users,
    user_words: users,
    second_factors: 0,
    passkeys: 0,
    recovery_codes: 0,
    idp_links: 0,
    login_policy_idps: 0,
    credentials: tokens,
    identity_providers: world.providers.all().length,
    stored_projects: world.projects.all().length,
    project_words: world.projects.all().length,
    application_words: world.applications.all().length,
    project_roles: world.projects.all().flatMap(({ roles }) => Array.from(roles.keys())).length,
    stored_project_grants: world.projectGrants.all().length,
    project_grant_roles: rolesOf(world.projectGrants.all()),
    stored_user_grants: world.userGrants.all().length,
    user_grant_roles: rolesOf(world.userGrants.all()),
    stored_memberships: world.memberships.all().length,
    left_out_roles: world.tokens.all().flatMap((token) => leftOutOf(world, token)).length,
    // What people sign in with and to, which the model leaves out.
    ...Object.fromEntries(ofSigningIn.map((table) => [table, 0])),
    stored_applications: world.applications.all().length,
    // The key of each user, the hash of each token, each client secret.
    secrets: users + tokens + world.providers.where(({ secret }) => secret !== "").length,
  };
}

async function dumpAll(tx: ReadTransaction): Promise<Dump> {
  const dumped: Record<string, readonly Row[]> = {};
  for (const table of tables) dumped[table] = await tx.all<Row>(`SELECT * FROM ${table}`);
  return dumped;
}
