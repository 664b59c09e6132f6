import type { TokenId, UserId } from "../../base/ids.ts";
import { equalBytes, type Secret } from "../../base/secret.ts";
import type { SigningAlgorithm } from "../../features/signing-keys/signing-key.ts";
import type { VerificationKey } from "../../features/users/keys/repository.ts";
import type { AccessTokenType } from "../../features/users/user/user.ts";
import { hashToken } from "../../features/users/tokens/token.ts";

/** A service user as a client: it acts for itself. Other kinds of clients will be other members of a union. */
export interface Client {
  readonly kind: "service-user";
  readonly id: UserId;
  readonly accessTokenType: AccessTokenType;
  readonly signingAlgorithm: SigningAlgorithm;
  /** Those that have not expired. */
  readonly keys: readonly VerificationKey[];
  /** Undefined when there is none, or it has expired. */
  readonly secret: ClientSecret | undefined;
}

/** A client secret, of which only the hash is known. */
export interface ClientSecret {
  readonly id: TokenId;
  readonly hash: Uint8Array;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** The key or secret with which a client has authenticated. */
export interface UsedCredential {
  readonly id: TokenId;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** Says in constant time whether that is the secret of the client. */
export function isSecretOf({ secret }: Client, given: Secret): boolean {
  if (secret === undefined) return false;
  return equalBytes(secret.hash, hashToken(given.reveal()));
}
