import type { Call } from "../../../base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../../../base/database.ts";
import { changedDetails, createdDetails, type Details } from "../../../base/details.ts";
import type { SecondFactorId, UserId } from "../../../base/ids.ts";
import type { Keyring, Sealed } from "../../../base/keyring.ts";
import type { PageRequest } from "../../../base/paging.ts";
import { findSecret, putSecret, removeSecret } from "../../../events/secret-store.ts";
import { change, type FeatureContext, requireTarget, write } from "../../context.ts";
import { type ListedPage, readList } from "../../list.ts";
import { getUser } from "../user/repository.ts";
import {
  countOpenRegistrations,
  getSecondFactor,
  isCredentialTaken,
  listCredentialIds,
  listStaleRegistrations,
  secondFactorList,
} from "./repository.ts";
import {
  addU2f,
  type Challenge,
  challengeBytes,
  challengeLifetimeMs,
  challengeSecretId,
  credentialTaken,
  isOriginAllowed,
  maxOpenRegistrations,
  type RelyingParties,
  relyingPartyOf,
  removeU2f,
  requireOpen,
  requireFactorsBelowLimit,
  type SecondFactor,
  selectRelyingParty,
  verifyU2f,
} from "./u2f.ts";
import { credentialRefused } from "../../../webauthn/refusal.ts";
import { type HumanUser, requireHuman } from "../user/user.ts";

/** The use cases of u2f tokens. */
export interface U2fCommands {
  /**
   * Starts a registration. `domain` empty = the first relying party id. `options` are for the browser, shaped
   * `{publicKey: {…}}`. Raises U2F_NOT_CONFIGURED, FIELD_INVALID, NOT_FOUND, WRONG_KIND, LIMIT_REACHED.
   */
  register(
    call: Call,
    input: { readonly userId: string; readonly domain: string },
  ): Promise<{
    readonly id: SecondFactorId;
    readonly details: Details;
    readonly options: { readonly publicKey: object };
  }>;
  /**
   * Completes a registration; a failed attempt can be repeated until it expires. Raises NOT_FOUND,
   * U2F_ALREADY_VERIFIED, U2F_EXPIRED, ALREADY_EXISTS, U2F_NOT_CONFIGURED, LIMIT_REACHED and the reasons of a bad
   * credential.
   */
  verify(
    call: Call,
    input: {
      readonly userId: string;
      readonly u2fId: string;
      readonly credential: unknown;
      readonly name: string;
    },
  ): Promise<Details>;
  /** Raises NOT_FOUND, PAGE_TOKEN_INVALID. */
  list(call: Call, userId: string, page: PageRequest): Promise<ListedPage<SecondFactor>>;
  /** Removes a factor, or a registration that was started. Raises NOT_FOUND. */
  remove(call: Call, input: { readonly userId: string; readonly u2fId: string }): Promise<Details>;
  /** Loads everything that the first call would otherwise wait for. */
  warmUp(): Promise<void>;
}

// Loading the WebAuthn library takes half as long as loading everything else, so it is loaded on first use or by
// `warmUp`.
const loadRegistration = () => import("./u2f-registration.ts");
const loadVerification = () => import("../../../webauthn/registration-verification.ts");

/** Creates the commands of u2f tokens. Without relying parties nothing can be registered. */
export function createU2fCommands(context: FeatureContext, parties: RelyingParties): U2fCommands {
  return {
    register: (call, input) => register(context, parties, { ...input, call }),
    verify: (call, input) => verify(context, parties, { ...input, call }),
    list: (call, userId, page) =>
      context.database.read(async (tx) => {
        const { id } = await getUser(tx, call.access.organizationId, userId);
        return await readList(context, tx, {
          list: secondFactorList,
          call,
          asked: { of: id, filter: {} },
          page,
        });
      }),
    remove: (call, input) =>
      change(context, call, {
        async load({ tx }) {
          const user = await getUser(tx, call.access.organizationId, input.userId);
          return await getSecondFactor(tx, user.id, input.u2fId);
        },
        decide: (factor) => [removeU2f(factor)],
      }),
    async warmUp() {
      await Promise.all([loadRegistration(), loadVerification()]);
    },
  };
}

