import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { isEd25519Key } from "./ed25519-point.ts";
import { decode, malformedCredential } from "./refusal.ts";

/** COSE numbers of the algorithms that are offered and accepted, best supported first: ES256, EdDSA, RS256. */
export const supportedAlgorithms: readonly number[] = [-7, -8, -257];

/** A key that verifies signatures with one algorithm. */
export interface VerifyingKey {
  readonly key: KeyObject;
  /** Undefined if the algorithm hashes by itself. */
  readonly hash: string | undefined;
}

/** The key of a credential. */
export interface PublicKey extends VerifyingKey {
  /** COSE number of the algorithm: one of `supportedAlgorithms`. */
  readonly algorithm: number;
}

/** Says whether a signature of the data is good. One with ECDSA must be DER (WebAuthn §6.5.5), on which OpenSSL insists. */
export function isSigned({ key, hash }: VerifyingKey, data: Uint8Array, signature: Uint8Array): boolean {
  return verify(hash, data, key, signature);
}

/**
 * Checks that a COSE key (RFC 9053) is of one of these algorithms, can verify signatures, and cannot be signed for
 * without the private key. Raises U2F_CREDENTIAL_MALFORMED.
 */
export function toPublicKey(cose: unknown): PublicKey {
  const what = "the public key";
  if (!(cose instanceof Map)) throw malformedCredential(`${what} is not a map`);
  const parameters: ReadonlyMap<unknown, unknown> = cose;
  const algorithm = parameters.get(3);
  if (typeof algorithm !== "number") throw malformedCredential(`${what} has no algorithm`);
  const jwk = toJwk(parameters, algorithm);
  if (jwk === undefined) throw malformedCredential(`${what} is not a valid key of an offered algorithm`);
  const key = decode(() => createPublicKey({ key: jwk, format: "jwk" }), what); // refuses P-256 points that are not on the curve
  return { key, hash: algorithm === -8 ? undefined : "sha256", algorithm };
}

/**
 * Accepts no parameters beyond those that the key needs, WebAuthn §6.5.1: they would be stored, possibly megabytes.
 */
function toJwk(key: ReadonlyMap<unknown, unknown>, algorithm: number) {
  const read = (label: number, least: number, most: number) => {
    const value = key.get(label);
    const fits = value instanceof Uint8Array && value.length >= least && value.length <= most;
    return fits ? Buffer.from(value) : undefined;
  };
  const kind = `${String(key.get(1))}/${algorithm}/${key.size}`;
  if (kind === "2/-7/5" && key.get(-1) === 1) return toEcKey(read(-2, 32, 32), read(-3, 32, 32));
  if (kind === "1/-8/4" && key.get(-1) === 6) return toEdKey(read(-2, 32, 32));
  if (kind === "3/-257/4") return toRsaKey(read(-1, 256, 1024), read(-2, 1, 8));
  return undefined;
}

function toEcKey(x: Buffer | undefined, y: Buffer | undefined) {
  if (x === undefined || y === undefined) return undefined;
  return { kty: "EC", crv: "P-256", x: x.toString("base64url"), y: y.toString("base64url") };
}

function toEdKey(x: Buffer | undefined) {
  if (x === undefined || !isEd25519Key(x)) return undefined;
  return { kty: "OKP", crv: "Ed25519", x: x.toString("base64url") };
}

function toRsaKey(n: Buffer | undefined, e: Buffer | undefined) {
  if (n === undefined || e === undefined || !isRsaKey(toNumber(n), toNumber(e))) return undefined;
  return { kty: "RSA", n: n.toString("base64url"), e: e.toString("base64url") };
}

const leastModulus = 2n ** 2047n; // of 2,048 bits, RFC 8230 §6.1
const factorsBelow = 752n;

/**
 * Says whether a modulus and an exponent pass the quick part of NIST SP 800-89 §5.3.3: with e = 1 every text is its
 * own signature, with an even e or n there are no signatures, and anybody who finds the factors of n can sign. It
 * does not check that n is composite: that takes seconds of CPU for the longest keys.
 */
function isRsaKey(n: bigint, e: bigint): boolean {
  if (n < leastModulus || n % 2n === 0n || e < 3n || e % 2n === 0n) return false;
  for (let factor = 3n; factor < factorsBelow; factor += 2n) if (n % factor === 0n) return false;
  return true;
}

function toNumber(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString("hex")}`);
}
