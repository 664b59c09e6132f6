import { hash } from "node:crypto";
import { type ClientAlgorithm, isKeyOf, readClientJwt } from "../../base/jws.ts";
import { isSignedBy, signedPartOf } from "../../base/signature.ts";
import type { AssertionUse } from "../../features/assertion-uses/assertion-use.ts";
import type { VerificationKey } from "../../features/client-keys/client-key.ts";
import type { ImportKey } from "./key-imports.ts";

/** A JWT with which a client says who it is (RFC 7523 §3), read but not verified. */
export interface Assertion {
  readonly text: string;
  readonly algorithm: ClientAlgorithm;
  /** `kid`: the key that is said to have signed it; undefined when it does not say. */
  readonly keyId: string | undefined;
  /** `sub`, which is the same as `iss`. */
  readonly subject: string;
  readonly audiences: readonly string[];
  readonly issuedSeconds: number;
  readonly expirationSeconds: number;
  readonly notBeforeSeconds: number | undefined;
  readonly jwtId: string | undefined;
}

const skewSeconds = 30;
const maxLifetimeSeconds = 3600;

/**
 * Reads an assertion. Returns undefined for what is no JWT that could be accepted: a required claim is missing or of another type,
 * `iss` is not `sub`, or the algorithm is not one of ours (RFC 7523 §3, RFC 8725 §3.1).
 */
export function parseAssertion(text: string): Assertion | undefined {
  const jwt = readClientJwt(text);
  if (jwt === undefined) return undefined;
  const { algorithm } = jwt;
  const { kid: keyId } = jwt.header;
  const { iss, sub, aud, exp, iat, nbf, jti } = jwt.claims;
  if (!isOptional(keyId, isText)) return undefined;
  if (!isText(sub) || sub === "" || iss !== sub) return undefined;
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audiences.every(isText) || !isNumber(exp) || !isNumber(iat)) return undefined;
  if (!isOptional(nbf, isNumber) || !isOptional(jti, isText)) return undefined;
  return {
    text,
    algorithm,
    keyId,
    subject: sub,
    audiences,
    issuedSeconds: iat,
    expirationSeconds: exp,
    notBeforeSeconds: nbf,
    jwtId: jti,
  };
}

/**
 * Says what is wrong with the claims of an assertion; undefined when they are good. It must be made for one of the audiences, be in
 * force, give or take 30 seconds, and live for an hour at most.
 */
export function findFaultInClaims(
  assertion: Assertion,
  expected: { readonly audiences: readonly string[]; readonly nowMs: number },
): string | undefined {
  const { audiences, issuedSeconds, expirationSeconds, notBeforeSeconds = issuedSeconds } = assertion;
  const nowSeconds = expected.nowMs / 1000;
  if (!audiences.some((audience) => expected.audiences.includes(audience)))
    return `aud must be ${expected.audiences.join(" or ")}`;
  if (expirationSeconds + skewSeconds <= nowSeconds) return "the assertion has expired";
  if (issuedSeconds - skewSeconds > nowSeconds) return "iat lies in the future";
  if (notBeforeSeconds - skewSeconds > nowSeconds) return "the assertion is not valid yet";
  if (expirationSeconds - issuedSeconds > maxLifetimeSeconds)
    return "exp must not be more than an hour after iat";
  return undefined;
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