async function register(
  context: FeatureContext,
  parties: RelyingParties,
  input: { readonly call: Call; readonly userId: string; readonly domain: string },
): ReturnType<U2fCommands["register"]> {
  const { call } = input;
  const party = selectRelyingParty(parties, input.domain);
  const challenge: Challenge = {
    value: Buffer.from(context.random.bytes(challengeBytes)).toString("base64url"),
    expirationMs: context.clock.nowMs() + challengeLifetimeMs,
  };
  const { creationOptions } = await loadRegistration(); // before the write, after which only its result may be waited for
  const begun = await write(context, call, async ({ tx, append }) => {
    const user = requireHuman(await getUser(tx, call.access.organizationId, input.userId));
    const credentialIds = await listCredentialIds(tx, user.id);
    await makeRoom(context, tx, { user, ready: credentialIds.length });
    const id = tx.nextId<SecondFactorId>();
    await putSecret(
      tx,
      challengeSecretId(id),
      sealChallenge(context.keyring, { userId: user.id, id }, challenge),
    );
    const date = await append([addU2f(user, id, party.id)]);
    return { id, user, credentialIds, details: createdDetails(date, user.details.resourceOwner) };
  });
  const publicKey = await creationOptions({ name: parties.name, party, challenge, ...begun });
  return { id: begun.id, details: begun.details, options: { publicKey } };
}

/** Destroys expired challenges and refuses a registration too many. */
async function makeRoom(
  { clock }: FeatureContext,
  tx: WriteTransaction,
  { user, ready }: { readonly user: HumanUser; readonly ready: number },
): Promise<void> {
  const expired = (clock.nowMs() - challengeLifetimeMs) * 1000;
  // No more than could have been open since the previous registration, which destroyed the earlier ones.
  const stale = await listStaleRegistrations(tx, user.id, { until: expired, limit: maxOpenRegistrations });
  for (const id of stale) {
    if ((await findSecret(tx, challengeSecretId(id))) === undefined) break;
    await removeSecret(tx, challengeSecretId(id));
  }
  const open = await countOpenRegistrations(tx, user.id, { after: expired, limit: maxOpenRegistrations });
  requireFactorsBelowLimit({ open, ready });
}

type VerifyInput = Parameters<U2fCommands["verify"]>[1] & { readonly call: Call };

/** Checks the credential between a read and a write, because a transaction must not await what it awaits. */
async function verify(
  context: FeatureContext,
  parties: RelyingParties,
  input: VerifyInput,
): Promise<Details> {
  const { call } = input;
  const begun = await context.database.read((tx) => findOpen(context, tx, input));
  const party = relyingPartyOf(parties, begun.factor);
  if (call.isDryRun === true) return await tryVerify(context, input);
  const { verifyCredential } = await loadVerification();
  const credential = await verifyCredential(input.credential, {
    challenge: begun.challenge.value,
    rpId: party.id,
    isOriginAllowed: (origin) => isOriginAllowed(parties, party, origin),
  });
  return await write(context, call, async ({ tx, append }) => {
    const { factor, challenge } = await findOpen(context, tx, input);
    if (challenge.value !== begun.challenge.value) throw credentialRefused("U2F_CHALLENGE_INVALID");
    if (await isCredentialTaken(tx, credential.credentialId)) throw credentialTaken(credential.credentialId);
    requireFactorsBelowLimit({ open: 0, ready: (await listCredentialIds(tx, factor.userId)).length });
    await removeSecret(tx, challengeSecretId(factor.id));
    return changedDetails(factor.details, await append([verifyU2f(factor, credential, input.name)]));
  });
}

/** Judges everything but the credential: otherwise credentials could be tried without a trace. */
function tryVerify(context: FeatureContext, input: VerifyInput): Promise<Details> {
  return write(context, input.call, async ({ tx }) => {
    const { factor } = await findOpen(context, tx, input);
    requireFactorsBelowLimit({ open: 0, ready: (await listCredentialIds(tx, factor.userId)).length });
    return changedDetails(factor.details, await tx.reserveSequences(1));
  });
}

async function findOpen(
  { keyring, clock }: FeatureContext,
  tx: ReadTransaction,
  input: { readonly call: Call; readonly userId: string; readonly u2fId: string },
): Promise<{ readonly factor: SecondFactor; readonly challenge: Challenge }> {
  const user = await getUser(tx, input.call.access.organizationId, input.userId);
  const factor = requireTarget(input.call, await getSecondFactor(tx, user.id, input.u2fId));
  const sealed = await findSecret(tx, challengeSecretId(factor.id));
  const challenge = sealed && openChallenge(keyring, { userId: user.id, id: factor.id }, sealed);
  return { factor, challenge: requireOpen(factor, challenge, clock.nowMs()) };
}

/** The context that a challenge is bound to. */
interface Binding {
  readonly userId: UserId;
  readonly id: SecondFactorId;
}

function sealChallenge(keyring: Keyring, { userId, id }: Binding, challenge: Challenge): Sealed {
  return keyring.encrypt("u2f-challenge", Buffer.from(JSON.stringify(challenge)), `${userId}.${id}`);
}

function openChallenge(keyring: Keyring, { userId, id }: Binding, sealed: Sealed): Challenge {
  const plaintext = keyring.decrypt("u2f-challenge", sealed, `${userId}.${id}`);
  return JSON.parse(Buffer.from(plaintext).toString("utf8")) as Challenge; // authenticated, so written by sealChallenge
}
