/** What lies in the tables of a service, and what a rebuild would make of them. */
import { join } from "node:path";
import { openInstallation, projections } from "../../../src/installation.ts";
import type { ReadTransaction } from "../../../src/base/database.ts";
import {
  copyDataFolder,
  differencesOf,
  type Dump,
  openReadonly,
  type Row,
} from "../../process/support/tables.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";
import { leftOutOf } from "./permissions.ts";
import type { World } from "./world.ts";

const tables = [...projections.flatMap((projection) => projection.tables), "secrets"];

/** Returns the rows that a rebuild of all tables makes or leaves otherwise: none. The service itself stays as it is. */
export async function rebuiltDifferences(dataFolder: string): Promise<readonly string[]> {
  const parent = makeTemporaryFolder();
  try {
    const copy = copyDataFolder(dataFolder, parent.path);
    const installation = await openInstallation(copy, { isNewAllowed: false });
    try {
      const { database, log } = installation.context;
      return await database.write(async (tx) => {
        const live = await dumpAll(tx);
        await log.rebuild(tx);
        return differencesOf(live, await dumpAll(tx));
      });
    } finally {
      await installation.close();
    }
  } finally {
    parent.remove();
  }
}

/** Returns the tables that have more or fewer rows than the world has objects: none. */
export function rowsTooManyOrFew(dataFolder: string, world: World): readonly string[] {
  const wanted = countObjects(world);
  const connection = openReadonly(join(dataFolder, "gatehouse.db"));
  try {
    return tables.flatMap((table) => {
      // An organization has a key from its first user on, whatever becomes of that.
      const counted = table === "secrets" ? " WHERE id NOT LIKE 'organization-key:%'" : "";
      const count = connection.prepare<[], number>(`SELECT COUNT(*) FROM "${table}"${counted}`).pluck().get();
      return count === wanted[table] ? [] : [`${table}: ${count} rows instead of ${wanted[table]}`];
    });
  } finally {
    connection.close();
  }
}

function countObjects(world: World): Readonly<Record<string, number>> {
  const rolesOf = (grants: readonly { readonly roleKeys: readonly string[] }[]) =>
    grants.flatMap(({ roleKeys }) => roleKeys).length;
  const users = world.users.all().length;
  const tokens = world.tokens.all().length;
  return {
    stored_organizations: world.organizations.all().length,
    stored_users: users,
    second_factors: 0,
    credentials: tokens,
    identity_providers: world.providers.all().length,
    stored_projects: world.projects.all().length,
    project_roles: world.projects.all().flatMap(({ roles }) => Array.from(roles.keys())).length,
    stored_project_grants: world.projectGrants.all().length,
    project_grant_roles: rolesOf(world.projectGrants.all()),
    stored_user_grants: world.userGrants.all().length,
    user_grant_roles: rolesOf(world.userGrants.all()),
    stored_memberships: world.memberships.all().length,
    left_out_roles: world.tokens.all().flatMap((token) => leftOutOf(world, token)).length,
    stored_applications: world.applications.all().length,
    // The key of each user, the hash of each token, each client secret.
    secrets: users + tokens + world.providers.where(({ kind }) => kind === "oidc").length,
  };
}

async function dumpAll(tx: ReadTransaction): Promise<Dump> {
  const dumped: Record<string, readonly Row[]> = {};
  for (const table of tables) dumped[table] = await tx.all<Row>(`SELECT * FROM ${table}`);
  return dumped;
}
