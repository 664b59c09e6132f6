import type { Details } from "../../../base/details.ts";
import type { SecondFactorId, UserId } from "../../../base/ids.ts";
import { alreadyExists, fieldInvalid, notFound, Problem, requireBelowLimit } from "../../../base/problem.ts";
import type { NewEvent } from "../../../events/event.ts";
import type { HumanUser } from "../user/user.ts";
import type { VerifiedCredential } from "../../../webauthn/credential.ts";

/** A u2f token of a user. */
export interface SecondFactor {
  readonly id: SecondFactorId;
  readonly details: Details;
  readonly userId: UserId;
  readonly state: "NOT_READY" | "READY";
  /** The relying party id that it was registered for. */
  readonly domain: string;
  /** Empty until it is ready. */
  readonly name: string;
}

/** A relying party id (WebAuthn §4), a domain, and the origins of the pages that may use it. */
export interface RelyingParty {
  readonly id: string;
  /** Origins such as `https://example.com`; `http-any-port` is plain http on exactly this domain, on any port. */
  readonly origins: readonly string[] | "http-any-port";
}

/** The relying parties that u2f tokens may be registered for. */
export interface RelyingParties {
  /** The first one is the default. None: u2f tokens cannot be registered. */
  readonly list: readonly RelyingParty[];
  /** Whether https pages on subdomains of a relying party id may use it, on the ports of its origins. */
  readonly allowSubdomains: boolean;
  /** Name of the service, as the browser shows it. */
  readonly name: string;
}

/** The relying party of local mode. */
export const localRelyingParty: RelyingParty = { id: "localhost", origins: "http-any-port" };

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
/** Maximum number of u2f tokens of a user. Their credential ids are in the answer to every further registration. */
export const maxSecondFactors = 100;

/**
 * Returns the relying party of the domain; the first one for an empty domain. Raises U2F_NOT_CONFIGURED when there is
 * none at all, FIELD_INVALID for a domain that is not configured.
 */
export function selectRelyingParty(parties: RelyingParties, domain: string): RelyingParty {
  const [first] = parties.list;
  if (first === undefined) throw u2fNotConfigured();
  if (domain === "") return first;
  const selected = parties.list.find((party) => party.id === domain);
  if (selected === undefined) throw fieldInvalid("domain", "must be one of the configured relying party ids");
  return selected;
}

/** Returns the relying party of a registration. Raises U2F_NOT_CONFIGURED when it is no longer configured. */
export function relyingPartyOf(parties: RelyingParties, factor: SecondFactor): RelyingParty {
  const party = parties.list.find((candidate) => candidate.id === factor.domain);
  if (party === undefined) throw u2fNotConfigured();
  return party;
}

/** Says whether a page from this origin may use the relying party. */
export function isOriginAllowed(parties: RelyingParties, party: RelyingParty, origin: string): boolean {
  if (party.origins !== "http-any-port" && party.origins.includes(origin)) return true;
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin) return false; // anything but the plain form of an origin
  if (party.origins === "http-any-port") return url.protocol === "http:" && url.hostname === party.id;
  if (!parties.allowSubdomains || url.protocol !== "https:") return false;
  // The dot keeps the comparison on label boundaries: evil-example.com is not a subdomain of example.com.
  const isSubdomain = url.hostname.endsWith(`.${party.id}`) && !url.hostname.startsWith(".");
  return isSubdomain && party.origins.some((own) => URL.parse(own)?.port === url.port);
}

/** Returns under which id the challenge of a registration lies among the secrets. */
export function challengeSecretId(id: string): string {
  return `u2f-challenge:${id}`;
}

/** Decides to begin a registration. */
export function addU2f(user: HumanUser, id: SecondFactorId, domain: string): NewEvent {
  return {
    type: "user.u2f.added",
    aggregateId: user.id,
    resourceOwner: user.details.resourceOwner,
    payload: { u2f_id: id, domain },
  };
}

/** Refuses a registration too many. Raises LIMIT_REACHED. */
export function requireFactorsBelowLimit(count: { readonly open: number; readonly ready: number }): void {
  requireBelowLimit(count.ready, { type: "second_factor", max: maxSecondFactors });
  requireBelowLimit(count.open, {
    type: "second_factor_registration",
    max: maxOpenRegistrations,
    retryAfterMs: challengeLifetimeMs,
  });
}

/** Decides to complete a registration. */
export function verifyU2f(factor: SecondFactor, credential: VerifiedCredential, name: string): NewEvent {
  return {
    type: "user.u2f.verified",
    aggregateId: factor.userId,
    resourceOwner: factor.details.resourceOwner,
    payload: {
      u2f_id: factor.id,
      name,
      credential_id: credential.credentialId,
      public_key: credential.publicKey,
      counter: String(credential.counter),
      aaguid: credential.aaguid,
      attestation_format: credential.attestationFormat,
    },
  };
}

/** Decides to remove a second factor, ready or not. */
export function removeU2f(factor: SecondFactor): NewEvent {
  return {
    type: "user.u2f.removed",
    aggregateId: factor.userId,
    resourceOwner: factor.details.resourceOwner,
    payload: { u2f_id: factor.id },
  };
}

/** Refuses a registration that cannot be completed: U2F_ALREADY_VERIFIED, U2F_EXPIRED. Returns its challenge. */
export function requireOpen(
  factor: SecondFactor,
  challenge: Challenge | undefined,
  nowMs: number,
): Challenge {
  if (factor.state === "READY") throw u2fAlreadyVerified();
  if (challenge === undefined || challenge.expirationMs <= nowMs) throw u2fExpired();
  return challenge;
}

/** Returns the problem of a second factor that is absent or another user's. */
export function secondFactorNotFound(id: string): Problem {
  return notFound("second_factor", id);
}

/** Returns the problem of a credential id that is registered already, for whomever. */
export function credentialTaken(credentialId: string): Problem {
  return alreadyExists(
    "second_factor",
    credentialId,
    "the credential is already registered; use another token",
  );
}

function u2fNotConfigured(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "U2F_NOT_CONFIGURED",
    message: "this service has no such relying party id; ask the operator to configure it",
  });
}

function u2fAlreadyVerified(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "U2F_ALREADY_VERIFIED",
    message: "the registration is already complete",
  });
}

function u2fExpired(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "U2F_EXPIRED",
    message: "the registration has expired; start another one",
  });
}
