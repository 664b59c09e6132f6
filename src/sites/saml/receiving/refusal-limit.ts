import type { Clock } from "../../../kernel/base/clock.ts";
import { networkOf } from "../../../kernel/base/network.ts";
import { limitReached } from "../../../kernel/base/problem.ts";

/** Limits how many messages may be refused to one network, since anybody can send what costs work before it is refused. */
export interface RefusalLimit {
  /** Raises LIMIT_REACHED if too many were refused: call it before any work. Good messages of the network are not let in either. */
  requireBelow(remoteAddress: string | undefined): void;
  /** Counts a message that was refused. */
  count(remoteAddress: string | undefined): void;
}

/**
 * As many as the service bears without delaying others, a hundred in a second. No lower: people behind one address share the limit,
 * and an attacker who would shut them out must send more than that.
 */
export const maxRefusals = 6000;
const windowMs = 60_000;
/** Networks that are remembered. The one that was first refused something is forgotten first. */
const maxNetworks = 10_000;

/** Creates a limit of this process. */
export function createRefusalLimit(clock: Clock): RefusalLimit {
  /** In the order in which their time ends. */
  const refused = new Map<string, { count: number; readonly endMs: number }>();
  return {
    requireBelow(remoteAddress) {
      const found = refused.get(networkOf(remoteAddress) ?? "");
      if (found === undefined || found.count < maxRefusals) return;
      const restMs = found.endMs - clock.nowMs();
      if (restMs > 0) throw limitReached("refused_saml_message", maxRefusals, restMs);
    },
    count(remoteAddress) {
      const network = networkOf(remoteAddress) ?? "";
      const nowMs = clock.nowMs();
      const found = refused.get(network);
      if (found !== undefined && found.endMs > nowMs) {
        found.count++;
        return;
      }
      refused.delete(network); // one that is over stands at its former place
      for (const [name, { endMs }] of refused) {
        if (endMs > nowMs && refused.size < maxNetworks) break;
        refused.delete(name);
      }
      refused.set(network, { count: 1, endMs: nowMs + windowMs });
    },
  };
}
