import type { WriteTransaction } from "../kernel/base/database.ts";
import type { FeatureContext } from "./context.ts";

/** Deletes at most `limit` rows of a table whose time was over at `nowMs`, and returns how many. */
export type DeleteExpired = (
  tx: WriteTransaction,
  expired: { readonly nowMs: number; readonly limit: number },
) => Promise<number>;

/** How many rows of a table one write deletes, so that no other write waits for long. */
const portion = 500;

/** Deletes all rows whose time is over, from one table after the other. For the background. */
export async function deleteAllExpired(
  { database, clock }: Pick<FeatureContext, "database" | "clock">,
  tables: readonly DeleteExpired[],
): Promise<void> {
  for (const deleteExpired of tables) {
    let count: number;
    do {
      const expired = { nowMs: clock.nowMs(), limit: portion };
      count = await database.write((tx) => deleteExpired(tx, expired));
    } while (count === portion);
  }
}
