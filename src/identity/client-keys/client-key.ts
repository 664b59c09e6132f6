import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Details } from "../../kernel/base/details.ts";
import type { TokenId } from "../../kernel/base/ids.ts";
import { notFound, Problem } from "../../kernel/base/problem.ts";
import { parseClientKey, type PublicJwk } from "../../kernel/base/public-key.ts";
import { Secret } from "../../kernel/base/secret.ts";

/** A key of a service user or an application as its owner sees it. */
export interface ClientKey {
  readonly id: TokenId;
  readonly details: Details;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** A key that signatures of its owner are verified with. */
export interface VerificationKey {
  readonly id: TokenId;
  readonly publicKey: PublicJwk;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** Maximum number of keys of an owner, those that have expired included. */
export const maxKeys = 20;

/** A pair of keys: the private one in PEM (PKCS #1), undefined when the caller keeps it. */
export interface ClientKeyPair {
  readonly publicKey: PublicJwk;
  readonly privateKey: Secret | undefined;
}

/** Takes the public key that the caller sent, or makes a pair when there is none (no bytes). Raises KEY_INVALID. */
export async function toClientKeyPair(sent: Uint8Array): Promise<ClientKeyPair> {
  return sent.length > 0 ? requirePublicKey(sent) : await makeClientKeyPair();
}

/** Takes the caller's public key. Raises KEY_INVALID. */
function requirePublicKey(bytes: Uint8Array): ClientKeyPair {
  const publicKey = parseClientKey(bytes);
  if (publicKey === undefined) throw keyInvalid();
  return { publicKey, privateKey: undefined };
}

/** Makes an RSA key of 2048 bits, outside of the event loop. */
async function makeClientKeyPair(): Promise<ClientKeyPair> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const pem = pair.privateKey.export({ format: "pem", type: "pkcs1" });
  const { n = "", e = "" } = pair.publicKey.export({ format: "jwk" });
  return { publicKey: { kty: "RSA", n, e }, privateKey: new Secret(pem) };
}

/** Returns the public key and the expiration as events hold them. `expirationMs` absent = never expires. */
export function toKeyPayload(key: {
  readonly id: TokenId;
  readonly publicKey: PublicJwk;
  readonly expirationMs?: number | undefined;
}) {
  const { id, publicKey, expirationMs } = key;
  return {
    key_id: id,
    public_key: JSON.stringify(publicKey),
    ...(expirationMs === undefined ? {} : { expiration_date: new Date(expirationMs).toISOString() }),
  };
}

/** Returns the problem of a key that does not exist or belongs to another owner. */
export function keyNotFound(id: string): Problem {
  return notFound("key", id);
}

function keyInvalid(): Problem {
  return new Problem({
    kind: "invalid",
    reason: "KEY_INVALID",
    message:
      "public_key must be a public key in PEM (SubjectPublicKeyInfo) or a JSON Web Key without private members: RSA with 2048 to 8192 bits, P-256, P-384 or Ed25519",
  });
}
