import type { PublicJwk } from "./public-key.ts";

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

/** An algorithm with which clients may sign what they send. */
export type ClientAlgorithm = keyof typeof keysOfAlgorithms;

/** All of them. */
export const clientAlgorithms = Object.keys(keysOfAlgorithms) as readonly ClientAlgorithm[]; // it has no other keys

/** A JWT in its compact form (RFC 7519 §3), read but not verified. */
export interface UnverifiedJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly algorithm: ClientAlgorithm;
}

/**
 * Reads a JWT that a client has signed. Returns undefined for what is none, for another algorithm than ours (RFC 8725 §3.1), and for
 * one with extensions: those that are not understood must be refused, and we understand none (RFC 7515 §4.1.11).
 */
export function readClientJwt(text: string): UnverifiedJwt | undefined {
  const read = readJwtOrFault(text);
  return "fault" in read ? undefined : read;
}

/** Reads a JWT as `readClientJwt` does, or says which rule it breaks, without a word of it. */
export function readJwtOrFault(text: string): UnverifiedJwt | { readonly fault: string } {
  const parts = text.split(".");
  const [header, claims] = [parseJson(parts[0]), parseJson(parts[1])];
  if (parts.length !== 3 || header === undefined || claims === undefined)
    return { fault: "is not a JWT in the compact form, signed and not encrypted" };
  const { alg: algorithm, crit } = header;
  if (!isAlgorithm(algorithm)) return { fault: `must have alg ${clientAlgorithms.join(", ")}` };
  return crit === undefined ? { header, claims, algorithm } : { fault: "must not have crit" };
}

/**
 * Says whether the header names another kind of JWT than those (RFC 8725 §3.11): a type of its own ends with `+jwt`. Without one, or with
 * another text, a JWT may be of any kind.
 */
export function isOfOtherKind({ typ }: UnverifiedJwt["header"], kinds: readonly string[] = []): boolean {
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : "";
  return type.endsWith("+jwt") && !kinds.includes(type);
}

/** Says whether the algorithm signs with keys of that kind. */
export function isKeyOf(algorithm: ClientAlgorithm, key: PublicJwk): boolean {
  return keysOfAlgorithms[algorithm] === (key.kty === "RSA" ? key.kty : key.crv);
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

function isAlgorithm(value: unknown): value is ClientAlgorithm {
  return typeof value === "string" && Object.hasOwn(keysOfAlgorithms, value);
}
