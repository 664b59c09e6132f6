import type { Caller, CallerAccessToken } from "../../kernel/base/call.ts";
import type { Clock } from "../../kernel/base/clock.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { toChallenge, Problem, type ProblemInit } from "../../kernel/base/problem.ts";
import { equalBytes } from "../../kernel/base/secret.ts";
import { apiAudience } from "../logins/access-tokens/access-token.ts";
import type { AssertionUse } from "../protocol-state/assertion-uses/assertion-use.ts";
import { checkProof, type GoodProof, toProofChallenge } from "../protocol-state/dpop/proof.ts";
import { readCarriedRoles } from "../held-roles/carried-roles-repository.ts";
import { isMultiFactor } from "../logins/sessions/session.ts";
import { findBasisInForce } from "../tokens-in-force/repository.ts";
import type { BasisInForce } from "../tokens-in-force/token-in-force.ts";
import { findToken } from "../programs/tokens/repository.ts";
import { hashToken, parseToken } from "../programs/tokens/token.ts";
import { type FindAccessToken, readRolesOf } from "./access-token-credentials.ts";
import type { FindCredentials } from "./credentials.ts";

/** What callers are found out with. */
export interface AuthenticationPorts {
  readonly findCredentials: FindCredentials;
  readonly findAccessToken: FindAccessToken;
  /** Returns the issuer of our tokens, below which calls are made; undefined when there is none. */
  readonly issuer: () => string | undefined;
  readonly clock: Clock;
}

/** The parts of a call that identify its caller. */
export interface SentCall {
  readonly verb: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Reads a header by its name in lower case; the values of a repeated one are joined by ", ". */
  header(name: string): string | undefined;
}

/** Identifies the caller of a call. */
export interface Authenticated {
  readonly caller: Caller;
  /** Must be recorded once before the call is made; undefined for a call without a proof. */
  readonly proofUse: AssertionUse | undefined;
}

/**
 * Finds the caller by the authorization header (RFC 6750 §2.1, RFC 9449 §7). Raises TOKEN_MISSING, also for another scheme than
 * Bearer and DPoP. A token that is malformed, unknown, expired or removed, or whose user or organization is not active, raises the
 * same TOKEN_INVALID, so that a caller cannot tell these apart; it has other errors for a proof that is not accepted, and for a
 * bound token that is sent without a proof. A caller who has sent a proof gets the challenge of its scheme.
 */
export async function authenticate(setup: AuthenticationPorts, call: SentCall): Promise<Authenticated> {
  const authorization = call.header("authorization") ?? "";
  const [, scheme, text] = /^(bearer|dpop) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme === undefined || text === undefined)
    throw hasOtherScheme(authorization) ? tokenMissing() : tokenInvalid();
  if (scheme.toLowerCase() === "dpop") return await authenticateWithProof(setup, call, text);
  return { caller: await authenticateBearer(setup, text), proofUse: undefined };
}

async function authenticateBearer(setup: AuthenticationPorts, text: string): Promise<Caller> {
  const tokenId = parseToken(text);
  if (tokenId === undefined) return await authenticateAccessToken(setup, text, undefined);
  const credentials = await setup.findCredentials(tokenId);
  if (credentials === undefined || !equalBytes(credentials.hash, hashToken(text))) throw tokenInvalid();
  const { token, held, heldUntil } = credentials;
  if (!isInForce(token, setup.clock)) throw tokenInvalid();
  return {
    userId: token.userId,
    organizationId: token.organizationId,
    tokenId,
    tokenExpirationMs: token.expirationMs,
    isLimited: token.isLimited,
    held,
    heldUntil,
    accessRevision: credentials.accessRevision,
  };
}

/** Takes an access token that is bound to a key, with a proof that was made for this call. Raises TOKEN_INVALID. */
async function authenticateWithProof(
  setup: AuthenticationPorts,
  call: SentCall,
  text: string,
): Promise<Authenticated> {
  const issuer = setup.issuer();
  if (issuer === undefined) throw tokenInvalid();
  const { verb, path } = call;
  const request = { verb, url: `${issuer}${path}`, accessToken: text, nowMs: setup.clock.nowMs() };
  const checked = await checkProof(call.header("dpop") ?? "", request);
  if ("fault" in checked) throw proofInvalid(checked.fault);
  const { proof } = checked;
  return { caller: await authenticateAccessToken(setup, text, proof), proofUse: proof.use };
}

/**
 * Takes an access token of OAuth whose audience holds our API (RFC 9068 §4, RFC 8707 §2), for as long as its application may call
 * that. One that is bound to a key is taken only with the proof of that key, and one that is bound to none only without (RFC 9449
 * §7.2). Raises TOKEN_INVALID.
 */
async function authenticateAccessToken(
  { findAccessToken }: AuthenticationPorts,
  text: string,
  proof: GoodProof | undefined,
): Promise<Caller> {
  const jkt = proof?.jkt;
  const credentials = await findAccessToken(text);
  if (credentials === undefined || !credentials.token.audiences.includes(apiAudience))
    throw tokenInvalidFor(jkt);
  if (!credentials.mayCallApi()) throw tokenInvalidFor(jkt);
  if (credentials.token.jkt !== jkt) throw wronglyBound();
  if (proof !== undefined && !credentials.takesProofBy(proof.algorithm))
    throw proofInvalid("alg of the DPoP proof is none that the application may use");
  const { token, held, heldUntil, accessRevision } = credentials;
  const { hash, userId, lockCount, expirationMs, basis, exchanges } = token;
  const accessToken = { hash, userId, lockCount, expirationMs, basis, exchanges, jkt };
  return { ...toTokenCaller(credentials, accessToken), held, heldUntil, accessRevision };
}

