import type { Guard } from "./guards.ts";

const memberships = "src/identity/memberships/repository.ts";
const removals = "src/identity/user-grants/removal-repository.ts";
const chain = "src/identity/user-grants/effective-role-repository.ts";
const organizations = "src/identity/organizations/commands.ts";
const hiding = "src/kernel/storage/sqlite/migrations/0011-removed-organizations.sql";
/** The tests of an organization that was just removed: most guards are about the time until its rows are gone. */
const unswept = { in: "test/api/organization-removal.test.ts", test: "whose rows have yet to go" };

/** Lists, states, removals and what hangs on what is removed. */
export const lifeGuards: readonly Guard[] = [
  guard("tenancy: the list of user grants", "src/identity/user-grants/list-repository.ts", {
    change: ["equals(`${table}.resource_owner`, organizationId),", 'equals("\'x\'", "x"),'],
    in: "test/identity/user-grants/list.test.ts",
  }),
  guard("tenancy: the list of the grants of a user", "src/identity/user-grants/list-repository.ts", {
    change: ['equals(unindexed("g.resource_owner"), access.organizationId),', 'equals("\'x\'", "x"),'],
    in: "test/identity/user-grants/list.test.ts",
  }),
  guard(
    "a list of the grants of a user shows what is open to the caller",
    "src/identity/user-grants/list-repository.ts",
    {
      change: ["...isOpen(access),", ""],
      in: "test/identity/user-grants/list.test.ts",
    },
  ),
  guard("tenancy: a project grant is one of its project", "src/identity/projects/project-grant.ts", {
    change: [
      "if (grant?.projectId !== projectId || grant.id !== grantId) throw",
      "if (grant === undefined) throw",
    ],
    in: "test/identity/projects/project-grant-life.test.ts",
  }),
  guard("a list holds what is open to the caller", "src/kernel/base/list.ts", {
    change: ["where: [isAmong(order[1], [...open]), ...others]", "where: others"],
    in: "test/identity/projects/project-grant-life.test.ts",
  }),
  guard("tenancy: events", "src/identity/events/repository.ts", {
    change: ['scope.map((id) => leadBy("resource_owner", id));', '[{ sql: "TRUE", parameters: [] }];'],
    in: "test/identity/events/repository.test.ts",
    test: "finds the same in so many organizations",
  }),
  guard("tenancy: events of an editor", "src/identity/events/repository.ts", {
    change: ["...ofAggregateType, ...ofOwners(scope)];", "...ofAggregateType];"],
    in: "test/identity/events/repository.test.ts",
    test: "finds of the editor",
  }),
  guard("tenancy: events of an object", "src/identity/events/repository.ts", {
    change: ['!(scope === "all" || scope.some((id) => id === aggregate.resource_owner))', "false"],
    in: "test/identity/events/repository.test.ts",
    test: "finds an object in",
  }),
  guard("the last owner of the instance is not removed", "src/identity/people/user/commands.ts", {
    change: ['if (endsAccess(user, "remove")) await', "if (false) await"],
    in: "test/identity/user-service/life.test.ts",
  }),
  guard("the last owner of the instance keeps their organization from being stopped", organizations, {
    change: [
      "if (events.length > 0) await requireInstanceOwner(tx, { organizationId: organization.id });",
      "",
    ],
    in: "test/identity/organizations/commands.test.ts",
  }),
  guard("the last owner of the instance keeps their organization from being removed", organizations, {
    change: [
      "instanceId);\n    await requireInstanceOwner(tx, { organizationId: organization.id });",
      "instanceId);",
    ],
    in: "test/identity/organizations/commands.test.ts",
  }),
  guard("owners of the instance count while they are active", "src/identity/held-roles/repository.ts", {
    change: ["AND u.state = 'ACTIVE' AND o.state = 'ACTIVE'", ""],
    in: "test/identity/organizations/commands.test.ts",
  }),
  guard("page tokens are for one filter", "src/kernel/base/list.ts", {
    change: ["      ...names.map((name) => valueIn(filter, name)),\n", ""],
    in: "test/kernel/base/list.test.ts",
  }),
  ...cascades(memberships, "test/identity/memberships/cascade.test.ts", [
    ["a user takes their memberships along", 'WHERE user_id = ?", [aggregateId]'],
    ["a project takes its memberships along", "WHERE scope_kind = 'project' AND scope_id = ?\""],
    [
      "a project takes the memberships on its grants along",
      "FROM stored_project_grants WHERE project_id = ?)",
    ],
    ["a project grant takes its memberships along", "WHERE scope_kind = 'project-grant' AND scope_id = ?\""],
    ["an organization takes the memberships in it along", "FROM stored_memberships WHERE resource_owner = ?"],
  ]),
  ...["users", "projects", "applications", "project_grants", "user_grants", "memberships"].map((table) =>
    guard(`removal: nobody finds the ${table} of an organization whose rows have yet to go`, hiding, {
      change: [`FROM stored_${table}\n  WHERE NOT`, `FROM stored_${table}\n  WHERE TRUE OR NOT`],
      ...unswept,
    }),
  ),
  guard("removal: nobody finds an organization whose rows have yet to go", hiding, {
    change: ["WHERE state <> 'REMOVED'", "WHERE TRUE"],
    ...unswept,
  }),
  guard("removal: memberships of users that have yet to go", hiding, {
    change: [
      "FROM stored_users WHERE id = user_id) NOT IN (SELECT id FROM removed_organizations)\n      AND (scope_kind",
      "FROM stored_users WHERE id = user_id) IS NOT NULL\n      AND (scope_kind",
    ],
    in: "test/identity/memberships/cascade.test.ts",
  }),
  guard("removal: memberships on grants of projects that have yet to go", hiding, {
    change: ["AND (scope_kind <> 'project-grant'", "AND (TRUE"],
    in: "test/identity/memberships/cascade.test.ts",
  }),
  guard("removal: grants of users that have yet to go", hiding, {
    change: [
      "FROM stored_users WHERE id = user_id) NOT IN (SELECT id FROM removed_organizations)\n      AND (SELECT",
      "FROM stored_users WHERE id = user_id) IS NOT NULL\n      AND (SELECT",
    ],
    ...unswept,
  }),
  guard("removal: grants on projects that have yet to go", hiding, {
    change: [
      "FROM stored_projects WHERE id = project_id) NOT IN (SELECT id FROM removed_organizations)",
      "FROM stored_projects WHERE id = project_id) IS NOT NULL",
    ],
    ...unswept,
  }),
  guard("removal: usernames are free before the rows are gone", "src/identity/people/user/repository.ts", {
    change: ["if (username === undefined) return;", 'if (username !== "") return;'],
    ...unswept,
  }),
  guard(
    "removal: entity ids are free before the rows are gone",
    "src/identity/applications/saml/repository.ts",
    {
      change: ["if (entityId === undefined) return;", 'if (entityId !== "") return;'],
      ...unswept,
    },
  ),
  guard(
    "removal: passkeys are free before the rows are gone",
    "src/identity/factors/authenticators/repository.ts",
    {
      change: [
        "WHERE credential_id = ? AND resource_owner IN (SELECT id FROM removed_organizations)",
        "WHERE credential_id = ? AND FALSE",
      ],
      ...unswept,
    },
  ),
  guard(
    "removal: nobody is refused a passkey of one who is gone",
    "src/identity/factors/authenticators/repository.ts",
    {
      change: ["f JOIN users u", "f JOIN stored_users u"],
      ...unswept,
    },
  ),
  guard("removal: the key of an organization goes at once", "src/identity/user-service/repository.ts", {
    change: ["await removeSecret(tx, organizationKeyId(aggregateId));", ""],
    in: "test/api/organization-removal.test.ts",
    test: "leaves no row of it",
  }),
  guard(
    "removal: rows that were left are swept at the start",
    "src/identity/organizations/removal-sweep.ts",
    {
      change: [".unref();\n      look();", ".unref();"],
      in: "test/identity/organizations/removal-sweep.test.ts",
    },
  ),
  guard("keys of users come under those of their organizations", "src/app/installation.ts", {
    change: ["await wrapUserKeys(opened);", ""],
    in: "test/process/keys.test.ts",
  }),
  ...cascades(removals, "test/identity/user-grants/removal.test.ts", [
    [
      "a user takes their grants along",
      '"user.removed": (tx, { aggregateId }) => removeGrants(tx, "user_id = ?"',
    ],
    [
      "a project takes its user grants along",
      '"project.removed": (tx, { aggregateId }) => removeGrants(tx, "project_id = ?"',
    ],
    ["a project grant takes the user grants along", "\"project_grant_id = ? AND project_grant_id <> ''\""],
  ]),
  guard("removal: a role is taken out of the user grants", removals, {
    change: ["isLost: (key) => key === payload.role_key", "isLost: () => false"],
    in: "test/identity/user-grants/removal.test.ts",
  }),
  guard("removal: a role that a project grant loses is taken out of the user grants", removals, {
    change: ["isLost: (key) => !kept.has(key)", "isLost: () => false"],
    in: "test/identity/user-grants/removal.test.ts",
  }),
  ...cascades(removals, "test/identity/user-grants/life.test.ts", [
    ["a user grant takes its roles along", 'removeGrants(tx, "id = ?"'],
  ]),
  guard("a removed organization is erased from the files", organizations, {
    change: ["    command.afterCommit(context.database.purge); // its users are gone for good", ""],
    in: "test/process/erasure.test.ts",
  }),
  guard("states: a lock for good is recorded after wrong passwords", "src/identity/people/user/user.ts", {
    change: ['isLockedByTries && action === "lock" ? [event] : []', "[]"],
    in: "test/identity/people/user/user.test.ts",
  }),
  ...links([
    ["an inactive user", "`u.state = 'ACTIVE'"],
    ["an inactive organization of the user", " home.state = 'ACTIVE'"],
    ["an inactive user grant", " g.state = 'ACTIVE'"],
    ["an inactive organization that gave them", " giver.state = 'ACTIVE'"],
    ["an inactive project", " p.state = 'ACTIVE'"],
    ["an inactive owner of the project", " owner.state = 'ACTIVE'"],
    ["an inactive project grant", " pg.state = 'ACTIVE'"],
  ]),
];

function guard(
  name: string,
  file: string,
  {
    change,
    ...tests
  }: {
    readonly change: readonly [find: string, replacement: string];
    readonly in: string;
    readonly test?: string;
  },
): Guard {
  return { name, file, change, ...tests };
}

/** Conditions of what is taken away, which then fit nothing. */
function cascades(
  file: string,
  tests: string,
  conditions: readonly (readonly [name: string, find: string])[],
): readonly Guard[] {
  return conditions.map(([name, find]) =>
    guard(`removal: ${name}`, file, { change: [find, withoutRows(find)], in: tests }),
  );
}

function withoutRows(find: string): string {
  const end = find.lastIndexOf("?");
  return end < 0
    ? find.replace(/`$/, " AND FALSE`")
    : `${find.slice(0, end)}? AND FALSE${find.slice(end + 1)}`;
}

function links(conditions: readonly (readonly [name: string, find: string])[]): readonly Guard[] {
  return conditions.map(([name, find]) =>
    guard(`effective roles: ${name} gives none`, chain, {
      change: [find, find.replace(/\w+\.state = 'ACTIVE'/, "TRUE")],
      in: "test/identity/user-grants/effective-role-model.test.ts",
    }),
  );
}
