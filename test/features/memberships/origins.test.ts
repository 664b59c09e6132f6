import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/base/call.ts";
import {
  type IdentityProviderId,
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  type SessionId,
  type TokenId,
  toId,
  type UserId,
} from "../../../src/base/ids.ts";
import type { HeldRoles, Role, Scope } from "../../../src/base/permission.ts";
import { Secret } from "../../../src/base/secret.ts";
import type { NewEvent } from "../../../src/events/event.ts";
import { listCarriedRoles } from "../../../src/features/held-roles/carried-roles-repository.ts";
import { addIdentityProvider } from "../../../src/features/identity-providers/identity-provider.ts";
import { limitProviderLogins } from "../../../src/features/instance/provider-logins.ts";
import { createMembershipCommands } from "../../../src/features/memberships/commands.ts";
import { addMembership, type ScopeName } from "../../../src/features/memberships/membership.ts";
import { addOrganization } from "../../../src/features/organizations/organization.ts";
import { addProject } from "../../../src/features/projects/project.ts";
import type { SessionMethod } from "../../../src/features/sessions/session.ts";
import { setEmail } from "../../../src/features/users/emails/email.ts";
import { requestResetByName } from "../../../src/features/users/passwords/reset-request.ts";
import { listQuestionedWays } from "../../../src/features/users/reviews/repository.ts";
import { findSecretOfUser } from "../../../src/features/users/secrets/repository.ts";
import { findToken } from "../../../src/features/users/tokens/repository.ts";
import {
  humanProfile,
  identityProviderSettings,
  jwtConfig,
  projectSettings,
  serviceProfile,
} from "../../support/samples.ts";
import { makeApp } from "../../support/totp.ts";
import { type Fixture, openFixture, outcomeOf } from "../users/fixture.ts";

// Every pair of how a credential came to be and of the scope on which its user gains a role later: the credential carries the role only
// if everybody who could have made it could have had the role by themselves. Decision 14; login.md rules 28 and 47.

const roleOf: Readonly<Record<Scope["kind"], Role>> = {
  instance: "INSTANCE_OWNER",
  organization: "ORGANIZATION_OWNER",
  project: "PROJECT_OWNER",
  "project-grant": "PROJECT_GRANT_OWNER",
};
const inside = ["own organization", "own project", "own project grant"] as const;
const elsewhere = ["other organization", "its project", "its project grant"] as const;
const scopeNames = ["instance", ...inside, ...elsewhere] as const;
type ScopeLabel = (typeof scopeNames)[number];

let fixture: Fixture;
let other: OrganizationId;
let scopes: Readonly<Record<ScopeLabel, Scope>>;
let providerId: IdentityProviderId;
let count = 0;

beforeAll(async () => {
  fixture = await openFixture({ maxMailPerOrganization: 10_000 });
  const { context, organizationId } = fixture;
  const { ids } = context;
  other = ids.next();
  const [ownProject, otherProject] = [ids.next<ProjectId>(), ids.next<ProjectId>()];
  const [grantToOwn, grantToOther] = [ids.next<ProjectGrantId>(), ids.next<ProjectGrantId>()];
  providerId = ids.next();
  const grant = (id: ProjectGrantId, project: ProjectId, from: OrganizationId, to: OrganizationId) => ({
    type: "project_grant.added" as const,
    aggregateId: id,
    resourceOwner: from,
    payload: { project_id: project, granted_organization_id: to, role_keys: [] },
  });
  const settings = identityProviderSettings({ name: "Provider" });
  await append(
    "system",
    addOrganization(other, "Other"),
    addProject(ownProject, organizationId, projectSettings()),
    addProject(otherProject, other, projectSettings()),
    grant(grantToOwn, otherProject, other, organizationId),
    grant(grantToOther, ownProject, organizationId, other), // of a project of one's own, but what it gives is the other's
    addIdentityProvider({ id: providerId, organizationId, settings, config: jwtConfig() }),
  );
  scopes = {
    instance: { kind: "instance" },
    "own organization": { kind: "organization", organizationId },
    "own project": { kind: "project", projectId: ownProject, organizationId },
    "own project grant": { kind: "project-grant", projectGrantId: grantToOwn, organizationId },
    "other organization": { kind: "organization", organizationId: other },
    "its project": { kind: "project", projectId: otherProject, organizationId: other },
    "its project grant": { kind: "project-grant", projectGrantId: grantToOther, organizationId: other },
  };
});
afterAll(() => fixture.close());

