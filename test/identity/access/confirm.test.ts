import { toInstant } from "../../../src/kernel/base/clock.ts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Caller } from "../../../src/kernel/base/call.ts";
import type { ReadTransaction, TableWatch } from "../../../src/kernel/base/database.ts";
import {
  type ApplicationId,
  type MembershipId,
  type OrganizationId,
  toId,
  type TokenId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import type { Access } from "../../../src/kernel/base/permission.ts";
import {
  type AccessRequest,
  authorize,
  authorizeWithin,
  confirm,
} from "../../../src/identity/access/authorization.ts";
import { createAccessTokens } from "../../../src/identity/access/access-token-credentials.ts";
import { accessTables, createCredentials } from "../../../src/identity/access/credentials.ts";
import {
  type AccessToken,
  apiAudience,
  hashAccessToken,
  newOpaqueToken,
} from "../../../src/identity/logins/access-tokens/access-token.ts";
import { putAccessToken } from "../../../src/identity/logins/access-tokens/repository.ts";
import { addOidcApplication } from "../../../src/identity/applications/oidc/oidc-application.ts";
import { addMembership } from "../../../src/identity/memberships/membership.ts";
import { findProject } from "../../../src/identity/projects/repository.ts";
import { removeToken } from "../../../src/identity/programs/tokens/token.ts";
import { instanceId, openSetup, type Setup } from "../memberships/setup.ts";
import { oidcSettings } from "../../support/samples.ts";
import { enterWith, noJwts } from "../../support/no-access-tokens.ts";
import { tokenIdOf } from "../../support/token-id-of.ts";

let setup: Setup;
let caller: Caller;
let watch: TableWatch;
const request = (): AccessRequest => ({
  permission: "user.credential.write",
  on: {
    kind: "user",
    userId: setup.partnerUserId,
    isSelfAllowed: true,
    isSelfAllowedLimited: false,
    touch: "acts",
  },
});

beforeEach(async () => {
  setup = await openSetup();
  await setup.give(setup.userId, setup.scopes.partner, "ORGANIZATION_USER_MANAGER");
  const { text } = await setup.addToken({ userId: setup.userId, by: "system" });
  watch = setup.log.database.watch(accessTables);
  caller = await enterWith(
    {
      findCredentials: createCredentials(setup.log, watch),
      clock: setup.log.clock,
    },
    `Bearer ${text}`,
  );
});

afterEach(() => setup.close());

/** Does what a command does first in its write, after the call was let in. */
async function confirmAfter(change: () => Promise<unknown>) {
  const { database, clock } = setup.log;
  const { access } = await authorize({ database, instanceId }, caller, request());
  await change();
  return await database.write((tx) =>
    confirm({ clock, instanceId, watch }, tx, { caller, request: request(), access }),
  );
}

describe("a call that was let in", () => {
  test("goes on, with what the caller holds then", async () => {
    const held = await confirmAfter(() => setup.give(setup.userId, setup.scopes.home, "ORGANIZATION_VIEWER"));
    expect(held).toHaveLength(2);
  });

  test("goes on with what its token carries then, less what is left out for it", async () => {
    const { database, clock } = setup.log;
    const confirmed = await confirmAfter(async () => {
      await setup.log.append([
        addMembership({
          id: toId("70"),
          userId: setup.userId,
          scope: setup.scopes.home,
          roles: ["ORGANIZATION_VIEWER"],
          resourceOwner: setup.home,
          limitedTokenIds: [tokenIdOf(caller)],
        }),
      ]);
    });
    expect(confirmed.flatMap(({ roles }) => roles)).toEqual(["ORGANIZATION_USER_MANAGER"]);
    const setupNow = { clock, instanceId, watch };
    const asked = { caller, request: request() };
    const within = await database.read((tx) => authorizeWithin(setupNow, tx, asked));
    expect(within.caller).toMatchObject({ isLimited: true, held: confirmed });
  });

  test("is refused in its write when the user became mightier than the caller in between", async () => {
    const promote = () => setup.give(setup.partnerUserId, setup.scopes.instance, "INSTANCE_OWNER");
    await expect(confirmAfter(promote)).rejects.toMatchObject({ reason: "PERMISSION_DENIED" });
  });

  test("is refused in its write when its token was removed in between", async () => {
    const token = {
      tokenId: tokenIdOf(caller),
      userId: caller.userId,
      organizationId: caller.organizationId,
    };
    const remove = () => setup.log.append([removeToken(token)]);
    await expect(confirmAfter(remove)).rejects.toMatchObject({ reason: "TOKEN_INVALID" });
  });

  test("is refused in its write when the application that has exchanged its token was switched off in between", async () => {
    const { log, home, projectId } = setup;
    const { database, clock } = log;
    const applicationId = log.context.ids.next<ApplicationId>();
    const project = await database.read((tx) => findProject(tx, home, projectId));
    if (project === undefined) throw new Error("the project is gone");
    const settings = oidcSettings({ grantTypes: ["TOKEN_EXCHANGE"], apiAccess: true });
    await log.append([addOidcApplication({ id: applicationId, project, name: "Gateway", settings })]);
    const { id: credentialId } = await setup.addToken({ userId: setup.userId, by: "system" });
    const exchanges = [{ clientId: applicationId, subjectHash: hashAccessToken("subject") }];
    const text = newOpaqueToken(systemRandom).reveal();
    const token = { ...accessTokenOf(setup.userId, credentialId), clientId: applicationId, exchanges };
    await database.write((tx) => putAccessToken(tx, hashAccessToken(text), token));
    const findAccessToken = createAccessTokens({ database, clock }, watch, noJwts);
    const findCredentials = createCredentials({ database, clock }, watch);
    caller = await enterWith({ findCredentials, findAccessToken, clock }, `Bearer ${text}`);
    expect(await confirmAfter(async () => {})).toHaveLength(1);
    const setupNow = { clock, instanceId, watch };
    const switchOff = () =>
      log.append([
        { type: "application.deactivated", aggregateId: applicationId, resourceOwner: home, payload: {} },
      ]);
    const asked = { caller, request: request() };
    const first = await database.read((tx) => authorizeWithin(setupNow, tx, asked));
    await expect(confirmAfter(switchOff)).rejects.toMatchObject({ reason: "TOKEN_INVALID" });
    // And so is the next call of the same batch.
    const next = { ...asked, caller: first.caller };
    await expect(database.read((tx) => authorizeWithin(setupNow, tx, next))).rejects.toMatchObject({
      reason: "TOKEN_INVALID",
    });
  });

  test("is refused in its write in the scheme that its token came by", async () => {
    const basis = { kind: "credential" as const, credentialId: tokenIdOf(caller) };
    const { userId } = caller;
    const expirationMs = setup.log.clock.nowMs();
    const bound = { hash: "", userId, lockCount: 0, expirationMs, basis, exchanges: [], jkt: "a thumbprint" };
    caller = { ...caller, accessToken: bound, tokenExpirationMs: expirationMs };
    const refusal = { challenge: expect.stringMatching(/^DPoP .*error="invalid_token"/) };
    await expect(confirmAfter(async () => {})).rejects.toMatchObject(refusal); // nothing was written, but time has passed
    caller = { ...caller, accessRevision: undefined };
    await expect(confirmAfter(async () => {})).rejects.toMatchObject(refusal);
  });

  test("is refused in its write when its organization is gone by then", async () => {
    const { database, clock } = setup.log;
    await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
    const gone = toId<OrganizationId>("9");
    const onGone: AccessRequest = { permission: "project.create", on: { kind: "organization", id: gone } };
    const access: Access = { organizationId: gone, projects: "all", projectGrants: "all" };
    const confirmed = database.write((tx) =>
      confirm({ clock, instanceId, watch }, tx, { caller, request: onGone, access }),
    );
    await expect(confirmed).rejects.toMatchObject({
      reason: "NOT_FOUND",
      resource: { type: "organization", name: "9" },
    });
  });

  test.each([
    ["all projects, and one is", "all" as const, "PERMISSION_DENIED"],
    ["two projects, and one is", new Set(["another"]), "PERMISSION_DENIED"],
    ["no project, and one is", new Set<string>(), undefined],
  ])("when it began with %s open to them by then: %s", async (_what, projects, reason) => {
    const { database, clock } = setup.log;
    await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
    const onHome: AccessRequest = {
      permission: "project.write",
      on: { kind: "organization", id: caller.organizationId },
    };
    const access = { organizationId: caller.organizationId, projects, projectGrants: new Set<string>() };
    const confirmed = database.write((tx) =>
      confirm({ clock, instanceId, watch }, tx, { caller, request: onHome, access }),
    );
    const outcome = await confirmed.then(
      () => undefined,
      (error: unknown) => (error as { reason: string }).reason,
    );
    expect(outcome).toBe(reason);
  });
});

describe("what was known of the caller when they were let in", () => {
  const onHome = (): AccessRequest => ({
    permission: "organization.read",
    on: { kind: "organization", id: caller.organizationId },
  });
  const confirmIn = (tx: ReadTransaction) => {
    const { clock } = setup.log;
    const access: Access = { organizationId: caller.organizationId, projects: "all", projectGrants: "all" };
    return confirm({ clock, instanceId, watch }, tx, { caller, request: onHome(), access });
  };
  /** Fails at the first look at a table. */
  const blind: ReadTransaction = {
    now: () => toInstant(setup.log.clock.nowMs()),
    get: () => Promise.reject(new Error("looked")),
    all: () => Promise.reject(new Error("looked")),
  };

  test("holds while nothing is written that decides over access", async () => {
    await setup.log.run("INSERT INTO settings (name, value) VALUES ('a', '')");
    expect(await confirmIn(blind)).toBe(caller.held);
  });

  test.each(accessTables)("is looked up again after a write to %s, committed or not", async (table) => {
    const uncommitted = setup.log.database.write(async (tx) => {
      await tx.run(`DELETE FROM ${table} WHERE 1 = 0`);
      return await confirmIn(blind);
    });
    await expect(uncommitted).rejects.toThrow("looked");
    await expect(confirmIn(blind)).rejects.toThrow("looked");
  });

  test("is looked up again once a role begins or ends", async () => {
    caller = { ...caller, heldUntil: toInstant(setup.log.clock.nowMs() + 1) };
    expect(await confirmIn(blind)).toBe(caller.held);
    setup.log.clock.turn(1);
    await expect(confirmIn(blind)).rejects.toThrow("looked");
  });

  test("does not outlive the token", async () => {
    const { text } = await setup.addToken({
      userId: setup.userId,
      by: "system",
      expirationMs: setup.log.clock.nowMs() + 1000,
    });
    caller = await enterWith(
      {
        findCredentials: createCredentials(setup.log, watch),
        clock: setup.log.clock,
      },
      `Bearer ${text}`,
    );
    expect(await confirmIn(blind)).toBe(caller.held);
    setup.log.clock.turn(1000);
    await expect(confirmIn(blind)).rejects.toMatchObject({ reason: "TOKEN_INVALID" });
  });
});

test("every table that decides over access is watched", async () => {
  const seen = new Set<string>();
  const { database, clock } = setup.log;
  const note = (sql: string) => {
    for (const [, table = ""] of sql.matchAll(/\b(?:FROM|JOIN)\s+([a-z_]+)/g)) seen.add(table);
  };
  const views = await setup.log.place.raw.views();
  const read: typeof database.read = (fn) =>
    database.read((tx) =>
      fn({
        now: tx.now,
        get: (sql, parameters) => (note(sql), tx.get(sql, parameters)),
        all: (sql, parameters) => (note(sql), tx.all(sql, parameters)),
      }),
    );
  await setup.give(setup.userId, setup.scopes.instance, "INSTANCE_OWNER");
  const { id: tokenId, text } = await setup.addToken({ userId: setup.userId, by: "system" });
  const { scopes, userId, home: resourceOwner } = setup;
  const given = { id: toId<MembershipId>("70"), userId, scope: scopes.home, resourceOwner };
  await setup.log.append([
    addMembership({ ...given, roles: ["ORGANIZATION_VIEWER"], limitedTokenIds: [tokenId] }),
  ]);
  const findCredentials = createCredentials({ database: { read }, clock }, watch);
  const owner = await enterWith({ findCredentials, clock }, `Bearer ${text}`);
  const membershipId = await setup.give(setup.userId, setup.scopes.project, "PROJECT_OWNER");
  const asked: readonly AccessRequest["on"][] = [
    { kind: "organization", id: setup.partner },
    { kind: "instance" },
    { kind: "held", id: setup.partner },
    {
      kind: "user",
      userId: setup.partnerUserId,
      isSelfAllowed: false,
      isSelfAllowedLimited: false,
      touch: "acts",
    },
    { kind: "scope", scope: { kind: "organization", id: setup.partner } },
    { kind: "scope", scope: { kind: "project", id: setup.projectId } },
    { kind: "scope", scope: { kind: "project-grant", id: setup.projectGrantId } },
    { kind: "membership", membershipId },
  ];
  for (const on of asked)
    await authorize({ database: { read }, instanceId }, owner, { permission: "user.credential.write", on });
  const accessToken = newOpaqueToken(systemRandom).reveal();
  await database.write((tx) =>
    putAccessToken(tx, hashAccessToken(accessToken), accessTokenOf(setup.userId, tokenId)),
  );
  expect(await createAccessTokens({ database: { read }, clock }, watch, noJwts)(accessToken)).toMatchObject({
    credential: { tokenId },
  });
  seen.delete("access_tokens"); // never changed: one that ends before its time is noted elsewhere, or goes with its credential
  // Besides the memberships of users, it has those of their groups.
  if (seen.delete("held_memberships"))
    for (const name of ["group_members", "memberships", "nested_groups"]) seen.add(name);
  const tables = [...seen].map((name) => (views.includes(name) ? `stored_${name}` : name));
  expect(tables.toSorted()).toEqual(accessTables);
});

function accessTokenOf(userId: UserId, credentialId: TokenId): AccessToken {
  const audiences = [userId, apiAudience];
  const times = { issuedMs: 0, expirationMs: setup.log.clock.nowMs() + 1000 };
  const basis = { kind: "credential" as const, credentialId };
  const alone = { clientId: userId, exchanges: [], act: undefined, jkt: undefined };
  return { userId, basis, ...alone, lockCount: 0, scopes: [], audiences, ...times };
}