/** Says in the challenge of a refusal where clients learn which authorization server gives tokens for our API (RFC 9728 §5.1). */
export function withResourceMetadata(error: unknown, issuer: string | undefined): unknown {
  if (!(error instanceof Problem) || error.kind !== "unauthenticated" || issuer === undefined) return error;
  const challenge = `${toChallenge(error)}, resource_metadata="${issuer}${resourceMetadataPath}"`;
  const { kind, reason, message, metadata } = error;
  return new Problem({ kind, reason, message, metadata, challenge });
}

/** Looks the caller up again. Raises TOKEN_INVALID when the token is no longer in force. */
export async function reauthenticate(tx: ReadTransaction, clock: Clock, caller: Caller): Promise<Caller> {
  if (caller.accessToken !== undefined) {
    const found = await findBasisInForce(tx, caller.accessToken, clock.nowMs());
    if (found === undefined || !found.mayCallApi()) throw tokenInvalidFor(caller.accessToken.jkt);
    return { ...caller, ...toTokenCaller(found, caller.accessToken), ...(await readRolesOf(tx, found)) };
  }
  const token = caller.tokenId === undefined ? undefined : await findToken(tx, caller.tokenId);
  if (token === undefined || !isInForce(token, clock)) throw tokenInvalid();
  return { ...caller, isLimited: token.isLimited, ...(await readCarriedRoles(tx, token)) };
}

/** Returns the caller of an access token, but for the roles. One of a login carries all roles of its user. */
function toTokenCaller(
  { user, credential, authorization }: BasisInForce,
  accessToken: CallerAccessToken,
): Omit<Caller, "held" | "heldUntil"> {
  return {
    userId: user.id,
    organizationId: user.organizationId,
    tokenId: credential?.tokenId,
    tokenExpirationMs: accessToken.expirationMs,
    accessToken,
    login: authorization && {
      sessionId: authorization.sessionId,
      authTimeMs: authorization.authTimeMs,
      methods: authorization.methods,
      isMultiFactor: isMultiFactor(authorization.methods),
    },
    isLimited: credential?.isLimited ?? false,
  };
}

/** Raises TOKEN_INVALID when the token has expired since the caller was looked up. */
export function requireUnexpired(caller: Caller, clock: Clock): void {
  if (isExpired(caller.tokenExpirationMs, clock)) throw tokenInvalidFor(caller.accessToken?.jkt);
}

function isExpired(expirationMs: number | undefined, clock: Clock): boolean {
  return expirationMs !== undefined && expirationMs <= clock.nowMs();
}

function isInForce(token: NonNullable<Awaited<ReturnType<typeof findToken>>>, clock: Clock): boolean {
  return (
    !isExpired(token.expirationMs, clock) &&
    token.userState === "ACTIVE" &&
    token.organizationState === "ACTIVE"
  );
}

/** An empty header names no scheme, which counts as another one than ours. */
function hasOtherScheme(authorization: string): boolean {
  if (authorization === "") return true;
  const scheme = /^([A-Za-z][A-Za-z0-9-]*) +\S/.exec(authorization)?.[1];
  return scheme !== undefined && !["bearer", "dpop"].includes(scheme.toLowerCase());
}

function tokenMissing(): Problem {
  return new Problem({
    kind: "unauthenticated",
    reason: "TOKEN_MISSING",
    message: "send a token in the header authorization: Bearer <token>, or DPoP <token> with a proof",
  });
}

/** Where the metadata of our API are, below the issuer (RFC 9728 §3.1). */
export const resourceMetadataPath = "/.well-known/oauth-protected-resource";

const unacceptable = "the token is malformed, unknown, expired or removed, or its user is not active";

function tokenInvalid(what: Partial<ProblemInit> = {}): Problem {
  return new Problem({ kind: "unauthenticated", reason: "TOKEN_INVALID", message: unacceptable, ...what });
}

/** RFC 9449 §7.1: a caller who has sent a proof, of the key `jkt`, gets the challenge of that scheme. */
function tokenInvalidFor(jkt: string | undefined): Problem {
  return jkt === undefined
    ? tokenInvalid()
    : tokenInvalid({ challenge: toProofChallenge("invalid_token", unacceptable) });
}

/** Returns the problem of a call whose proof is not accepted. `fault` says what is wrong, without a value of the call. */
export function proofInvalid(fault: string): Problem {
  const challenge = toProofChallenge("invalid_dpop_proof", fault);
  return tokenInvalid({ message: fault, metadata: { proof: fault }, challenge });
}

/** RFC 9449 §7.2: a token that is bound comes with a proof of its key, and another one comes without. */
function wronglyBound(): Problem {
  const message =
    "send a token that is bound to a key by the scheme DPoP with a proof of that key, and any other by Bearer";
  return tokenInvalid({ message, challenge: toProofChallenge("invalid_token", message) });
}
