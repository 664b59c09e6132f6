import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { AssertionUse } from "./assertion-use.ts";

/** Remembers an assertion or a proof until its time is over. Returns whether this was its first use, among all processes. */
export async function useAssertion(
  tx: WriteTransaction,
  { hash, expirationMs }: Pick<AssertionUse, "hash" | "expirationMs">,
): Promise<boolean> {
  const added = await tx.change(
    "INSERT INTO used_assertions (hash, expiration_ms) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING",
    [hash, Math.ceil(expirationMs)],
  );
  return added === 1;
}

/** Deletes at most `limit` uses whose time is over. Returns how many. */
export async function deleteExpiredUses(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM used_assertions WHERE hash IN
       (SELECT hash FROM used_assertions WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}
