import type { Guard } from "./guards.ts";

const scopedPermissions = "src/identity/held-roles/scoped-permissions.ts";

/** Who may do what, and on whose objects. */
export const accessGuards: readonly Guard[] = [
  {
    name: "permission: no call is authorized",
    file: "src/identity/access/access-control.ts",
    change: [": await authorize(setup, caller, asked);", ": { access: ownAccess(caller) };"],
    in: "test/api/tenancy-people.sized.test.ts",
    test: "every object (ListUsers|GetUser) answers",
  },
  {
    name: "permission on an organization",
    file: "src/identity/access/authorization.ts",
    change: [
      "if (access === undefined) throw permissionDenied(asked.permission, id);",
      "if (access === undefined) return { access: ownAccess(caller) };",
    ],
    in: "test/identity/access/authorization.test.ts",
  },
  {
    name: "permission on the instance",
    file: "src/identity/access/authorization.ts",
    change: ["if (!holdsOnInstance(caller.held, permission)) throw", "if (false) throw"],
    in: "test/identity/access/authorization.test.ts",
  },
  {
    name: "permission on a user, before the look-up",
    file: "src/identity/access/authorization.ts",
    change: ["if (!holdsSomewhere(caller.held, asked.permission))", "if (false)"],
    in: "test/identity/access/authorization.test.ts",
  },
  {
    name: "permission: only where the rule says so, users may do it to themselves",
    file: "src/identity/access/authorization.ts",
    change: ["asked.isSelfAllowed && asked.userId === caller", "asked.userId === caller"],
    in: "test/identity/access/authorization.test.ts",
  },
  {
    name: "existence is not told: a user elsewhere and one that never was are the same bytes",
    file: "src/identity/access/authorization.ts",
    change: [
      'problem: notFound("user", asked.userId), isOutOfReach: user',
      'problem: notFound(user === undefined ? "user" : "user elsewhere", asked.userId), isOutOfReach: user',
    ],
    in: "test/api/tenancy-people.sized.test.ts",
    test: "every object (GetUser|SetPhone) answers",
  },
  {
    name: "permission is judged again inside of the write",
    file: "src/identity/context.ts",
    change: ["(await call.confirm?.(tx)) ?? call.caller.held", "call.caller.held"],
    in: "test/identity/context.test.ts",
  },
  {
    name: "several processes: a read is judged again when others have changed tokens or roles",
    file: "src/identity/access/current-access.ts",
    change: ["if (watch.committed() !== seenAt) return await work();", ""],
    in: "test/sites/rpc/calls/current-access.test.ts",
  },
  {
    name: "several processes: nothing is changed while nothing can be learnt of the others",
    file: "src/sites/rpc/calls/pipeline.ts",
    change: [": await finish(await withCurrentAccess(begin));", ": await finish(await begin());"],
    in: "test/sites/rpc/calls/current-access.test.ts",
  },
  {
    name: "the second judgement looks at the token",
    file: "src/identity/access/authorization.ts",
    change: [
      "const caller = await reauthenticate(tx, setup.clock, begun.caller);",
      "const caller = begun.caller;",
    ],
    in: "test/identity/access/confirm.test.ts",
  },
  {
    name: "the second judgement is left out only while nothing was written that decides",
    file: "src/identity/access/authorization.ts",
    change: ["begun.caller.accessRevision === setup.watch?.written()", "true"],
    in: "test/identity/access/confirm.test.ts",
  },
  {
    name: "the second judgement never leaves out the expiry",
    file: "src/identity/access/authorization.ts",
    change: ["requireUnexpired(begun.caller, setup.clock);", ""],
    in: "test/identity/access/confirm.test.ts",
  },
  {
    name: "every table that decides over access is watched",
    file: "src/identity/access/credentials.ts",
    change: ['  "project_grant_roles",\n', ""],
    in: "test/identity/access/confirm.test.ts",
  },
  {
    name: "the second judgement refuses who has less by then",
    file: "src/identity/access/authorization.ts",
    change: ["if (isLess) throw", "if (false) throw"],
    in: "test/identity/access/confirm.test.ts",
  },
  {
    name: "the second judgement looks whether the organization is still there",
    file: "src/identity/access/authorization.ts",
    change: ["if (problem !== undefined) throw problem;", ""],
    in: "test/identity/access/confirm.test.ts",
  },
  {
    name: "nobody gives a role that holds what they lack",
    file: "src/identity/memberships/commands.ts",
    change: ["requireHeld(call.caller.held, wanted, resourceOwner);", ""],
    in: "test/identity/memberships/commands.test.ts",
  },
  {
    name: "membership: a foreign one is not there, before the write",
    file: "src/identity/access/authorization.ts",
    change: [
      "membership !== undefined && holdsAt(caller.held, permission, membership.scope);",
      "membership !== undefined;",
    ],
    in: "test/identity/access/authorization.test.ts",
  },
  {
    name: "membership: a foreign one is not there, inside of the write",
    file: "src/identity/memberships/repository.ts",
    change: ['|| !holdsAt(held, "membership.write", membership.scope))', ")"],
    in: "test/identity/memberships/change.test.ts",
  },
  {
    name: "membership: nobody takes away what they lack",
    file: "src/identity/memberships/commands.ts",
    change: ["requireHeld(held, { scope, roles: toRoles(roles) }, details.resourceOwner);", ""],
    in: "test/identity/memberships/change.test.ts",
  },
  {
    name: "membership: an update gives nothing that the caller lacks",
    file: "src/identity/memberships/commands.ts",
    change: ["requireHeld(call.caller.held, wanted, details.resourceOwner);", ""],
    in: "test/identity/memberships/change.test.ts",
  },
  {
    name: "membership: the last owner of the instance keeps theirs by an update",
    file: "src/identity/memberships/commands.ts",
    change: ['if (scope.kind === "instance" && !wanted', "if (false && !wanted"],
    in: "test/identity/memberships/change.test.ts",
  },
  {
    name: "membership: the last owner of the instance keeps theirs",
    file: "src/identity/memberships/commands.ts",
    change: ['if (membership.scope.kind === "instance") await', "if (false) await"],
    in: "test/identity/memberships/change.test.ts",
  },
  {
    name: "organization: its state is not for whom holds less than an owner of the instance among its users",
    file: "src/identity/organizations/commands.ts",
    change: ["if (problem !== undefined) throw problem;", ""],
    in: "test/identity/organizations/commands.test.ts",
  },
  {
    name: "organization: the list is of those that the caller may read",
    file: "src/identity/organizations/commands.ts",
    change: ['isInstance ? ("all" as const) : organizations', '"all" as const'],
    in: "test/identity/organizations/list.test.ts",
  },
  {
    name: "roles are for users in reach",
    file: "src/identity/people/user/user.ts",
    change: ["holdsOnOrganization(held, ", "true || holdsOnOrganization(held, "],
    in: "test/identity/memberships/commands.test.ts",
  },
  {
    name: "a project-scoped role opens its project only",
    file: "src/kernel/base/permission.ts",
    change: ['access.projects === "all" || access.projects.has(projectId)', "true"],
    in: "test/kernel/base/permission.test.ts",
  },
  {
    name: "roles by their own names only",
    file: "src/kernel/base/permission.ts",
    change: ["Object.hasOwn(roleDefinitions, name) ?", "name in roleDefinitions ?"],
    in: "test/kernel/base/permission.test.ts",
  },
  {
    name: "tenancy: projects",
    file: "src/identity/projects/repository.ts",
    change: ["FROM projects WHERE id = ? AND resource_owner = ?`", "FROM projects WHERE id = ? AND ? <> ''`"],
    in: "test/identity/projects/commands.test.ts",
  },
  {
    name: "tenancy: a list holds what is of one organization, project or user",
    file: "src/kernel/base/list.ts",
    change: ["equals(leading?.isAlone === true ? unindexed(owner) : owner, of),", ""],
    in: "test/identity/projects/list.test.ts",
  },
  {
    name: "tenancy: a list of what is open to the caller holds what is of one organization",
    file: "src/kernel/base/list.ts",
    change: ["[equals(unindexed(owner), of), ...given", "[...given"],
    in: "test/identity/projects/list.test.ts",
  },
  {
    name: "tenancy: users",
    file: "src/identity/people/user/repository.ts",
    change: ["`${select} WHERE id = ? AND resource_owner = ?`", "`${select} WHERE id = ? AND ? <> ''`"],
    in: "test/identity/user-service/commands.test.ts",
  },
  {
    name: "tenancy: a token is one of its user",
    file: "src/identity/programs/tokens/repository.ts",
    change: [
      "WHERE id = ? AND user_id = ? AND kind = 'token'`",
      "WHERE id = ? AND ? <> '' AND kind = 'token'`",
    ],
    in: "test/identity/user-service/credentials.test.ts",
  },
  {
    name: "credentials: username and email of a mightier user",
    file: "src/identity/people/user/commands.ts",
    change: ["  if (!isCredentialChange(user, update)) return;", '  if (update.username !== "") return;'],
    in: "test/identity/user-service/life.test.ts",
    test: "a user who holds more",
  },
  {
    name: "the last owner of the instance is not stopped",
    file: "src/identity/people/user/commands.ts",
    change: ["if (endsAccess(user, action)) await", "if (false) await"],
    in: "test/identity/user-service/life.test.ts",
    test: "the last active user",
  },
  {
    name: "tenancy: identity providers",
    file: "src/identity/providers/repository.ts",
    change: [
      "FROM identity_providers WHERE id = ? AND resource_owner = ?`",
      "FROM identity_providers WHERE id = ? AND ? <> ''`",
    ],
    in: "test/identity/providers/commands.test.ts",
  },
  {
    name: "tenancy: user grants",
    file: "src/identity/user-grants/repository.ts",
    change: [
      "WHERE id = ? AND user_id = ? AND resource_owner = ?`",
      "WHERE id = ? AND user_id = ? AND ? <> ''`",
    ],
    in: "test/identity/user-grants/commands.test.ts",
  },
  {
    name: "tenancy: applications are those of their project",
    file: "src/identity/applications/repository.ts",
    change: ["if (application?.projectId !== project.id) throw", "if (application === undefined) throw"],
    in: "test/identity/applications/commands.test.ts",
  },
  {
    name: "token: check sum",
    file: "src/identity/programs/tokens/token.ts",
    change: [
      "if (id === undefined || checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) {",
      "if (id === undefined) {",
    ],
    in: "test/identity/programs/tokens/token.test.ts",
  },
  {
    name: "token: hash",
    file: "src/identity/access/authentication.ts",
    change: ["!equalBytes(credentials.hash, hashToken(text))", "false"],
    in: "test/identity/access/authentication.test.ts",
  },
  {
    name: "token: what is remembered is forgotten when it is written anew",
    file: "src/identity/access/credentials.ts",
    change: ["if (watch.committed() !== accessRevision) forgetAll();", ""],
    in: "test/identity/access/authentication.test.ts",
  },
  {
    name: "token: expiry",
    file: "src/identity/access/authentication.ts",
    change: ["!isExpired(token.expirationMs, clock) &&", ""],
    in: "test/identity/access/authentication.test.ts",
  },
  {
    name: "token: an inactive user or organization",
    file: "src/identity/access/authentication.ts",
    changes: [
      ['token.userState === "ACTIVE" &&', ""],
      ['token.organizationState === "ACTIVE"', "true"],
    ],
    in: "test/identity/access/authentication.test.ts",
  },
  {
    name: "constant time: equalBytes (seen in the source: time cannot be measured)",
    file: "src/kernel/base/secret.ts",
    change: [
      "left.length === right.length && timingSafeEqual(left, right)",
      "Buffer.from(left).compare(right) === 0",
    ],
    in: "test/architecture/constant-time.test.ts",
  },
  {
    name: "constant time: tokens (seen in the source)",
    file: "src/identity/access/authentication.ts",
    change: [
      "!equalBytes(credentials.hash, hashToken(text))",
      "!Buffer.from(credentials.hash).equals(hashToken(text))",
    ],
    in: "test/architecture/constant-time.test.ts",
  },
  {
    name: "permissions that a caller is told: those on one scope are not held on another",
    file: scopedPermissions,
    change: ["`${scope.kind} ${scopeIdOf(scope)}`", "scope.kind"],
    in: "test/identity/held-roles/scoped-permissions.test.ts",
    test: "keeps scopes apart",
  },
  {
    name: "permissions that a caller is told: those on one kind of scope are not held on another",
    file: scopedPermissions,
    change: ["`${scope.kind} ${scopeIdOf(scope)}`", "scopeIdOf(scope)"],
    in: "test/identity/held-roles/scoped-permissions.test.ts",
    test: "keeps scopes apart",
  },
  {
    name: "permissions that a caller is told are those of the token, not of its user",
    file: "src/identity/memberships/rpc.ts",
    changes: [
      [
        "import { listScopedPermissions,",
        'import { listHeldRoles } from "../held-roles/repository.ts";\nimport { listScopedPermissions,',
      ],
      ["run: ({ caller }) =>", "run: async ({ caller }) =>"],
      [
        "listScopedPermissions(caller.held)",
        "listScopedPermissions(await context.database.read((tx) => listHeldRoles(tx, caller.userId)))",
      ],
    ],
    in: "test/api/my-permissions.test.ts",
    test: "is about the token of the call",
  },
];
