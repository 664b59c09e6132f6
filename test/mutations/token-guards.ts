import type { Guard } from "./guards.ts";

/** Acting as a user, stopping a user, and what a token carries. */
export const tokenGuards: readonly Guard[] = [
  {
    name: "acting as a user who holds more, elsewhere too",
    file: "src/identity/access/authorization.ts",
    changes: [["denied: await findActingProblem(tx, caller.held, asked)", "denied: undefined"]],
    in: "test/identity/access/authorization.test.ts",
    test: "on their credentials",
  },
  {
    name: "stopping an owner",
    file: "src/identity/held-roles/outranking.ts",
    changes: [["if (missing !== undefined && (await", "if (missing === null && (await"]],
    in: "test/identity/access/authorization.test.ts",
    test: "that stops them",
  },
  {
    name: "stopping a user needs nothing of what they hold elsewhere",
    file: "src/identity/access/authorization.ts",
    changes: [
      [
        "denied: await findStoppingProblem(tx, caller.held, { ...asked, organizationId })",
        "denied: await findActingProblem(tx, caller.held, asked)",
      ],
    ],
    in: "test/api/limited-tokens.test.ts",
    test: "does not keep their managers",
  },
  {
    name: "whose membership stands in the way is told to who may read it",
    file: "src/identity/held-roles/outranking.ts",
    changes: [['holdsAt(held, "membership.read", scope) ? organizationId : undefined', "organizationId"]],
    in: "test/identity/access/authorization.test.ts",
    test: "on their credentials",
  },
  {
    name: "limited token: users do not manage their account with it",
    file: "src/identity/access/authorization.ts",
    changes: [["if (isSelf && (!caller.isLimited || asked.isSelfAllowedLimited))", "if (isSelf)"]],
    in: "test/identity/access/authorization.test.ts",
    test: "of a caller whose token is limited",
  },
  {
    name: "limited token: it carries the roles of its user less what is left out, as it is let in",
    file: "src/identity/held-roles/carried-roles-repository.ts",
    changes: [["[tokenId, tokenId],", '["", tokenId],']],
    in: "test/api/limited-tokens.test.ts",
    test: "does not do what the roles allow",
  },
  {
    name: "limited token: the same inside of the write",
    file: "src/identity/access/authentication.ts",
    changes: [
      [
        "held: await listCarriedRoles(tx, token)",
        "held: await listCarriedRoles(tx, { ...token, isLimited: false })",
      ],
    ],
    in: "test/identity/access/confirm.test.ts",
    test: "less what is left out",
  },
  {
    name: "limited token: one becomes limited in the middle of a batch",
    file: "src/identity/access/authentication.ts",
    changes: [["isLimited: token.isLimited, held", "held"]],
    in: "test/api/limited-tokens.test.ts",
    test: "in the middle of a batch",
  },
  {
    name: "limited token: roles are judged by the token that it was made with",
    file: "src/identity/memberships/tokens-to-limit.ts",
    changes: [["{ userId: parentUserId, tokenId: madeWithTokenId }", "{ userId: parentUserId }"]],
    in: "test/identity/memberships/tokens-to-limit.test.ts",
    test: "by the token that it was made with",
  },
  {
    name: "limited token: one that is gone carries nothing",
    file: "src/identity/memberships/tokens-to-limit.ts",
    changes: [
      [
        "if (madeWithTokenId === undefined) return isEnough",
        "if (parentUserId === undefined) return isEnough",
      ],
    ],
    in: "test/identity/memberships/tokens-to-limit.test.ts",
    test: "by nothing when that is gone",
  },
  {
    name: "limited token: those that its user made with it are judged",
    file: "src/identity/memberships/tokens-to-limit.ts",
    changes: [["(parent === undefined || !checked.has(parent))", "true"]],
    in: "test/identity/memberships/tokens-to-limit.test.ts",
    test: "with those that its user made with it",
  },
  {
    name: "limited token: makes none that is less limited",
    file: "src/identity/memberships/repository.ts",
    changes: [
      [
        "tokenId: payload.token_id,\n        userId: aggregateId,\n        madeWithTokenId: payload.made_with_token_id,",
        "tokenId: payload.token_id,\n        userId: aggregateId,\n        madeWithTokenId: undefined,",
      ],
    ],
    in: "test/identity/memberships/tokens-to-limit.test.ts",
    test: "is limited alike",
  },
  {
    name: "limited token: has idempotency keys of its own",
    file: "src/sites/rpc/calls/conditions/conditional-call.ts",
    changes: [["call.caller.isLimited ?", "false ?"]],
    in: "test/api/limited-tokens.test.ts",
    test: "keys of its own",
  },
  {
    name: "limited token: memberships that are left out are for those who may read them",
    file: "src/identity/programs/tokens/commands.ts",
    changes: [['holdsAt(caller.held, "membership.read", scope)', "true"]],
    in: "test/api/limited-tokens.test.ts",
    test: "is listed as such",
  },
  {
    name: "events: the address of an editor is for who may read them, in lists",
    file: "src/identity/events/commands.ts",
    changes: [["hideAddresses(tx, caller, await log.read(tx, some))", "log.read(tx, some)"]],
    in: "test/api/event-list.test.ts",
    test: "the address of an editor",
  },
  {
    name: "events: the address of an editor is for who may read them, in watches",
    file: "src/identity/events/watch.ts",
    changes: [
      [
        "await hideAddresses(tx, { ...call.caller, held }, await context.log.read(tx, sequences))",
        "await context.log.read(tx, sequences)",
      ],
    ],
    in: "test/api/event-watch.sized.test.ts",
    test: "does not hold addresses",
  },
  {
    name: "limited token: roles that weaker users' tokens do not carry are left out",
    file: "src/identity/memberships/tokens-to-limit.ts",
    changes: [["if (!(await once(verdicts, keyOf(token), decide))) limited.add(id);", ""]],
    in: "test/identity/memberships/tokens-to-limit.test.ts",
  },
  {
    name: "token: a removal takes those that its user made with it",
    file: "src/identity/programs/tokens/repository.ts",
    changes: [["JOIN family f ON t.made_with_token_id = f.id", "JOIN family f ON t.id = f.id"]],
    in: "test/identity/user-service/commands.test.ts",
    test: "a removed token takes",
  },
  {
    name: "token: a removal leaves those that were made for others",
    file: "src/identity/programs/tokens/repository.ts",
    changes: [['"AND t.user_id = f.user_id"', '""']],
    in: "test/identity/user-service/commands.test.ts",
    test: "a removed token takes",
  },
  {
    name: "token: lives no longer than the one it was made with",
    file: "src/identity/programs/tokens/token.ts",
    changes: [["if (askedMs > ownMs) {", "if (false) {"]],
    in: "test/identity/programs/tokens/token.test.ts",
  },
  {
    name: "token: one that was removed makes no other",
    file: "src/identity/programs/tokens/commands.ts",
    changes: [
      [
        "if (own === undefined) throw callerTokenRemoved();",
        "if (own === undefined) return { expirationMs: asked.expirationMs, madeWithTokenId: undefined };",
      ],
    ],
    in: "test/identity/user-service/commands.test.ts",
  },
];