const append = (editor: UserId | "system", ...events: readonly NewEvent[]) =>
  fixture.context.database.write((tx) =>
    fixture.context.log.append(tx, { editor, remoteAddress: undefined, requestId: "test" }, events),
  );

/** What a user can log in or call with later, if the origin has made any of it. */
interface Made {
  readonly tokenId?: TokenId;
  readonly session?: SessionId;
  /** Whether the address of the user comes of the origin, too. */
  readonly hasAddress?: boolean;
}

async function give(userId: UserId, scope: Scope, role: Role): Promise<void> {
  const resourceOwner = scope.kind === "instance" ? "1" : scope.organizationId;
  await append(
    "system",
    addMembership({ id: fixture.context.ids.next(), userId, scope, roles: [role], resourceOwner }),
  );
}

/** A call of somebody with these roles, who has logged in with their own password. */
async function callerWith(...held: readonly HeldRoles[]): Promise<Call> {
  const userId = await fixture.addHuman(`maker-${(count += 1)}`);
  for (const { scope, roles } of held) for (const role of roles) await give(userId, scope, role);
  return { ...loginOf(userId, ["PASSWORD"]), caller: { ...loginOf(userId, ["PASSWORD"]).caller, held } };
}
const at = (label: ScopeLabel, role: Role): HeldRoles => ({ scope: scopes[label], roles: [role] });
const ownAdministrator = () => callerWith(at("own organization", "ORGANIZATION_OWNER"));
const userManager = () => callerWith(at("own organization", "ORGANIZATION_USER_MANAGER"));
const administratorElsewhere = () =>
  callerWith(
    at("own organization", "ORGANIZATION_USER_MANAGER"),
    at("other organization", "ORGANIZATION_OWNER"),
  );
const instanceOwner = async () => fixture.call();

function loginOf(userId: UserId, methods: readonly SessionMethod[]): Call {
  const login = {
    sessionId: toId<SessionId>("1"),
    authTimeMs: fixture.clock.nowMs(),
    isMultiFactor: true,
    methods,
  };
  return fixture.call({ userId, tokenId: undefined, login });
}

const addToken = async (call: Call, userId: UserId) =>
  (await fixture.commands.tokens.add(call, { userId, expirationMs: undefined })).id;

/** A session with what an application got in it, or only the latter's row: it is what refresh tokens rest on. */
async function logIn(userId: UserId, methods: readonly SessionMethod[]): Promise<SessionId> {
  const id = fixture.context.ids.next<SessionId>();
  const payload = { user_id: userId, methods, expiration_date: "2999-01-01T00:00:00.000Z" };
  const { organizationId } = fixture;
  await append(userId, { type: "session.added", aggregateId: id, resourceOwner: organizationId, payload });
  await fixture.context.database.write((tx) =>
    tx.run(
      `INSERT INTO authorizations (id, sequence, creation_date, resource_owner, user_id, application_id, session_id, scope,
         auth_time_ms, methods, lock_count, generation, access_end_date, has_refresh, is_ended, expiration_ms)
       VALUES (?, 1, 1, ?, ?, '1', ?, 'openid', 1, ?, 0, 0, 0, 1, 0, 1)`,
      [id, organizationId, userId, id, JSON.stringify(methods)],
    ),
  );
  return id;
}

