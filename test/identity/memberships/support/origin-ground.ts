import { afterAll, beforeAll, expect } from "@jest/globals";
import { loginName } from "../../people/passwords/ground.ts";
import type { Call } from "../../../../src/kernel/base/call.ts";
import {
  type IdentityProviderId,
  type OrganizationId,
  type ProjectGrantId,
  type ProjectId,
  type SessionId,
  type TokenId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import type { HeldRoles, Role, Scope } from "../../../../src/kernel/base/permission.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import { addIdentityProvider } from "../../../../src/identity/providers/identity-provider.ts";
import { addMembership } from "../../../../src/identity/memberships/membership.ts";
import { addOrganization } from "../../../../src/identity/organizations/organization.ts";
import { addProject } from "../../../../src/identity/projects/project.ts";
import type { SessionMethod } from "../../../../src/identity/logins/sessions/session.ts";
import { setEmail } from "../../../../src/identity/people/emails/email.ts";
import { requestResetByName } from "../../../../src/identity/people/passwords/reset-request.ts";
import { identityProviderSettings, jwtConfig, projectSettings } from "../../../support/samples.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";

/** The role that a user gains on a scope. */
export const roleOf: Readonly<Record<Scope["kind"], Role>> = {
  instance: "INSTANCE_OWNER",
  organization: "ORGANIZATION_OWNER",
  project: "PROJECT_OWNER",
  "project-grant": "PROJECT_GRANT_OWNER",
};
/** Scopes of the organization of the users, and of the other one. */
export const inside = ["own organization", "own project", "own project grant"] as const;
export const elsewhere = ["other organization", "its project", "its project grant"] as const;
/** All scopes on which roles are gained. */
export const scopeNames = ["instance", ...inside, ...elsewhere] as const;
/** Names a scope. */
export type ScopeLabel = (typeof scopeNames)[number];

/** What a user can log in or call with later, if the origin has made any of it. */
export interface Made {
  readonly tokenId?: TokenId;
  readonly session?: SessionId;
  /** Whether the address of the user comes of the origin, too. */
  readonly hasAddress?: boolean;
}

/** Opens, for a file of tests, two organizations with a project and a project grant each, and ways to make credentials there. */
export function useOriginGround() {
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
    const asked = {
      login: loginName(username),
      homeId: undefined,
      issuer: "https://login.example",
      clientId: undefined,
    };
    const answer = await requestResetByName(fixture, {
      ...asked,
      remoteAddress: undefined,
      requestId: "test",
    });
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
    await fixture.commands.passwords.set(call, {
      userId,
      password,
      isChangeRequired: false,
      proof: undefined,
    });
  }

  /** Everything that somebody gets who logs in so. */
  async function throughLogin(userId: UserId, methods: readonly SessionMethod[]): Promise<Made> {
    return {
      tokenId: await addToken(loginOf(userId, methods), userId),
      session: await logIn(userId, methods),
    };
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
  return {
    get fixture() {
      return fixture;
    },
    get scopes() {
      return scopes;
    },
    get providerId() {
      return providerId;
    },
    nextNumber: () => (count += 1),
    give,
    ownAdministrator,
    userManager,
    administratorElsewhere,
    instanceOwner,
    loginOf,
    addToken,
    newAddress,
    setAddress,
    setAddressByProvider,
    proveAddress,
    askForLink,
    setPassword,
    throughLogin,
    byAdministrator,
    inProviderLogin,
    afterReset,
  };
}
