import type { Call } from "../../../kernel/base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { Keyring, Sealed } from "../../../kernel/base/keyring.ts";
import { findSecret, putSecret, removeSecret } from "../../../kernel/events/secret-store.ts";
import { verifyCredential } from "../../../kernel/webauthn/registration-verification.ts";
import { credentialRefused } from "../../../kernel/webauthn/refusal.ts";
import { requireTarget, write, type UserContext } from "../../context.ts";
import { remove, type Removal } from "../../removal.ts";
import { endLoginsByOthers } from "../../logins/login-origins/commands.ts";
import { findLoginOriginOf } from "../../logins/login-origins/repository.ts";
import { requireRecentLogin } from "../../logins/recent-logins/recent-login.ts";
import { getUser } from "../../people/user/repository.ts";
import { type HumanUser, requireHuman } from "../../people/user/user.ts";
import {
  type Authenticator,
  type AuthenticatorId,
  type AuthenticatorKind,
  type Challenge,
  challengeLifetimeMs,
  challengeSecretId,
  credentialTaken,
  maxOpenRegistrations,
  requireAuthenticatorsBelowLimit,
  requireOpen,
} from "./authenticator.ts";
import { creationOptions } from "./creation-options.ts";
import { newChallenge } from "./challenge.ts";
import { isOriginAllowed, type RelyingParties, relyingPartyOf, selectRelyingParty } from "./relying-party.ts";
import {
  countOpenRegistrations,
  findAuthenticatorCreator,
  getAuthenticator,
  isCredentialTaken,
  listCredentialIds,
  listStaleRegistrations,
} from "./repository.ts";

/** The use cases of registering authenticators of a kind. */
export interface RegistrationCommands<Id extends AuthenticatorId> {
  /**
   * Starts a registration. `domain` empty = the first relying party id. `options` are for the browser, shaped
   * `{publicKey: {…}}`. Raises U2F_NOT_CONFIGURED, FIELD_INVALID, NOT_FOUND, WRONG_KIND, LIMIT_REACHED,
   * REAUTHENTICATION_REQUIRED.
   */
  register(
    call: Call,
    input: { readonly userId: string; readonly domain: string },
  ): Promise<{
    readonly id: Id;
    readonly details: Details;
    readonly options: { readonly publicKey: object };
  }>;
  /**
   * Completes a registration; a failed attempt can be repeated until it expires. Raises NOT_FOUND,
   * U2F_ALREADY_VERIFIED, U2F_EXPIRED, ALREADY_EXISTS, U2F_NOT_CONFIGURED, LIMIT_REACHED, REAUTHENTICATION_REQUIRED and the
   * reasons of a bad credential.
   */
  verify(
    call: Call,
    input: {
      readonly userId: string;
      readonly id: string;
      readonly credential: unknown;
      readonly name: string;
    },
  ): Promise<Details>;
  /**
   * Removes an authenticator, or a registration that was started. If it is a passkey that somebody else registered, the sessions of
   * the user end, too, but the one of a call that was not begun with a passkey. Raises NOT_FOUND, REAUTHENTICATION_REQUIRED.
   */
  remove(call: Call, input: { readonly userId: string; readonly id: string }): Promise<Removal>;
}

/** Creates the commands. Without relying parties nothing can be registered. */
export function createRegistrationCommands<Id extends AuthenticatorId>(
  context: UserContext,
  parties: RelyingParties,
  kind: AuthenticatorKind<Id>,
): RegistrationCommands<Id> {
  const ports: Ports<Id> = { ...context, context, parties, kind };
  return {
    register: (call, input) => register(ports, { ...input, call }),
    verify: (call, input) => verify(ports, { ...input, call }),
    remove: (call, input) =>
      remove(context, call, {
        async load({ tx }) {
          const user = await getUser(tx, call.access.organizationId, input.userId);
          const found = await getAuthenticator(tx, kind, { userId: user.id, id: input.id });
          await requireLogin(ports, tx, { call, userId: user.id });
          return found;
        },
        async decide(found, command) {
          await context.waysIn?.keep(command, { of: "user", userId: found.userId });
          return [kind.remove(found)];
        },
        async end({ id, userId }, { tx, call: now }) {
          if (!kind.isPasswordless) return [];
          const creator = await findAuthenticatorCreator(tx, kind.table, id);
          return await endLoginsByOthers(tx, now, { userId, method: "PASSKEY", creator });
        },
      }),
  };
}