const newAddress = () => `user-${(count += 1)}@example.com`;
async function setAddress(call: Call, userId: UserId): Promise<void> {
  await fixture.commands.emails.set(call, { userId, email: newAddress(), verification: "is-verified" });
}
async function setAddressByProvider(userId: UserId): Promise<void> {
  const user = await fixture.commands.get(fixture.call(), userId);
  const loginOrigin = { creator: toId<UserId>("idp"), madeWithTokenId: undefined };
  const former = { ...user, email: "", isEmailVerified: false };
  await append("system", ...setEmail(former, newAddress(), { isVerified: true, loginOrigin }));
}
async function proveAddress(call: Call, userId: UserId): Promise<void> {
  await fixture.commands.emails.set(call, { userId, email: newAddress(), verification: "send-code" });
  await fixture.idle();
  const code = /\b\d{8}\b/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "";
  await fixture.commands.emails.verify(call, { userId, code: new Secret(code) });
}

const usernameOf = async (userId: UserId) => (await fixture.commands.get(fixture.call(), userId)).username;

/** Asks for a link as anybody may who knows the name. Returns its code; undefined when no mail was sent. */
async function askForLink(userId: UserId): Promise<string | undefined> {
  fixture.clock.advance(60_000); // a mail in 30 seconds
  const before = fixture.mail.sent.length;
  const username = await usernameOf(userId);
  const asked = { username, organizationId: undefined, issuer: "https://login.example", clientId: undefined };
  const answer = await requestResetByName(fixture, { ...asked, remoteAddress: undefined, requestId: "test" });
  expect(answer).toEqual({ kind: "asked" }); // in each case
  await fixture.idle();
  return /[A-Z2-7]{20}/.exec(fixture.mail.sent[before]?.text ?? "")?.[0];
}

async function setPasswordByMail(userId: UserId): Promise<void> {
  const code = await askForLink(userId);
  const proof = { kind: "code", code: new Secret(code ?? "") } as const;
  const password = new Secret("a password of a mail");
  const call = loginOf(userId, ["PASSWORD"]);
  await fixture.commands.passwords.set(call, { userId, password, isChangeRequired: false, proof });
}
async function setPassword(call: Call, userId: UserId): Promise<void> {
  const password = new Secret("a password of theirs");
  await fixture.commands.passwords.set(call, { userId, password, isChangeRequired: false, proof: undefined });
}

/** Everything that somebody gets who logs in so. */
async function throughLogin(userId: UserId, methods: readonly SessionMethod[]): Promise<Made> {
  return { tokenId: await addToken(loginOf(userId, methods), userId), session: await logIn(userId, methods) };
}

/** Everything that an administrator does for a user, and who logs in with the password then. */
async function byAdministrator(call: Call, userId: UserId): Promise<Made> {
  await setAddress(call, userId);
  await setPassword(call, userId);
  const tokenId = await addToken(call, userId);
  return { tokenId, session: await logIn(userId, ["PASSWORD"]), hasAddress: true };
}

/** What an administrator does who has logged in at a provider alone, and gains all roles outside before the user does. */
async function inProviderLogin(make: (call: Call) => Promise<Made>): Promise<Made> {
  const { caller } = await ownAdministrator();
  const call = loginOf(caller.userId, ["IDP"]);
  const made = await make({ ...call, caller: { ...call.caller, held: caller.held } });
  for (const label of ["instance", ...elsewhere] as const)
    await give(caller.userId, scopes[label], roleOf[scopes[label].kind]);
  return made;
}

async function afterReset(userId: UserId): Promise<Made> {
  await setPasswordByMail(userId);
  return { ...(await throughLogin(userId, ["PASSWORD"])), hasAddress: true };
}

const all: readonly ScopeLabel[] = scopeNames;
const none: readonly ScopeLabel[] = [];

interface Origin {
  /** The scopes on which a role that is gained later is carried. */
  readonly carried: readonly ScopeLabel[];
  readonly make: (userId: UserId) => Promise<Made>;
}

