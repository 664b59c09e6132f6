import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Call } from "../../../src/kernel/base/call.ts";
import {
  type IdentityProviderId,
  type SecondFactorId,
  type SessionId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import { Secret } from "../../../src/kernel/base/secret.ts";
import type { NewEvent } from "../../../src/kernel/events/event.ts";
import { addIdentityProvider } from "../../../src/identity/providers/identity-provider.ts";
import { getIdentityProvider } from "../../../src/identity/providers/repository.ts";
import type { ScopeName } from "../../../src/identity/memberships/membership.ts";
import { createMembershipCommands } from "../../../src/identity/memberships/commands.ts";
import { localRelyingParty } from "../../../src/identity/factors/authenticators/relying-party.ts";
import { linkIdentity } from "../../../src/identity/people/identity-links/commands.ts";
import { findLoginOrigin } from "../../../src/identity/logins/login-origins/repository.ts";
import { createUserLogins, type UserLogins } from "../../../src/identity/user-service/logins.ts";
import type { SessionMethod } from "../../../src/identity/logins/sessions/session.ts";
import { listQuestionedWays } from "../../../src/identity/factors/reviews/repository.ts";
import type { ProvedFactor } from "../../../src/identity/factors/second-factors/login-commands.ts";
import { findTokensToLimit } from "../../../src/identity/memberships/tokens-to-limit.ts";
import { identityProviderSettings, jwtConfig } from "../../support/samples.ts";
import {
  type CreationOptions,
  passkeyFlags,
  registerInSoftware,
} from "../../support/software-authenticator.ts";
import { makeApp } from "../../support/totp.ts";
import { hasReadyFactor } from "../../../src/identity/factors/second-factors/repository.ts";
import { type Fixture, openFixture } from "../user-service/fixture.ts";

// Somebody sets a way to log in for a user, logs in as the user, and sets another one in that login. When the user gains roles,
// both are worth no more than what that somebody has set without a login.

const issuer = "http://localhost:3000";
let fixture: Fixture;
let logins: UserLogins;
let providerId: IdentityProviderId;
let count = 0;
const next = () => (count += 1);

beforeAll(async () => {
  fixture = await openFixture();
  const { context, organizationId } = fixture;
  const parties = { list: [localRelyingParty], allowSubdomains: false, name: "Gatehouse" };
  const { mailer, commands } = fixture;
  logins = createUserLogins(context, parties, { mailer, texter: commands.phones.texter });
  providerId = context.ids.next<IdentityProviderId>();
  const settings = identityProviderSettings({ name: "Provider" });
  const added = addIdentityProvider({ id: providerId, organizationId, settings, config: jwtConfig() });
  await append("system", added);
});
afterAll(() => fixture.close());

const append = (editor: UserId | "system", ...events: readonly NewEvent[]) =>
  fixture.context.database.write((tx) =>
    fixture.context.log.append(tx, { editor, remoteAddress: undefined, requestId: "test" }, events),
  );

/** A call of somebody who manages the users of the organization. */
async function manager(): Promise<Call> {
  const userId = await fixture.addHuman(`manager-${next()}`);
  await fixture.addRole(userId, "ORGANIZATION_USER_MANAGER");
  const scope = { kind: "organization", organizationId: fixture.organizationId } as const;
  const tokenId = await fixture.addSystemToken(userId);
  return fixture.call({ userId, tokenId, held: [{ scope, roles: ["ORGANIZATION_USER_MANAGER"] }] });
}

/** A call in a login of the user, with that method. */
function loginOf(userId: UserId, method: string, sessionId = toId<SessionId>("1")): Call {
  const methods = [method, "U2F"];
  const login = { sessionId, authTimeMs: fixture.clock.nowMs(), isMultiFactor: true, methods };
  return fixture.call({ userId, tokenId: undefined, login });
}

async function registerPasskey(call: Call, userId: UserId) {
  const { passkeys } = fixture.commands;
  const { id, options } = await passkeys.register(call, { userId, domain: "localhost" });
  const credentialId = new Uint8Array(16).fill(next());
  const credential = registerInSoftware(options as CreationOptions, { flags: passkeyFlags, credentialId });
  await passkeys.verify(call, { userId, id, credential, name: "Passkey" });
  return id;
}

/** The first factors that somebody may set for a user. Each returns how to remove it. */
const firstFactors = {
  PASSWORD: async (by: Call, userId: UserId) => {
    const password = new Secret("a password of theirs");
    await fixture.commands.passwords.set(by, { userId, password, isChangeRequired: false, proof: undefined });
    return (call: Call) => fixture.commands.passwords.remove(call, userId);
  },
  IDP: async (by: Call, userId: UserId) => {
    const asked = { userId, providerId, externalUserId: `first-${next()}` };
    await fixture.commands.links.add(by, { ...asked, externalUsername: "" });
    return (call: Call) => fixture.commands.links.remove(call, asked);
  },
  PASSKEY: async (by: Call, userId: UserId) => {
    const id = await registerPasskey(by, userId);
    return (call: Call) => fixture.commands.passkeys.remove(call, { userId, id });
  },
};
const methods = ["PASSWORD", "IDP", "PASSKEY"] as const;

async function settle(userId: UserId, proved: { readonly kind: string } | undefined) {
  if (proved?.kind !== "right") throw new Error("the proof was refused");
  const { context } = fixture;
  await context.database.write(async (tx) => {
    const { events } = await (proved as ProvedFactor).settle(tx); // by its kind
    await context.log.append(tx, { editor: userId, remoteAddress: undefined, requestId: "test" }, events);
  });
}

/** What users set for themselves in a login, by a call or at a page. */
const ways: Readonly<Record<string, (call: Call, userId: UserId) => Promise<unknown>>> = {
  PASSKEY: registerPasskey,
  U2F: async (call, userId) => {
    const { id, options } = await fixture.commands.u2f.register(call, { userId, domain: "localhost" });
    const credentialId = new Uint8Array(16).fill(next());
    const credential = registerInSoftware(options as CreationOptions, { credentialId });
    return await fixture.commands.u2f.verify(call, { userId, u2fId: id, credential, name: "Key" });
  },
  "U2F at a page": async (call, userId) => {
    const login = { issuer, loginId: `login-${userId}`, userId, methods: call.caller.login?.methods ?? [] };
    const publicKey = (await logins.factors.beginRegistration(login)) as CreationOptions["publicKey"];
    const answer = registerInSoftware({ publicKey }, { credentialId: new Uint8Array(16).fill(next()) });
    await settle(userId, await logins.factors.checkRegistration(login, { answer, name: "Key" }));
  },
  TOTP: async (call, userId) => {
    const { secret } = await fixture.commands.totp.register(call, userId);
    const code = new Secret(makeApp(secret.reveal()).code(fixture.clock.nowMs()));
    return await fixture.commands.totp.verify(call, { userId, code });
  },
  "TOTP at a page": async (call, userId) => {
    const login = { loginId: `login-${userId}`, userId, methods: call.caller.login?.methods ?? [] };
    const { offer, secret } = await logins.totp.offer(login);
    const code = new Secret(makeApp(secret.reveal()).code(fixture.clock.nowMs()));
    await settle(userId, await logins.totp.checkOffer(login, { offer, code }));
  },
  RECOVERY_CODES: async (call, userId) => {
    const payload = { totp_id: fixture.context.ids.next<SecondFactorId>() };
    const about = { aggregateId: userId, resourceOwner: fixture.organizationId, payload };
    const hasFactor = await fixture.read((tx) => hasReadyFactor(tx, userId));
    for (const type of ["user.totp.added", "user.totp.verified"] as const)
      if (!hasFactor) await append(userId, { ...about, type });
    const login = call.caller.login && { ...call.caller.login, isMultiFactor: true };
    await fixture.commands.recoveryCodes.generate({ ...call, caller: { ...call.caller, login } }, userId);
    if (!hasFactor) await append(userId, { ...about, type: "user.totp.removed" });
  },
  "IDP_LINK at a page": async (call, userId) => {
    const user = await fixture.commands.get(fixture.call(), userId);
    if (user.kind !== "human") throw new Error("a person was expected");
    const identity = { externalUserId: `own-${next()}`, externalUsername: "" };
    const { context, organizationId } = fixture;
    await context.database.write(async (tx) => {
      const provider = await getIdentityProvider(tx, organizationId, providerId);
      const loginOrigin = await findLoginOrigin(tx, { userId, methods: call.caller.login?.methods ?? [] });
      const events = await linkIdentity(tx, { user, provider, identity, loginOrigin });
      await context.log.append(tx, { editor: userId, remoteAddress: undefined, requestId: "test" }, events);
    });
  },
};

const gain = (userId: UserId, scope: ScopeName = { kind: "instance" }) =>
  createMembershipCommands(fixture.context, fixture.context.ids.next()).add(fixture.call(), {
    userId,
    scope,
    roles: [scope.kind === "instance" ? "INSTANCE_OWNER" : "ORGANIZATION_OWNER"],
  });
const questioned = async (userId: UserId) =>
  (await fixture.read((tx) => listQuestionedWays(tx, userId))).map(({ kind }) => kind).toSorted();

async function startSession(userId: UserId, method: string): Promise<SessionId> {
  const id = fixture.context.ids.next<SessionId>();
  const payload = { user_id: userId, methods: [method], expiration_date: "2999-01-01T00:00:00.000Z" };
  const { organizationId: resourceOwner } = fixture;
  await append(userId, { type: "session.added", aggregateId: id, resourceOwner, payload });
  return id;
}
const authorize = (userId: UserId, sessionId: SessionId, proved: readonly SessionMethod[]) =>
  fixture.context.database.write((tx) =>
    tx.run(
      `INSERT INTO authorizations (id, sequence, creation_date, resource_owner, user_id, application_id, session_id, scope,
         auth_time_ms, methods, lock_count, generation, access_end_date, has_refresh, is_ended, expiration_ms)
       VALUES (?, 1, 1, ?, ?, '1', ?, 'openid', 1, ?, 0, 0, 0, 1, 0, 1)`,
      [sessionId, fixture.organizationId, userId, sessionId, JSON.stringify(proved)],
    ),
  );
const endedOf = (sessionId: SessionId) =>
  fixture.read((tx) => tx.get("SELECT is_ended FROM authorizations WHERE session_id = ?", [sessionId]));
const stateOf = (id: SessionId) =>
  fixture.read((tx) => tx.get<{ state: string }>("SELECT state FROM sessions WHERE id = ?", [id]));

describe.each(methods)("in a login by %s", (method) => {
  const kindOf = (name: string) => name.split(" ")[0] ?? "";
  /** The first factor is asked about, too; a password is removed instead. */
  const first = { PASSWORD: [], IDP: ["IDP_LINK"], PASSKEY: ["PASSKEY"] }[method];

  test.each(Object.keys(ways))("that others could have made: %s is asked about", async (name) => {
    const userId = await fixture.addHuman(`user-${next()}`);
    await firstFactors[method](await manager(), userId);
    await ways[name]?.(loginOf(userId, method), userId);
    expect(await questioned(userId)).toEqual([]);
    await gain(userId);
    expect(await questioned(userId)).toEqual([...first, kindOf(name)].toSorted());
  });

  test("that holders of the roles, or the user alone could have made: nothing is asked about", async () => {
    const { organizationId } = fixture;
    for (const by of [fixture.call(), undefined]) {
      const userId = await fixture.addHuman(`user-${next()}`);
      if (by !== undefined) await firstFactors[method](by, userId);
      for (const name of ["PASSKEY", "U2F", "TOTP", "RECOVERY_CODES", "IDP_LINK at a page"])
        await ways[name]?.(loginOf(userId, method), userId);
      await gain(
        userId,
        method === "IDP" ? { kind: "organization", id: organizationId } : { kind: "instance" },
      );
      expect(await questioned(userId)).toEqual([]);
    }
  });

  test.each(["SetEmail", "UpdateHumanUser"])(
    "that others could have made: an address by %s is verified no longer",
    async (rpc) => {
      const userId = await fixture.addHuman(`user-${next()}`);
      const remove = await firstFactors[method](await manager(), userId);
      const { emails, get, updateHuman } = fixture.commands;
      const call = loginOf(userId, method);
      const email = `user-${next()}@example.com`;
      const user = await get(fixture.call(), userId);
      if (user.kind !== "human") throw new Error("a person was expected");
      if (rpc === "SetEmail") await emails.set(call, { userId, email, verification: "send-code" });
      else {
        await updateHuman(call, userId, { ...user, email });
        await emails.resendCode(call, { userId, verification: "send-code" });
      }
      await fixture.idle();
      const code = /\b\d{8}\b/.exec(fixture.mail.sent.at(-1)?.text ?? "")?.[0] ?? "";
      await emails.verify(call, { userId, code: new Secret(code) });
      await remove(fixture.call()); // so that only the event of the address says it
      expect(await get(fixture.call(), userId)).toMatchObject({ email, isEmailVerified: true });
      await gain(userId);
      expect(await get(fixture.call(), userId)).toMatchObject({ email, isEmailVerified: false });
    },
  );

  test("that others could have made: a personal access token does not carry the roles", async () => {
    const userId = await fixture.addHuman(`user-${next()}`);
    await firstFactors[method](await manager(), userId);
    const made = await fixture.commands.tokens.add(loginOf(userId, method), {
      userId,
      expirationMs: undefined,
    });
    const { organizationId } = fixture;
    const scope = { kind: "instance" } as const;
    const asked = { userId, organizationId, scope, gained: ["INSTANCE_OWNER"], kept: [] } as const;
    const limited = await fixture.context.database.write((tx) => findTokensToLimit(tx, asked));
    expect(limited).toEqual([made.id]);
  });

  test("the session ends when the user gains roles, and when what others have set is removed", async () => {
    const userId = await fixture.addHuman(`user-${next()}`);
    const remove = await firstFactors[method](await manager(), userId);
    const before = await startSession(userId, method);
    await remove(fixture.call());
    expect(await stateOf(before)).toEqual({ state: "TERMINATED" });
    await firstFactors[method](await manager(), userId);
    const later = await startSession(userId, method);
    await gain(userId);
    expect(await stateOf(later)).toEqual({ state: "TERMINATED" });
  });
});

describe("in a login at an identity provider alone, whoever made the link", () => {
  const byOwner = async () => {
    const userId = await fixture.addHuman(`user-${next()}`);
    await firstFactors.IDP(fixture.call(), userId);
    return userId;
  };
  const byNobody = () => fixture.addHuman(`user-${next()}`);
  const makers = { "the user": byNobody, "a holder of the roles": byOwner };
  const users = Object.entries(makers);

  test.each(users)("a gain on the instance questions what was set (%s)", async (_name, make) => {
    for (const name of Object.keys(ways)) {
      const userId = await make();
      await ways[name]?.(loginOf(userId, "IDP"), userId);
      await gain(userId);
      expect(await questioned(userId)).toEqual([name.split(" ")[0]]);
    }
  });

  test("somebody else who made a link answers for it all before the provider does", async () => {
    const userId = await byOwner();
    await firstFactors.IDP(await manager(), userId);
    await ways["TOTP"]?.(loginOf(userId, "IDP"), userId);
    await gain(userId, { kind: "organization", id: fixture.organizationId });
    expect(await questioned(userId)).toEqual(["IDP_LINK", "TOTP"]);
  });

  test("what is set with what was set there is no better", async () => {
    const userId = await byNobody();
    await registerPasskey(loginOf(userId, "IDP"), userId);
    await ways["TOTP"]?.(loginOf(userId, "PASSKEY"), userId);
    await gain(userId);
    expect(await questioned(userId)).toEqual(["PASSKEY", "TOTP"]);
  });

  test("the session and what came of it end at a gain on the instance, and no others", async () => {
    const userId = await byNobody();
    const begun = await startSession(userId, "IDP");
    const own = await startSession(userId, "PASSWORD");
    await authorize(userId, begun, ["IDP", "TOTP"]);
    await authorize(userId, own, ["PASSWORD"]);
    await gain(userId, { kind: "organization", id: fixture.organizationId });
    expect([await stateOf(begun), await endedOf(begun)]).toEqual([{ state: "ACTIVE" }, { is_ended: 0 }]);
    await gain(userId);
    expect([await stateOf(begun), await endedOf(begun)]).toEqual([{ state: "TERMINATED" }, { is_ended: 1 }]);
    expect([await stateOf(own), await endedOf(own)]).toEqual([{ state: "ACTIVE" }, { is_ended: 0 }]);
  });
});

describe("a registration that others have begun", () => {
  test("of an app is asked about though it is completed after the gain", async () => {
    const userId = await fixture.addHuman(`user-${next()}`);
    const { totp } = fixture.commands;
    const { secret } = await totp.register(await manager(), userId);
    await gain(userId);
    expect(await questioned(userId)).toEqual([]); // there is nothing to keep yet
    const code = new Secret(makeApp(secret.reveal()).code(fixture.clock.nowMs()));
    await totp.verify(loginOf(userId, "PASSWORD"), { userId, code });
    expect(await questioned(userId)).toEqual(["TOTP"]);
  });

  test.each(["u2f", "passkeys"] as const)("cannot be completed after the gain: %s", async (kind) => {
    const userId = await fixture.addHuman(`user-${next()}`);
    const { u2f, passkeys } = fixture.commands;
    const asked = { userId, domain: "localhost" };
    const { id, options } = await (kind === "u2f" ? u2f : passkeys).register(await manager(), asked);
    await gain(userId);
    const credentialId = new Uint8Array(16).fill(next());
    const credential = registerInSoftware(options as CreationOptions, { flags: passkeyFlags, credentialId });
    const about = { userId, credential, name: "Theirs" };
    const call = loginOf(userId, "PASSWORD");
    const done =
      kind === "u2f"
        ? u2f.verify(call, { ...about, u2fId: id })
        : passkeys.verify(call, { ...about, id: toId(id) });
    await expect(done).rejects.toMatchObject({ reason: "U2F_EXPIRED" });
  });
});

test("users who remove what others have set stay in a session that began in another way", async () => {
  const userId = await fixture.addHuman(`user-${next()}`);
  for (const method of ["IDP", "PASSKEY"] as const) {
    const remove = await firstFactors[method](await manager(), userId);
    const [own, other] = [await startSession(userId, "PASSWORD"), await startSession(userId, method)];
    await remove(loginOf(userId, "PASSWORD", own));
    expect([await stateOf(own), await stateOf(other)]).toEqual([
      { state: "ACTIVE" },
      { state: "TERMINATED" },
    ]);
    const removeNext = await firstFactors[method](await manager(), userId);
    const begun = await startSession(userId, method);
    await removeNext(loginOf(userId, method, begun));
    expect(await stateOf(begun)).toEqual({ state: "TERMINATED" });
  }
});