interface Ports<Id extends AuthenticatorId> extends Pick<UserContext, "clock" | "keyring" | "random"> {
  readonly context: UserContext;
  readonly parties: RelyingParties;
  readonly kind: AuthenticatorKind<Id>;
}

async function register<Id extends AuthenticatorId>(
  ports: Ports<Id>,
  input: { readonly call: Call; readonly userId: string; readonly domain: string },
): ReturnType<RegistrationCommands<Id>["register"]> {
  const { context, kind, parties, keyring } = ports;
  const { call } = input;
  const party = selectRelyingParty(parties, input.domain);
  const challenge = newChallenge(ports);
  const begun = await write(context, call, async ({ tx, append }) => {
    const user = requireHuman(await getUser(tx, call.access.organizationId, input.userId));
    await requireLogin(ports, tx, { call, userId: user.id });
    await makeRoom(ports, tx, user);
    const id = tx.nextId<Id>();
    const sealed = sealChallenge(keyring, { kind, userId: user.id, id }, challenge);
    await putSecret(tx, challengeSecretId(kind, id), sealed);
    const credentialIds = await listExcluded(kind, tx, user.id);
    const date = await append([kind.add(user, id, party.id)]);
    return { id, user, credentialIds, details: createdDetails(date, user.details.resourceOwner) };
  });
  const publicKey = creationOptions({ name: parties.name, party, challenge, kind, ...begun });
  return { id: begun.id, details: begun.details, options: { publicKey } };
}

/** Lists what a browser must not use for another registration of the kind. */
export async function listExcluded(
  { excludedTables }: Pick<AuthenticatorKind<AuthenticatorId>, "excludedTables">,
  tx: ReadTransaction,
  userId: UserId,
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const table of excludedTables) ids.push(...(await listCredentialIds(tx, table, userId)));
  return ids;
}

/** Users change how they log in only after a recent login, or with a token if the kind allows that. */
async function requireLogin<Id extends AuthenticatorId>(
  { context, kind }: Ports<Id>,
  tx: ReadTransaction,
  { call, userId }: { readonly call: Call; readonly userId: UserId },
): Promise<void> {
  if (call.caller.userId !== userId) return;
  await requireRecentLogin(tx, call, { ...context, mayUseToken: kind.mayUseToken });
}

/** Destroys expired challenges and refuses a registration too many. */
async function makeRoom<Id extends AuthenticatorId>(
  { clock, kind }: Ports<Id>,
  tx: WriteTransaction,
  { id: userId }: HumanUser,
): Promise<void> {
  const { table } = kind;
  const expired = (clock.nowMs() - challengeLifetimeMs) * 1000;
  const limit = maxOpenRegistrations;
  // No more than could have been open since the previous registration, which destroyed the earlier ones.
  const stale = await listStaleRegistrations(tx, kind, { userId, until: expired, limit });
  for (const id of stale) {
    if ((await findSecret(tx, challengeSecretId(kind, id))) === undefined) break;
    await removeSecret(tx, challengeSecretId(kind, id));
  }
  const open = await countOpenRegistrations(tx, kind, { userId, after: expired, limit });
  const ready = (await listCredentialIds(tx, table, userId)).length;
  requireAuthenticatorsBelowLimit(kind, { open, ready });
}

interface VerifyInput {
  readonly call: Call;
  readonly userId: string;
  readonly id: string;
  readonly credential: unknown;
  readonly name: string;
}