const origins: Readonly<Record<string, Origin>> = {
  "a login at a provider": {
    carried: inside,
    async make(userId) {
      await setAddressByProvider(userId);
      return { ...(await throughLogin(userId, ["IDP"])), hasAddress: true };
    },
  },
  "a login at a provider with a factor of ours": {
    carried: inside,
    make: (userId) => throughLogin(userId, ["IDP", "TOTP"]),
  },
  "an address that was set in a login at a provider": {
    carried: inside,
    async make(userId) {
      await proveAddress(loginOf(userId, ["IDP"]), userId);
      return { hasAddress: true };
    },
  },
  "a token that was made with one of a login at a provider": {
    carried: inside,
    async make(userId) {
      const parent = await addToken(loginOf(userId, ["IDP"]), userId);
      return { tokenId: await addToken(fixture.call({ userId, tokenId: parent }), userId) };
    },
  },
  "a login at a provider with a link that a user manager made": {
    carried: none,
    async make(userId) {
      const externalUserId = `linked-${(count += 1)}`;
      const asked = { userId, providerId, externalUserId, externalUsername: "" };
      await fixture.commands.links.add(await userManager(), asked);
      return await throughLogin(userId, ["IDP"]);
    },
  },
  "a login at a provider with a link that an administrator elsewhere made": {
    carried: none,
    async make(userId) {
      const externalUserId = `linked-${(count += 1)}`;
      const asked = { userId, providerId, externalUserId, externalUsername: "" };
      await fixture.commands.links.add(await administratorElsewhere(), asked);
      return await throughLogin(userId, ["IDP"]);
    },
  },
  "a login with the user's own password": {
    carried: all,
    async make(userId) {
      await proveAddress(loginOf(userId, ["PASSWORD"]), userId);
      return { ...(await throughLogin(userId, ["PASSWORD"])), hasAddress: true };
    },
  },
  "an administrator of the user's organization": {
    carried: inside,
    make: async (userId) => await byAdministrator(await ownAdministrator(), userId),
  },
  "an administrator of the user's organization, in a login at a provider, who gains the role before": {
    carried: inside,
    make: (userId) => inProviderLogin((call) => byAdministrator(call, userId)),
  },
  "a password that such an administrator has set so": {
    carried: inside,
    make: (userId) =>
      inProviderLogin(async (call) => {
        await setPassword(call, userId);
        return await throughLogin(userId, ["PASSWORD"]);
      }),
  },
  "a user manager who administers another organization": {
    carried: elsewhere,
    make: async (userId) => await byAdministrator(await administratorElsewhere(), userId),
  },
  "two others, one of whom administers another organization": {
    carried: none,
    async make(userId) {
      for (const call of [await administratorElsewhere(), await userManager()]) {
        const asked = { userId, providerId, externalUserId: `linked-${(count += 1)}` };
        await fixture.commands.links.add(call, { ...asked, externalUsername: "" });
      }
      return { tokenId: await addToken(loginOf(userId, ["PASSWORD", "IDP"]), userId) };
    },
  },
  "an owner of the instance": {
    carried: all,
    make: async (userId) => await byAdministrator(await instanceOwner(), userId),
  },
  "the command line": {
    carried: all,
    make: async (userId) => ({ tokenId: await fixture.addSystemToken(userId) }),
  },
  "a reset by a mail to an address that a provider vouches for": {
    carried: inside,
    async make(userId) {
      await setAddressByProvider(userId);
      return await afterReset(userId);
    },
  },
  "a reset by a mail to an address that an administrator of the organization vouches for": {
    carried: inside,
    async make(userId) {
      await setAddress(await ownAdministrator(), userId);
      return await afterReset(userId);
    },
  },
  "a reset by a mail to an address that the user has proved": {
    carried: all,
    async make(userId) {
      await proveAddress(loginOf(userId, ["PASSWORD"]), userId);
      return await afterReset(userId);
    },
  },
};

function toName(scope: Scope): ScopeName {
  switch (scope.kind) {
    case "instance":
      return { kind: "instance" };
    case "organization":
      return { kind: "organization", id: scope.organizationId };
    case "project":
      return { kind: "project", id: scope.projectId };
    case "project-grant":
      return { kind: "project-grant", id: scope.projectGrantId };
  }
}

