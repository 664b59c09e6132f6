import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import type { Details } from "../../../base/details.ts";
import type { TokenId, UserId } from "../../../base/ids.ts";
import { notFound, Problem } from "../../../base/problem.ts";
import { parseClientKey, type PublicJwk } from "../../../base/public-key.ts";
import { Secret } from "../../../base/secret.ts";
import type { NewEvent } from "../../../events/event.ts";

/** A key of a service user as its owner sees it. */
export interface ServiceUserKey {
  readonly id: TokenId;
  readonly details: Details;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** Maximum number of keys of a user, those that have expired included. */
export const maxKeys = 20;

/** A pair of keys: the private one in PEM (PKCS #1), undefined when the caller keeps it. */
export interface ClientKeyPair {
  readonly publicKey: PublicJwk;
  readonly privateKey: Secret | undefined;
}

/** Takes the caller's public key. Raises KEY_INVALID. */
export function requirePublicKey(bytes: Uint8Array): ClientKeyPair {
  const publicKey = parseClientKey(bytes);
  if (publicKey === undefined) throw keyInvalid();
  return { publicKey, privateKey: undefined };
}

/** Makes an RSA key of 2048 bits, outside of the event loop. */
export async function makeClientKeyPair(): Promise<ClientKeyPair> {
  const pair = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  const pem = pair.privateKey.export({ format: "pem", type: "pkcs1" });
  const { n = "", e = "" } = pair.publicKey.export({ format: "jwk" });
  return { publicKey: { kty: "RSA", n, e }, privateKey: new Secret(pem) };
}

/** Decides to add a key. `expirationMs` absent = never expires. */
export function addServiceUserKey(key: {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly organizationId: string;
  readonly publicKey: PublicJwk;
  readonly expirationMs?: number | undefined;
  /** The token of the call. */
  readonly madeWithTokenId: TokenId;
}): NewEvent {
  const { expirationMs } = key;
  return {
    type: "user.key.added",
    aggregateId: key.userId,
    resourceOwner: key.organizationId,
    payload: {
      key_id: key.id,
      public_key: JSON.stringify(key.publicKey),
      ...(expirationMs === undefined ? {} : { expiration_date: new Date(expirationMs).toISOString() }),
      made_with_token_id: key.madeWithTokenId,
    },
  };
}

/** Decides to remove a key. */
export function removeServiceUserKey(key: ServiceUserKey & { readonly userId: UserId }): NewEvent {
  return {
    type: "user.key.removed",
    aggregateId: key.userId,
    resourceOwner: key.details.resourceOwner,
    payload: { key_id: key.id },
  };
}

/** Makes the file with a private key, in the form that the libraries of ZITADEL read. */
export function toKeyFile(key: {
  readonly id: TokenId;
  readonly userId: UserId;
  readonly privateKey: Secret;
}): Secret {
  const { id, userId, privateKey } = key;
  return new Secret(JSON.stringify({ type: "serviceaccount", keyId: id, key: privateKey.reveal(), userId }));
}

/** Returns the problem of a key that does not exist or belongs to another user. */
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