/** Checks the credential between a read and a write, so that no transaction waits for it. */
async function verify<Id extends AuthenticatorId>(ports: Ports<Id>, input: VerifyInput): Promise<Details> {
  const { context, kind, parties } = ports;
  const { call } = input;
  const begun = await context.database.read((tx) => findOpen(ports, tx, input));
  const party = relyingPartyOf(parties, begun.found);
  if (call.isDryRun === true) return await tryVerify(ports, input);
  const credential = verifyCredential(input.credential, {
    challenge: begun.challenge.value,
    rpId: party.id,
    isOriginAllowed: (origin) => isOriginAllowed(parties, party, origin),
    mustVerifyUser: kind.isPasswordless,
    nowMs: ports.clock.nowMs(),
  });
  return await write(context, call, async ({ tx, append }) => {
    const { found, challenge } = await findOpen(ports, tx, input);
    await requireLogin(ports, tx, { call, userId: found.userId });
    if (challenge.value !== begun.challenge.value) throw credentialRefused("U2F_CHALLENGE_INVALID");
    const { credentialId } = credential;
    if (await isCredentialTaken(tx, credentialId)) throw credentialTaken(kind, credentialId);
    await requireRoom(ports, tx, found);
    await removeSecret(tx, challengeSecretId(kind, found.id));
    const loginOrigin = await findLoginOriginOf(tx, call, found.userId);
    const registered = { name: input.name, madeWithTokenId: call.caller.tokenId, loginOrigin };
    return changedDetails(found.details, await append([kind.verify(found, credential, registered)]));
  });
}

/** Checks everything but the credential: otherwise credentials could be tried without a trace. */
function tryVerify<Id extends AuthenticatorId>(ports: Ports<Id>, input: VerifyInput): Promise<Details> {
  return write(ports.context, input.call, async ({ tx }) => {
    const { found } = await findOpen(ports, tx, input);
    await requireLogin(ports, tx, { call: input.call, userId: found.userId });
    await requireRoom(ports, tx, found);
    return changedDetails(found.details, await tx.reserveSequences(1));
  });
}

async function requireRoom<Id extends AuthenticatorId>(
  { kind }: Ports<Id>,
  tx: ReadTransaction,
  { userId }: Authenticator<Id>,
): Promise<void> {
  const ready = (await listCredentialIds(tx, kind.table, userId)).length;
  requireAuthenticatorsBelowLimit(kind, { open: 0, ready });
}

async function findOpen<Id extends AuthenticatorId>(
  { kind, keyring, clock }: Ports<Id>,
  tx: ReadTransaction,
  input: Pick<VerifyInput, "call" | "userId" | "id">,
): Promise<{ readonly found: Authenticator<Id>; readonly challenge: Challenge }> {
  const user = await getUser(tx, input.call.access.organizationId, input.userId);
  const asked = { userId: user.id, id: input.id };
  const found = requireTarget(input.call, await getAuthenticator(tx, kind, asked));
  const sealed = await findSecret(tx, challengeSecretId(kind, found.id));
  const challenge = sealed && openChallenge(keyring, { kind, userId: user.id, id: found.id }, sealed);
  return { found, challenge: requireOpen(found, challenge, clock.nowMs()) };
}

/** The context that a challenge is bound to. */
interface Binding {
  readonly kind: Pick<AuthenticatorKind<AuthenticatorId>, "challengeUse">;
  readonly userId: UserId;
  readonly id: AuthenticatorId;
}

function sealChallenge(keyring: Keyring, { kind, userId, id }: Binding, challenge: Challenge): Sealed {
  return keyring.encrypt(kind.challengeUse, Buffer.from(JSON.stringify(challenge)), `${userId}.${id}`);
}

function openChallenge(keyring: Keyring, { kind, userId, id }: Binding, sealed: Sealed): Challenge {
  const plaintext = keyring.decrypt(kind.challengeUse, sealed, `${userId}.${id}`);
  return JSON.parse(Buffer.from(plaintext).toString("utf8")) as Challenge; // authenticated, so written by sealChallenge
}
