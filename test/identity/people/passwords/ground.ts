import type { CallerLogin } from "../../../../src/kernel/base/call.ts";
import { type SessionId, toId, type UserId } from "../../../../src/kernel/base/ids.ts";
import { Secret } from "../../../../src/kernel/base/secret.ts";
import type { LoginName } from "../../../../src/identity/people/user/login-name.ts";
import {
  addLoginPolicy,
  defaultSettings,
  loginNameKinds,
} from "../../../../src/identity/policies/login-policy.ts";
import { startSession } from "../../../../src/identity/logins/sessions/session.ts";
import {
  type PasswordTry,
  tryPassword,
  type TypedPassword,
} from "../../../../src/identity/people/passwords/password-check.ts";
import type { PasswordProof } from "../../../../src/identity/people/passwords/commands.ts";
import type { PasswordHasher } from "../../../../src/identity/people/passwords/hasher.ts";
import type { Fixture } from "../../user-service/fixture.ts";

/** A hasher that costs nothing, for tests that count what is compared. Hashes that begin with `weak` are weak. */
export interface CountingHasher extends PasswordHasher {
  /** How many hashes were computed for a password that was typed. */
  compared: number;
  /** What each comparison waits for. */
  hold: Promise<void> | undefined;
}

export function createCountingHasher(): CountingHasher {
  const hasher: CountingHasher = {
    compared: 0,
    hold: undefined,
    hash: (password) => Promise.resolve(`hash of ${password}`),
    wrap: ({ recipe }) => Promise.resolve(`wrapped ${recipe.id}`),
    async verify(encoded, password) {
      hasher.compared += 1;
      await hasher.hold;
      return { isRight: encoded.endsWith(`hash of ${password}`), isWeak: encoded.startsWith("weak") };
    },
    async verifyNothing() {
      hasher.compared += 1;
      await hasher.hold;
    },
    estimateMs: async (encoded) => (encoded.includes("$14$") ? 1000 : 1),
    requireRoom: () => {},
  };
  return hasher;
}

export const password = "correct horse battery";

/** What is done about one user. */
export function about(fixture: Fixture, userId: UserId) {
  const login: CallerLogin = {
    sessionId: toId<SessionId>("77"),
    authTimeMs: fixture.clock.nowMs(),
    methods: ["PASSWORD"],
    isMultiFactor: false,
  };
  return {
    /** The call of the user after a login of this moment. */
    self: () => fixture.call({ userId, tokenId: undefined, login }),
    /** Sets the password, by the administrator if nobody else calls. */
    set: (
      text: string = password,
      { call = fixture.call(), proof }: { call?: ReturnType<Fixture["call"]>; proof?: PasswordProof } = {},
    ) =>
      fixture.commands.passwords.set(call, {
        userId,
        password: new Secret(text),
        isChangeRequired: false,
        proof,
      }),
    try: (typed: Partial<TypedPassword> = {}) => tryAs(fixture, typed),
    requestCode: async (call = fixture.call()) =>
      (
        await fixture.commands.passwords.requestReset(call, { userId, medium: { kind: "return-code" } })
      ).code?.reveal() ?? "",
  };
}

/** Tries a password of the user "ada", and does nothing with a right one but to settle it. */
export async function tryAs(fixture: Fixture, typed: Partial<TypedPassword> = {}): Promise<TryOutcome> {
  const tried = await compareAs(fixture, typed);
  if (tried.kind !== "right") return tried;
  const { userId, settle } = tried;
  return (await fixture.context.database.write(settle)) ? { kind: "right", userId } : { kind: "wrong" };
}

/** How a try went in the end. */
export type TryOutcome =
  | Exclude<PasswordTry, { readonly kind: "right" }>
  | { readonly kind: "right"; readonly userId: UserId };

/** The name as it is typed where every name may be typed, in a login without an organization. */
export const loginName = (name: string): LoginName => ({
  name,
  kinds: loginNameKinds,
  organizationId: undefined,
});

/** Compares a password of the user "ada", and settles nothing. */
export function compareAs(fixture: Fixture, typed: Partial<TypedPassword> = {}): Promise<PasswordTry> {
  return tryPassword(
    { ...fixture.context, hasher: fixture.hasher },
    {
      login: loginName("ada"),
      password,
      remoteAddress: "192.0.2.1",
      requestId: "test",
      ...typed,
    },
  );
}

export const currentPassword = (text: string): PasswordProof => ({
  kind: "current-password",
  password: new Secret(text),
});
export const code = (text: string): PasswordProof => ({ kind: "code", code: new Secret(text) });

/** Gives the organization a policy of its own, or another owner. */
export async function setPolicy(
  fixture: Fixture,
  settings: Partial<typeof defaultSettings>,
  resourceOwner: string = fixture.organizationId,
): Promise<void> {
  await fixture.record(
    addLoginPolicy({
      id: fixture.context.ids.next(),
      resourceOwner,
      settings: { ...defaultSettings, ...settings },
    }),
  );
}

/** Begins a session of the user. */
export async function addSession(fixture: Fixture, userId: UserId, id: string): Promise<void> {
  await fixture.record(
    ...startSession({
      id: toId(id),
      userId,
      organizationId: fixture.organizationId,
      checks: [{ method: "PASSWORD" }],
      expirationMs: fixture.clock.nowMs() + 3_600_000,
    }),
  );
}

/** Counts outcomes by their names. */
export async function tally(tries: readonly Promise<TryOutcome>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of await Promise.all(tries)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Returns the types of the events of the user, oldest first, with what they say. */
export async function eventsOf(fixture: Fixture, userId: string) {
  const rows = await fixture.read((tx) =>
    tx.all<{ type: string; payload: string; editor: string }>(
      "SELECT type, payload, editor FROM events WHERE aggregate_id = ? ORDER BY sequence",
      [userId],
    ),
  );
  return rows.map(({ type, payload, editor }) =>
    Object.assign({ type, editor }, JSON.parse(payload) as object),
  );
}
