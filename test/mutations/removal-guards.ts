import type { Guard } from "./guards.ts";

const counter = "src/kernel/events/taken-along.ts";
const authorizations = "src/identity/logins/authorizations/taken-repository.ts";
const users = "src/identity/user-service/taken-repository.ts";
const grants = "src/identity/user-grants/removal-repository.ts";
const memberships = "src/identity/memberships/repository.ts";
const projects = "src/identity/projects/repository.ts";

/** What removals say they take along. */
export const removalGuards: readonly Guard[] = [
  ...counting([
    ["the object that is removed is left out", " - countOwn(removals, type)", ""],
    ["what a removal leaves is left out", "count - (kept.get(type) ?? 0)", "count"],
    ["a count ends at the limit", "Math.min(count, maxTaken + 1)", "count"],
    [
      "a count that may be long lets other work go on",
      "if (count > maxTaken) break;\n    await tx.pause();",
      "if (count > maxTaken) break;",
    ],
    ["a count that may be long ends at the limit", "if (count > maxTaken) break;", ""],
    ["only so many objects are looked through", "[...found].slice(0, maxWalked)", "[...found]"],
  ]),
  guard("rows are looked at up to the limit", counter, {
    change: ['isPart === true ? "" : ` LIMIT ${maxTaken + 1}`', '""'],
    in: "test/api/query-plans.sized.test.ts",
    test: "counts what goes along",
  }),
  guard("what is counted is found on an index", users, {
    change: ["FROM idp_links WHERE idp_id = :id", "FROM idp_links WHERE idp_id || '' = :id"],
    in: "test/api/query-plans.sized.test.ts",
    test: "counts what goes along",
  }),
  guard("a removal counts before it removes", "src/identity/removal.ts", {
    change: [
      "  const begun = await log.taken.begin(tx, removals, clock.nowMs());\n  const date = await append([...removals, ...(await end())]);\n",
      "  const date = await append([...removals, ...(await end())]);\n  const begun = await log.taken.begin(tx, removals, clock.nowMs());\n",
    ],
    in: "test/api/removals.sized.test.ts",
    test: "takes along",
  }),
  ...worlds([
    ["ended refresh tokens are left out", authorizations, "a.is_ended + 0 = 0", "TRUE"],
    ["logins without a refresh token are left out", authorizations, "a.has_refresh + 0 = 1", "TRUE"],
    [
      "expired refresh tokens are left out",
      authorizations,
      '= 0 AND a.expiration_ms + 0 > :now";\n\nconst ofUser',
      '= 0 AND :now > 0";\n\nconst ofUser',
    ],
    ["secrets are left out", users, "kind = 'token'\" }", "kind <> 'key'\" }"],
    [
      "grants in other organizations count",
      grants,
      `resource_owner < :id",
        },
        {
          parents: projectsOfOrganization,
          rows: "SELECT 1 FROM user_grants WHERE project_id IN :ids AND resource_owner > :id",`,
      'resource_owner < :id AND FALSE",',
    ],
    [
      "grants of users in other organizations count once",
      grants,
      'JOIN projects p ON p.id = g.project_id AND ${unindexed("p.resource_owner")} <> :id',
      "",
    ],
    [
      "memberships of others on project grants count once",
      memberships,
      'JOIN users u ON u.id = m.user_id AND ${unindexed("u.resource_owner")} <> :id',
      "",
    ],
    [
      "project grants to the organization count",
      projects,
      "granted_organization_id = :id AND",
      "FALSE AND :id <> '' AND",
    ],
  ]),
];

function counting(all: readonly (readonly [name: string, find: string, replacement: string])[]) {
  return all.map(([name, find, replacement]) =>
    guard(name, counter, { change: [find, replacement], in: "test/kernel/events/taken-along.test.ts" }),
  );
}

function worlds(all: readonly (readonly [name: string, file: string, find: string, replacement: string])[]) {
  return all.map(([name, file, find, replacement]) =>
    guard(name, file, { change: [find, replacement], in: "test/api/removals.sized.test.ts" }),
  );
}

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
  return { name: `what a removal takes along: ${name}`, file, changes: [change], ...tests };
}
