import { hash } from "node:crypto";
import { type ClientAlgorithm, isKeyOf, isOfOtherKind, readJwtOrFault } from "../../../kernel/base/jws.ts";
import { isSignedBy, signedPartOf } from "../../../kernel/base/signature.ts";
import type { AssertionUse } from "../../../identity/protocol-state/assertion-uses/assertion-use.ts";
import type { VerificationKey } from "../../../identity/client-keys/client-key.ts";
import type { ImportKey } from "./key-imports.ts";

/** A JWT with which a client identifies itself (RFC 7523 §3), read but not verified. */
export interface Assertion {
  readonly text: string;
  readonly algorithm: ClientAlgorithm;
  /** `kid`: the key that is said to have signed it; undefined when it does not say. */
  readonly keyId: string | undefined;
  /** `sub`, which is the same as `iss`. */
  readonly subject: string;
  readonly audiences: readonly string[];
  /** Whether `aud` is a list of them, and no text. */
  readonly hasAudienceList: boolean;
  /** Undefined when it does not say. */
  readonly issuedSeconds: number | undefined;
  readonly expirationSeconds: number;
  readonly notBeforeSeconds: number | undefined;
  readonly jwtId: string | undefined;
}

/** What assertions may name as their type (draft-ietf-oauth-rfc7523bis §3), if they name one. */
const kinds = ["client-authentication+jwt", "authorization-grant+jwt"];
const skewSeconds = 30;
const maxLifetimeSeconds = 3600;

/**
 * Reads an assertion, or says which rule makes it one that cannot be accepted: it is no JWT, a required claim is missing or of another
 * type, `iss` is not `sub`, the algorithm is not one of ours, or `typ` names another kind of JWT (RFC 7523 §3, RFC 8725 §3.1, §3.11).
 * `iat` and `jti` are optional.
 */
export function parseAssertion(text: string): Assertion | { readonly fault: string } {
  const jwt = readJwtOrFault(text);
  if ("fault" in jwt) return fault(jwt.fault);
  const { algorithm } = jwt;
  if (isOfOtherKind(jwt.header, kinds)) return fault("must not have the typ of another kind of JWT");
  const { kid: keyId } = jwt.header;
  const { iss, sub, aud, exp, iat, nbf, jti } = jwt.claims;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!isOptional(keyId, isText)) return fault("must have a text as kid, or none");
  if (!isText(sub) || sub === "") return fault("must have the client id as sub");
  if (iss !== sub) return fault("must have the client id as iss and as sub");
  if (aud === undefined || !audiences.every(isText)) return fault("must have a text, or several, as aud");
  if (!isNumber(exp)) return fault("must have a number of seconds as exp");
  if (!isOptional(iat, isNumber)) return fault("must have a number of seconds as iat, or none");
  if (!isOptional(nbf, isNumber)) return fault("must have a number of seconds as nbf, or none");
  if (!isOptional(jti, isText)) return fault("must have a text as jti, or none");
  return {
    text,
    algorithm,
    keyId,
    subject: sub,
    audiences,
    hasAudienceList: Array.isArray(aud),
    issuedSeconds: iat,
    expirationSeconds: exp,
    notBeforeSeconds: nbf,
    jwtId: jti,
  };
}

/**
 * Says what is wrong with the claims of an assertion; undefined when they are good. It must be made for one of the audiences, be in
 * force, give or take 30 seconds, and live for an hour at most: from `iat` on, or from now on if it does not say when it was made.
 */
export function findFaultInClaims(
  assertion: Assertion,
  expected: { readonly audiences: readonly string[]; readonly nowMs: number },
): string | undefined {
  const { audiences, issuedSeconds, expirationSeconds, notBeforeSeconds } = assertion;
  const nowSeconds = expected.nowMs / 1000;
  if (!audiences.some((audience) => expected.audiences.includes(audience)))
    return `the assertion must have aud ${expected.audiences.join(" or ")}`;
  if (expirationSeconds + skewSeconds <= nowSeconds) return "the assertion has expired: exp lies in the past";
  if ((issuedSeconds ?? nowSeconds) - skewSeconds > nowSeconds)
    return "the assertion is not valid yet: iat lies in the future";
  if ((notBeforeSeconds ?? nowSeconds) - skewSeconds > nowSeconds)
    return "the assertion is not valid yet: nbf lies in the future";
  if (issuedSeconds === undefined && expirationSeconds - skewSeconds - nowSeconds > maxLifetimeSeconds)
    return "the assertion lives too long: without iat, exp must be at most an hour from now";
  if (issuedSeconds !== undefined && expirationSeconds - issuedSeconds > maxLifetimeSeconds)
    return "the assertion lives too long: exp must be at most an hour after iat";
  return undefined;
}

function fault(rule: string): { readonly fault: string } {
  return { fault: `the assertion ${rule}` };
}

/** Finds the key that has signed the assertion; undefined if none of the keys has. */
export async function findSigningKey(
  { text, algorithm, keyId }: Assertion,
  { keys, importKey }: { readonly keys: readonly VerificationKey[]; readonly importKey: ImportKey },
): Promise<VerificationKey | undefined> {
  const fitting = keys.filter(
    ({ id, publicKey }) => isKeyOf(algorithm, publicKey) && (keyId === undefined || keyId === id),
  );
  for (const key of fitting) {
    const publicKey = importKey(key.publicKey);
    if (await isSignedBy(text, { algorithm, publicKey })) return key;
  }
  return undefined;
}

/**
 * Names the one use of an assertion, by its `jti` or by all that is signed, and says until when it could be sent again. The signature
 * does not count: from one of ECDSA anybody can make another that is as good.
 */
export function toUse(assertion: Assertion): AssertionUse {
  const { subject, jwtId, text, expirationSeconds } = assertion;
  const name = jwtId === undefined ? signedPartOf(text) : JSON.stringify([subject, jwtId]);
  const expirationMs = (expirationSeconds + skewSeconds) * 1000;
  return { kind: "assertion", hash: hash("sha256", name, "base64url"), expirationMs };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isOptional<T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined {
  return value === undefined || is(value);
}
