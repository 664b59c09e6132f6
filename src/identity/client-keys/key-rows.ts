import { type DetailsRow, toDetails } from "../../kernel/base/details.ts";
import type { TokenId } from "../../kernel/base/ids.ts";
import type { PublicJwk } from "../../kernel/base/public-key.ts";
import type { ClientKey, VerificationKey } from "./client-key.ts";

/** A row of a table of keys, as their owners see them. */
export interface ClientKeyRow extends DetailsRow {
  readonly id: TokenId;
  readonly expiration_ms: number | null;
}

/** Converts a row to the key that its owner sees. */
export function toClientKey(row: ClientKeyRow): ClientKey {
  return { id: row.id, details: toDetails(row), expirationMs: row.expiration_ms ?? undefined };
}

/** A row of a table of keys, as signatures are verified with them. */
export interface VerificationKeyRow {
  readonly id: TokenId;
  readonly public_key: string;
  readonly expiration_ms: number | null;
}

/** Converts a row to the key that verifies signatures. */
export function toVerificationKey(row: VerificationKeyRow): VerificationKey {
  return {
    id: row.id,
    publicKey: JSON.parse(row.public_key) as PublicJwk, // as the event has it
    expirationMs: row.expiration_ms ?? undefined,
  };
}