async function gain(userId: UserId, scope: Scope): Promise<void> {
  const commands = createMembershipCommands(fixture.context, toId("1"));
  await commands.add(fixture.call(), { userId, scope: toName(scope), roles: [roleOf[scope.kind]] });
}

/** Says of each thing that was made whether somebody who has it has the role. */
async function carriedBy({ tokenId, session, hasAddress }: Made, userId: UserId) {
  return {
    ...(tokenId !== undefined && {
      token: await fixture.read(async (tx) => {
        const token = await findToken(tx, tokenId);
        if (token === undefined) throw new Error("the token is gone");
        return (await listCarriedRoles(tx, token)).some(({ roles }) => roles.length > 0);
      }),
    }),
    ...(session !== undefined && {
      session: await fixture.read(
        async (tx) =>
          (await tx.get("SELECT 1 FROM sessions WHERE id = ? AND state = 'ACTIVE'", [session])) !== undefined,
      ),
      refresh: await fixture.read(
        async (tx) =>
          (await tx.get("SELECT 1 FROM authorizations WHERE id = ? AND is_ended = 0", [session])) !==
          undefined,
      ),
    }),
    ...(hasAddress === true && { reset: (await askForLink(userId)) !== undefined }),
  };
}

describe.each(Object.entries(origins))("what came of %s", (_name, { carried, make }) => {
  test("carries roles that are gained later only where everybody has them who could have made it", async () => {
    const seen: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const label of scopeNames) {
      const profile = humanProfile({ username: `user-${(count += 1)}`, email: newAddress() });
      const { id: userId } = await fixture.commands.addHuman(fixture.call(), profile);
      const made = await make(userId);
      const before = await carriedBy({ ...made, hasAddress: false }, userId);
      await gain(userId, scopes[label]);
      seen[label] = await carriedBy(made, userId);
      const isCarried = carried.includes(label);
      expected[label] = Object.fromEntries(
        [...Object.keys(before), ...(made.hasAddress === true ? ["reset"] : [])].map((key) => [
          key,
          isCarried,
        ]),
      );
    }
    expect(seen).toEqual(expected);
  });
});

describe("what an administrator makes in a login at a provider alone, before gaining all roles outside", () => {
  const labels = ["instance", "own organization", "other organization"] as const;
  const expected = { instance: false, "own organization": true, "other organization": false };

  test.each<[string, (call: Call, userId: UserId) => Promise<TokenId | undefined>]>([
    ["a token", addToken],
    [
      "a key",
      async (call, userId) => {
        const asked = { userId, expirationMs: undefined, publicKey: new Uint8Array() };
        return (await fixture.commands.keys.add(call, asked)).id;
      },
    ],
    [
      "a secret",
      async (call, userId) => {
        await fixture.commands.secrets.generate(call, userId);
        return (await fixture.read((tx) => findSecretOfUser(tx, userId)))?.id;
      },
    ],
  ])("%s of a service user does not carry them", async (_name, make) => {
    const seen: Record<string, unknown> = {};
    for (const label of labels) {
      const profile = serviceProfile({ username: `service-${(count += 1)}` });
      const { id: userId } = await fixture.commands.addService(fixture.call(), profile);
      const made = await inProviderLogin(async (call) => ({
        tokenId: (await make(call, userId)) ?? toId(""),
      }));
      await gain(userId, scopes[label]);
      seen[label] = (await carriedBy(made, userId)).token;
    }
    expect(seen).toEqual(expected);
  });

  test("the address of a new user gets no link", async () => {
    const seen: Record<string, unknown> = {};
    for (const label of labels) {
      let userId = toId<UserId>("");
      await inProviderLogin(async (call) => {
        const profile = humanProfile({ username: `user-${(count += 1)}`, email: newAddress() });
        userId = (await fixture.commands.addHuman(call, profile)).id;
        return {};
      });
      await gain(userId, scopes[label]);
      const asked = { userId, medium: { kind: "send-link", urlTemplate: "" } } as const;
      seen[label] = await outcomeOf(fixture.commands.passwords.requestReset(fixture.call(), asked));
    }
    const refused = "CODE_NOT_PENDING";
    expect(seen).toEqual({ instance: refused, "own organization": "ok", "other organization": refused });
  });
});

