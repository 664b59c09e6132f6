import type { UserId } from "../../../kernel/base/ids.ts";
import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
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
 * Returns the parts that the keys of counters of tries get for a browser in which the user has logged in before, so that strangers who use up
 * the tries of the user do not shut the user out; empty for any other browser.
 */
export async function nameBrowser(
  tx: ReadTransaction,
  asked: {
    readonly userId: UserId | undefined;
    readonly browserHash: string | undefined;
    readonly nowMs: number;
  },
): Promise<readonly string[]> {
  const { userId, browserHash: hash, nowMs } = asked;
  if (userId === undefined || hash === undefined) return [];
  const name = await findBrowserName(tx, { hash, userId, nowMs });
  return name === undefined ? [] : ["known", name];
}

/**
 * Finds the name of the browser with that cookie for the user; undefined if the user has not logged in there. It stays
 * as it is when the cookie changes: tries are counted under it, and a user who may log in there as somebody else must not get new
 * ones.
 */
async function findBrowserName(
  tx: ReadTransaction,
  asked: { readonly hash: string; readonly userId: UserId; readonly nowMs: number },
): Promise<string | undefined> {
  const row = await tx.get<{ first_hash: string }>(
    "SELECT first_hash FROM known_browsers WHERE hash = ? AND user_id = ? AND expiration_ms > ?",
    [asked.hash, asked.userId, asked.nowMs],
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
