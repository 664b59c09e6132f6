import { createPublicKey, hash } from "node:crypto";
import type { PublicJwk } from "../../base/public-key.ts";
import type { VerificationKey } from "../../features/users/keys/repository.ts";

/** A JWT with which a client says who it is (RFC 7523 §3), read but not verified. */
export interface Assertion {
  readonly text: string;
  readonly algorithm: AssertionAlgorithm;
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

/** The keys that each algorithm needs (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2). `none` and HMAC are not among them. */
const keysOfAlgorithms = {
  RS256: "RSA",
  RS384: "RSA",
  RS512: "RSA",
  PS256: "RSA",
  PS384: "RSA",
  PS512: "RSA",
  ES256: "P-256",
  ES384: "P-384",
  EdDSA: "Ed25519",
  Ed25519: "Ed25519",
} as const;

/** An algorithm that assertions may be signed with. */
export type AssertionAlgorithm = keyof typeof keysOfAlgorithms;

/** All of them. */
export const assertionAlgorithms = Object.keys(keysOfAlgorithms) as readonly AssertionAlgorithm[]; // it has no other keys

const skewSeconds = 30;
const maxLifetimeSeconds = 3600;

/**
 * Reads an assertion. Returns undefined for what is no JWT that could be accepted: a required claim is missing or of another type,
 * `iss` is not `sub`, or the algorithm is not one of ours (RFC 7523 §3, RFC 8725 §3.1).
 */
export function parseAssertion(text: string): Assertion | undefined {
  const parts = text.split(".");
  const [header, claims] = [parseJson(parts[0]), parseJson(parts[1])];
  if (parts.length !== 3 || header === undefined || claims === undefined) return undefined;
  const { alg: algorithm, kid: keyId, crit } = header;
  const { iss, sub, aud, exp, iat, nbf, jti } = claims;
  // RFC 7515 §4.1.11: extensions that are not understood must be refused, and we understand none.
  if (crit !== undefined || !isAlgorithm(algorithm) || !isOptional(keyId, isText)) return undefined;
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
  keys: readonly VerificationKey[],
): Promise<VerificationKey | undefined> {
  const { compactVerify } = await import("jose");
  const fitting = keys.filter(
    ({ id, publicKey }) =>
      typeOf(publicKey) === keysOfAlgorithms[algorithm] && (keyId === undefined || keyId === id),
  );
  for (const key of fitting) {
    const publicKey = createPublicKey({ key: { ...key.publicKey }, format: "jwk" });
    const isSigned = await compactVerify(text, publicKey, { algorithms: [algorithm] }).then(
      () => true,
      () => false, // whatever is wrong with it, this key did not sign it
    );
    if (isSigned) return key;
  }
  return undefined;
}

/** Names the one use of an assertion, by its `jti` or as a whole, and says until when it could be sent again. */
export function toUse(assertion: Assertion): { readonly hash: string; readonly expirationMs: number } {
  const { subject, jwtId, text, expirationSeconds } = assertion;
  const name = jwtId === undefined ? text : JSON.stringify([subject, jwtId]);
  return { hash: hash("sha256", name, "base64url"), expirationMs: (expirationSeconds + skewSeconds) * 1000 };
}

function typeOf(key: PublicJwk): string {
  return key.kty === "RSA" ? key.kty : key.crv;
}

function parseJson(part: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const bytes = Buffer.from(part ?? "", "base64url");
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return value as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function isAlgorithm(value: unknown): value is AssertionAlgorithm {
  return typeof value === "string" && Object.hasOwn(keysOfAlgorithms, value);
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
