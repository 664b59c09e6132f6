import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { TokenId } from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { CommandTransaction, FeatureContext } from "../context.ts";
import { requireLasting } from "./membership.ts";
import { questionFactors } from "./question-factors.ts";
import { stopKnownLogins } from "./stop-known-logins.ts";
import { findTokensToLimit, type Gain } from "./tokens-to-limit.ts";

/** What a write decides about a user who gains roles in it. */
export interface SettledGain<G extends Gain = Gain> {
  readonly gain: G;
  /** Tokens of the user that do not carry the roles. */
  readonly limitedTokenIds: readonly TokenId[];
}

/**
 * Decides for each gain what others know of the ways by which the user logs in, and which tokens do not carry the roles. Keeps users
 * with a role on the instance from being locked out, and callers from prolonging what they have themselves. Append the events that it
 * returns together with the gains. Raises LOCKS_OUT, PERMISSION_DENIED.
 */
export async function settleGains<G extends Gain>(
  context: Pick<FeatureContext, "waysIn">,
  command: CommandTransaction,
  gains: readonly G[],
): Promise<{ readonly settled: readonly SettledGain<G>[]; readonly events: readonly NewEvent[] }> {
  const { caller } = command.call;
  for (const { userId, scope, gained, until } of gains)
    if (userId === caller.userId) requireLasting(caller.held, { scope, roles: gained }, until);
  for (const { userId, scope } of gains)
    await context.waysIn?.keep(command, { of: "user", userId, isGain: scope.kind === "instance" });
  const settled: SettledGain<G>[] = [];
  // A user who gains several memberships at once has the same events of each.
  const events = new Map<string, NewEvent>();
  for (const gain of gains) {
    const limitedTokenIds = await findTokensToLimit(command.tx, gain);
    settled.push({ gain, limitedTokenIds });
    for (const event of await listStops(command.tx, gain, limitedTokenIds))
      events.set(JSON.stringify(event), event);
    if (settled.length % pauseAfter === 0) await command.tx.pause();
  }
  return { settled, events: [...events.values()] };
}

/** After so many gains other work gets a turn: a group with a membership may have a thousand members. */
const pauseAfter = 16;

async function listStops(
  tx: WriteTransaction,
  gain: Gain,
  limitedTokenIds: readonly TokenId[],
): Promise<readonly NewEvent[]> {
  return [...(await questionFactors(tx, gain, limitedTokenIds)), ...(await stopKnownLogins(tx, gain))];
}
