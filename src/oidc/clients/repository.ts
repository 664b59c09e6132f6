import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";
import { findSecret } from "../../events/secret-store.ts";
import { listVerificationKeys } from "../../features/users/keys/repository.ts";
import { findSecretOfUser } from "../../features/users/secrets/repository.ts";
import { clientSecretHashId } from "../../features/users/tokens/token.ts";
import { findUserById } from "../../features/users/user/repository.ts";
import type { Client, ClientSecret } from "./client.ts";

/** Finds a client by its id, whatever its state: for service users the id of the user. */
export async function findClient(
  tx: ReadTransaction,
  clientId: string,
  nowMs: number,
): Promise<Client | undefined> {
  const user = await findUserById(tx, clientId);
  if (user?.kind !== "service") return undefined;
  return {
    kind: "service-user",
    id: user.id,
    accessTokenType: user.accessTokenType,
    signingAlgorithm: user.signingAlgorithm,
    keys: await listVerificationKeys(tx, user.id, nowMs),
    secret: await findClientSecret(tx, user, nowMs),
  };
}

async function findClientSecret(
  tx: ReadTransaction,
  user: Pick<Client, "id">,
  nowMs: number,
): Promise<ClientSecret | undefined> {
  const secret = await findSecretOfUser(tx, user.id);
  if (secret === undefined || (secret.expirationMs ?? Infinity) <= nowMs) return undefined;
  const stored = await findSecret(tx, clientSecretHashId(secret.id));
  return stored && { id: secret.id, expirationMs: secret.expirationMs, hash: stored.value };
}

/** Remembers an assertion until its time is over. Returns whether this was its first use. */
export async function useAssertion(
  tx: WriteTransaction,
  use: { readonly hash: string; readonly expirationMs: number },
): Promise<boolean> {
  const added = await tx.change(
    "INSERT INTO used_assertions (hash, expiration_ms) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
    [use.hash, Math.ceil(use.expirationMs)],
  );
  return added === 1;
}

/** Wrong tries of a client from an address. */
export interface Tries {
  readonly count: number;
  /** When they are forgotten. */
  readonly expirationMs: number;
}

/** Finds the tries that are not forgotten yet. */
export async function findTries(
  tx: ReadTransaction,
  hash: string,
  nowMs: number,
): Promise<Tries | undefined> {
  const row = await tx.get<{ count: number; expiration_ms: number }>(
    "SELECT count, expiration_ms FROM client_tries WHERE hash = ? AND expiration_ms > ?",
    [hash, nowMs],
  );
  return row && { count: row.count, expirationMs: row.expiration_ms };
}

/** Counts a wrong try. The first one decides when all of them are forgotten. */
export async function putTries(tx: WriteTransaction, hash: string, tries: Tries): Promise<void> {
  await tx.run(
    `INSERT INTO client_tries (hash, count, expiration_ms) VALUES (?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET count = excluded.count, expiration_ms = excluded.expiration_ms`,
    [hash, tries.count, tries.expirationMs],
  );
}

/** Deletes at most `limit` assertions, and as many counts of tries, whose time is over. Returns how many of the larger kind. */
export async function deleteExpiredUses(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  const assertions = await tx.change(
    `DELETE FROM used_assertions WHERE hash IN
       (SELECT hash FROM used_assertions WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
  const tries = await tx.change(
    `DELETE FROM client_tries WHERE hash IN
       (SELECT hash FROM client_tries WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
  return Math.max(assertions, tries);
}
