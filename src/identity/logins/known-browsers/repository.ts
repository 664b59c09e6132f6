import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import { hasName } from "../../../kernel/base/names/unique-name.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { KnownBrowser } from "./known-browser.ts";

/** What events do to known browsers, which are not made from the log: they are forgotten with their user. */
export const knownBrowserProjection: Projection = {
  tables: [],
  on: {
    "user.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM known_browsers WHERE user_id = ?", [aggregateId]);
    },
  },
};

/**
 * Finds the name of the browser with that cookie for the user of that name; undefined if the user has not logged in there. It stays
 * as it is when the cookie changes: tries are counted under it, and a user who may log in there as somebody else must not get new
 * ones.
 */
export async function findBrowserName(
  tx: ReadTransaction,
  asked: { readonly hash: string; readonly username: string; readonly nowMs: number },
): Promise<string | undefined> {
  const named = hasName("u.folded_username", asked.username);
  const row = await tx.get<{ first_hash: string }>(
    `SELECT b.first_hash FROM known_browsers b JOIN users u ON u.id = b.user_id
     WHERE b.hash = ? AND b.expiration_ms > ? AND ${named.sql}`,
    [asked.hash, asked.nowMs, ...named.parameters],
  );
  return row?.first_hash;
}

/** Remembers a browser, which has a new cookie from now on. `formerHash` is that of its cookie before, if it had one. */
export async function putKnownBrowser(
  tx: WriteTransaction,
  { hash, userId, expirationMs }: KnownBrowser,
  formerHash: string | undefined,
): Promise<void> {
  if (formerHash !== undefined)
    await tx.run("UPDATE known_browsers SET hash = ? WHERE hash = ?", [hash, formerHash]);
  await tx.run(
    `INSERT INTO known_browsers (hash, first_hash, user_id, expiration_ms) VALUES (?, ?, ?, ?)
     ON CONFLICT (hash, user_id) DO UPDATE SET expiration_ms = excluded.expiration_ms`,
    [hash, hash, userId, expirationMs],
  );
}

/** Deletes at most `limit` browsers whose time is over. Returns how many. */
export async function deleteExpiredBrowsers(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM known_browsers WHERE (hash, user_id) IN
       (SELECT hash, user_id FROM known_browsers WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}