describe("of roles on other organizations that an earlier version let users gain, an update", () => {
  const limitAgain = async () => {
    await fixture.context.database.write((tx) =>
      tx.run("DELETE FROM settings WHERE name = 'provider-logins'", []),
    );
    await limitProviderLogins(fixture.context);
  };
  const addUser = async () => {
    const profile = humanProfile({ username: `user-${(count += 1)}`, email: newAddress() });
    return (await fixture.commands.addHuman(fixture.call(), profile)).id;
  };
  const countEvents = () => fixture.read((tx) => tx.get("SELECT COUNT(*) AS total FROM events", []));

  test.each([
    ["a login at a provider", false],
    ["a login at a provider with a factor of ours", false],
    ["an address that was set in a login at a provider", false],
    ["a token that was made with one of a login at a provider", false],
    ["a reset by a mail to an address that a provider vouches for", false],
    ["a login with the user's own password", true],
    ["an administrator of the user's organization", true], // that was checked before
  ] as const)("looks at what came of %s: carried %p", async (name, isCarried) => {
    for (const label of elsewhere) {
      const userId = await addUser();
      const made = await origins[name]?.make(userId);
      if (made === undefined) throw new Error("there is no such origin");
      await give(userId, scopes[label], roleOf[scopes[label].kind]);
      const before = await carriedBy({ ...made, hasAddress: false }, userId);
      expect(Object.values(before)).not.toContain(false);
      await limitAgain();
      const after = await carriedBy(made, userId);
      expect(after).toEqual(Object.fromEntries(Object.keys(after).map((key) => [key, isCarried])));
      const events = await countEvents();
      await limitProviderLogins(fixture.context); // it is done once
      expect(await countEvents()).toEqual(events);
    }
  });

  test("asks about what was set in a login at a provider, and leaves roles inside alone", async () => {
    const [outside, within] = [await addUser(), await addUser()];
    const tokens: TokenId[] = [];
    for (const userId of [outside, within]) {
      const call = loginOf(userId, ["IDP"]);
      tokens.push(await addToken(call, userId));
      const { secret } = await fixture.commands.totp.register(call, userId);
      const code = new Secret(makeApp(secret.reveal()).code(fixture.clock.nowMs()));
      await fixture.commands.totp.verify(call, { userId, code });
    }
    await give(outside, scopes["its project"], "PROJECT_OWNER");
    await give(within, scopes["own project"], "PROJECT_OWNER");
    await limitAgain();
    const questioned = async (userId: UserId) =>
      (await fixture.read((tx) => listQuestionedWays(tx, userId))).map(({ kind }) => kind);
    expect([await questioned(outside), await questioned(within)]).toEqual([["TOTP"], []]);
    const [ofOutside, ofWithin] = tokens;
    expect(await carriedBy({ ...(ofOutside && { tokenId: ofOutside }) }, outside)).toEqual({ token: false });
    expect(await carriedBy({ ...(ofWithin && { tokenId: ofWithin }) }, within)).toEqual({ token: true });
  });
});

test("a rebuild knows all of it, too", async () => {
  const tables = () =>
    fixture.read(async (tx) => [
      await tx.all(
        "SELECT token_id, membership_id, roles FROM left_out_roles ORDER BY token_id, membership_id",
        [],
      ),
      await tx.all(
        "SELECT id, email_creator, is_email_verified, password_creator FROM stored_users ORDER BY id",
        [],
      ),
      await tx.all("SELECT id, state FROM sessions ORDER BY id", []),
    ]);
  const before = await tables();
  await fixture.rebuild();
  expect(await tables()).toEqual(before);
});
