import { createHash } from "node:crypto";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";

/** Whose challenge it is, and what for. A challenge for one ceremony, login or user is none for another. */
export interface ChallengeBinding {
  /** The login that it belongs to. */
  readonly loginId: string;
  /** Undefined where the answer identifies the user. */
  readonly userId: UserId | undefined;
  readonly ceremony: "registration" | "second-factor" | "passkey" | "passkey-registration";
}

/** Stores the challenge (base64url) of a login, instead of the one before. */
export async function putLoginChallenge(
  tx: WriteTransaction,
  binding: ChallengeBinding,
  challenge: { readonly value: string; readonly expirationMs: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO login_challenges (login_id, hash, expiration_ms) VALUES (?, ?, ?)
     ON CONFLICT (login_id) DO UPDATE SET hash = excluded.hash, expiration_ms = excluded.expiration_ms`,
    [binding.loginId, hashOf(binding, challenge.value), challenge.expirationMs],
  );
}

/** Takes the challenge away. Says whether it was the challenge of the login, and not expired: it is good for one use. */
export async function useLoginChallenge(
  tx: WriteTransaction,
  binding: ChallengeBinding,
  asked: { readonly value: string; readonly nowMs: number },
): Promise<boolean> {
  const used = await tx.change(
    "DELETE FROM login_challenges WHERE login_id = ? AND hash = ? AND expiration_ms > ?",
    [binding.loginId, hashOf(binding, asked.value), asked.nowMs],
  );
  return used === 1;
}

/** Deletes at most `limit` challenges whose time is over, and returns how many. */
export async function deleteExpiredChallenges(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM login_challenges WHERE login_id IN
       (SELECT login_id FROM login_challenges WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}

/** What is stored of it: nothing that would let somebody else answer it, or that says whose it is. */
function hashOf({ userId, ceremony }: ChallengeBinding, value: string): string {
  return createHash("sha256")
    .update(`${ceremony} ${userId ?? ""} ${value}`)
    .digest("base64url");
}
