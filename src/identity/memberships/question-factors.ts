import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { TokenId } from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { listWayLineages } from "../factors/reviews/repository.ts";
import type { WayLineage } from "../factors/reviews/review.ts";
import { type Gain, isCarriedByMaker } from "./tokens-to-limit.ts";

/**
 * Decides which ways to log in the user who gains roles is asked about at the next login: those that others have set, unless
 * they hold the roles themselves at this moment, and those that were set with a token of the user that does not carry
 * the roles, or is gone. Append the events that it returns together with the gain.
 */
export async function questionFactors(
  tx: WriteTransaction,
  gain: Gain,
  limitedTokenIds: readonly TokenId[],
): Promise<readonly NewEvent[]> {
  if (gain.gained.length === 0) return [];
  const events: NewEvent[] = [];
  for (const way of await listWayLineages(tx, gain.userId))
    if (!(await isHarmless(tx, way, { gain, limitedTokenIds }))) events.push(way.question);
  return events;
}

async function isHarmless(
  tx: WriteTransaction,
  way: WayLineage,
  { gain, limitedTokenIds }: { readonly gain: Gain; readonly limitedTokenIds: readonly TokenId[] },
): Promise<boolean> {
  const { creator, madeWithTokenId, parentUserId } = way;
  if (creator === "system") return true;
  if (creator !== gain.userId) return await isCarriedByMaker(tx, way, gain);
  if (madeWithTokenId === undefined) return true;
  // The maker of a token that is gone is not known any more.
  return parentUserId !== undefined && !limitedTokenIds.includes(madeWithTokenId);
}
