import type { FeatureContext } from "../features/context.ts";
import { deleteExpiredTokens } from "../features/access-tokens/repository.ts";
import { deleteExpiredUses } from "./clients/repository.ts";

/** How many rows of a table one write deletes, so that no other write waits for long. */
const portion = 500;

/** Deletes what has expired: access tokens, notes of revoked ones, uses of assertions, counts of wrong tries. */
export async function sweepExpired({
  database,
  clock,
}: Pick<FeatureContext, "database" | "clock">): Promise<void> {
  for (const deleteExpired of [deleteExpiredTokens, deleteExpiredUses]) {
    let count: number;
    do {
      const expired = { nowMs: clock.nowMs(), limit: portion };
      count = await database.write((tx) => deleteExpired(tx, expired));
    } while (count === portion);
  }
}
