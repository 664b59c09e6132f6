import { createPublicKey, hash, type KeyObject } from "node:crypto";

/** A public key of RSA, an elliptic curve or Ed25519 as a JSON Web Key (RFC 7518 §6, RFC 8037 §2), without any other member. */
export type PublicJwk =
  | { readonly kty: "RSA"; readonly n: string; readonly e: string }
  | { readonly kty: "EC"; readonly crv: "P-256" | "P-384"; readonly x: string; readonly y: string }
  | { readonly kty: "OKP"; readonly crv: "Ed25519"; readonly x: string };

const minRsaBits = 2048;
/** Verifying with a larger key takes milliseconds, which others would wait for. */
const maxRsaBits = 8192;

/**
 * Reads a public key with which signatures of others are verified: PEM (SubjectPublicKeyInfo, RFC 7468 §13) or a JSON Web Key.
 * Returns undefined for anything else: other algorithms and sizes, private keys, certificates.
 */
export function parseClientKey(bytes: Uint8Array): PublicJwk | undefined {
  const text = Buffer.from(bytes).toString("utf8").trim();
  try {
    return toPublicJwk(text.startsWith("{") ? fromJwk(JSON.parse(text) as Jwk) : fromPem(text));
  } catch {
    return undefined; // whatever is wrong with it, nobody can verify with it
  }
}

/**
 * Reads a public key that comes with what it has signed, as a JSON Web Key. Refuses what `parseClientKey` refuses, and an RSA key
 * whose exponent has more than 32 bits: nobody vouches for the key, and such a one is slow to verify with.
 */
export function parseEmbeddedKey(jwk: unknown): PublicJwk | undefined {
  if (typeof jwk !== "object" || jwk === null) return undefined;
  try {
    const key = fromJwk(jwk as Jwk); // an object, whatever its members
    return (key?.asymmetricKeyDetails?.publicExponent ?? 0n) < 2n ** 32n ? toPublicJwk(key) : undefined;
  } catch {
    return undefined;
  }
}

/** Names a public key by its hash (RFC 7638 §3), in base64url. */
export function toThumbprint(key: PublicJwk): string {
  return hash("sha256", JSON.stringify(toRequiredMembers(key)), "base64url");
}

/** RFC 7638 §3.2, RFC 8037 §2: the members that make the key, in the order of their names. */
function toRequiredMembers(key: PublicJwk): object {
  switch (key.kty) {
    case "RSA":
      return { e: key.e, kty: key.kty, n: key.n };
    case "EC":
      return { crv: key.crv, kty: key.kty, x: key.x, y: key.y };
    case "OKP":
      return { crv: key.crv, kty: key.kty, x: key.x };
  }
}

function fromPem(text: string): KeyObject | undefined {
  // Node would also take the public half of a private key or a certificate.
  if (!/^-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----$/.test(text)) return undefined;
  return createPublicKey(text);
}

type Jwk = Record<string, unknown>;

function fromJwk(jwk: Jwk): KeyObject | undefined {
  if (privateMembers.some((member) => Object.hasOwn(jwk, member))) return undefined;
  return createPublicKey({ key: jwk, format: "jwk" });
}

/** RFC 7518 §6.2.2, §6.3.2 and §6.4.1. */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

function toPublicJwk(key: KeyObject | undefined): PublicJwk | undefined {
  const { kty, crv, n = "", e = "", x = "", y = "" } = key?.export({ format: "jwk" }) ?? {};
  if (kty === "RSA") {
    const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
    return bits >= minRsaBits && bits <= maxRsaBits ? { kty, n, e } : undefined;
  }
  if (kty === "EC" && (crv === "P-256" || crv === "P-384")) return { kty, crv, x, y };
  if (kty === "OKP" && crv === "Ed25519") return { kty, crv, x };
  return undefined;
}
