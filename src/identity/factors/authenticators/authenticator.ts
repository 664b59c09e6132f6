import type { Editor } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { OrganizationId, PasskeyId, SecondFactorId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import type { KeyUse } from "../../../kernel/base/keyring.ts";
import { alreadyExists, notFound, Problem, requireBelowLimit } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { VerifiedCredential } from "../../../kernel/webauthn/credential.ts";
import type { LoginOrigin } from "../../logins/login-origins/login-origin.ts";
import type { HumanUser } from "../../people/user/user.ts";

/** The id of an authenticator of either kind. */
export type AuthenticatorId = SecondFactorId | PasskeyId;

/** What a user has registered by WebAuthn: a u2f token or a passkey. */
export interface Authenticator<Id extends AuthenticatorId = AuthenticatorId> {
  readonly id: Id;
  readonly details: Details;
  readonly userId: UserId;
  readonly state: "NOT_READY" | "READY";
  /** The relying party id that it was registered for. */
  readonly domain: string;
  /** Empty until it is ready. */
  readonly name: string;
}

/** What decisions about an authenticator go by. */
export type AuthenticatorRef<Id extends AuthenticatorId> = Pick<
  Authenticator<Id>,
  "id" | "userId" | "details"
>;

/** How an authenticator was registered. */
export interface RegisteredAs {
  readonly name: string;
  /** The token of the call; undefined in a login. */
  readonly madeWithTokenId?: TokenId | undefined;
  /** The other people that could have made the login in which it was registered. */
  readonly loginOrigin?: LoginOrigin | undefined;
}

/** The tables of authenticators, which share their columns. */
export type AuthenticatorTable = "second_factors" | "passkeys";

/** What differs between u2f tokens and passkeys. */
export interface AuthenticatorKind<Id extends AuthenticatorId> {
  readonly table: AuthenticatorTable;
  /** Which rows of the table are of the kind; an SQL condition. */
  readonly rows: string;
  /** As problems name it. */
  readonly type: "second_factor" | "passkey";
  /** What its challenges are encrypted for; also the first part of their ids among the secrets. */
  readonly challengeUse: Extract<KeyUse, `${string}-challenge`>;
  /** Whether it logs its user in by itself: then it must be discoverable, and verify its user (WebAuthn §6.2.3). */
  readonly isPasswordless: boolean;
  /** Those with an authenticator of these tables do not get another one of the kind. */
  readonly excludedTables: readonly AuthenticatorTable[];
  /** Whether users manage their own with a personal access token, too. */
  readonly mayUseToken: boolean;
  /** Decides to begin a registration. */
  add(user: HumanUser, id: Id, domain: string): NewEvent;
  /** Decides to complete a registration. */
  verify(of: AuthenticatorRef<Id>, credential: VerifiedCredential, registered: RegisteredAs): NewEvent;
  /** Decides to remove one, ready or not. */
  remove(of: AuthenticatorRef<Id>): NewEvent;
}

/** The challenge of a registration that was started. */
export interface Challenge {
  /** base64url, as the client gives it back. */
  readonly value: string;
  readonly expirationMs: number;
}

/** Random bytes of a challenge; WebAuthn §13.4.3 asks for at least 16. */
export const challengeBytes = 32;
/** How long a registration may take from its challenge to the answer of the key. */
export const challengeLifetimeMs = 5 * 60_000;

/** Maximum number of open registrations of a user: far more than a person needs, but few enough to store. */
export const maxOpenRegistrations = 1000;
/** Maximum number of authenticators of a kind. Their credential ids are in the answer to every further registration. */
const maxAuthenticators = 100;

/** Returns under which id the challenge of a registration lies among the secrets. */
export function challengeSecretId(
  { challengeUse }: Pick<AuthenticatorKind<AuthenticatorId>, "challengeUse">,
  id: string,
): string {
  return `${challengeUse}:${id}`;
}

/** Returns the user handle (WebAuthn §4) of a user: the id, which says nothing about anybody and never changes. */
export function toUserHandle(userId: UserId): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(userId));
}

/** Refuses a registration too many. Raises LIMIT_REACHED. */
export function requireAuthenticatorsBelowLimit(
  { type }: Pick<AuthenticatorKind<AuthenticatorId>, "type">,
  count: { readonly open: number; readonly ready: number },
): void {
  requireBelowLimit(count.ready, { type, max: maxAuthenticators });
  requireBelowLimit(count.open, {
    type: `${type}_registration`,
    max: maxOpenRegistrations,
    retryAfterMs: challengeLifetimeMs,
  });
}

/** A READY authenticator and the user who registered it, who may still have the key. */
export interface AuthenticatorLineage<Id extends AuthenticatorId = AuthenticatorId> {
  readonly id: Id;
  readonly userId: UserId;
  readonly organizationId: string;
  readonly creator: Editor;
  /** The token of the call; undefined when there was none, or a login. */
  readonly madeWithTokenId: TokenId | undefined;
  /** The user of that token; undefined when there is none, or it is gone. */
  readonly parentUserId: UserId | undefined;
}

/** A READY authenticator with what it takes to check its answers. */
export interface LoginAuthenticator<Id extends AuthenticatorId> {
  readonly id: Id;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  /** base64url. */
  readonly credentialId: string;
  /** base64url of the COSE key. */
  readonly publicKey: string;
  /** What it counted at its last use; 0 if it does not count. */
  readonly counter: number;
}

/**
 * Says whether an authenticator has signed with a counter that is not above the one before: there may be a copy of it. Those that
 * do not count answer 0 every time (WebAuthn §7.2 step 22).
 */
export function isCounterRegressed(last: number, counter: number): boolean {
  return (last !== 0 || counter !== 0) && counter <= last;
}

/** Refuses a registration that cannot be completed: U2F_ALREADY_VERIFIED, U2F_EXPIRED. Returns its challenge. */
export function requireOpen(
  { state }: Pick<Authenticator, "state">,
  challenge: Challenge | undefined,
  nowMs: number,
): Challenge {
  if (state === "READY") throw alreadyVerified();
  if (challenge === undefined || challenge.expirationMs <= nowMs) throw registrationExpired();
  return challenge;
}

/** Returns the problem of an authenticator that is absent or another user's. */
export function authenticatorNotFound(
  { type }: Pick<AuthenticatorKind<AuthenticatorId>, "type">,
  id: string,
): Problem {
  return notFound(type, id);
}

/** Returns the problem of a credential id that is registered already, for any user, as a token or as a passkey. */
export function credentialTaken(
  { type }: Pick<AuthenticatorKind<AuthenticatorId>, "type">,
  credentialId: string,
): Problem {
  return alreadyExists(type, credentialId, "the credential is already registered; use another authenticator");
}

function alreadyVerified(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "U2F_ALREADY_VERIFIED",
    message: "the registration is already complete",
  });
}

function registrationExpired(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "U2F_EXPIRED",
    message: "the registration has expired; start another one",
  });
}
