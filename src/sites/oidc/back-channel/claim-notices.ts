import { dropNotices } from "../../../identity/protocol-state/logout-notices/commands.ts";
import {
  claimMs,
  isSpent,
  type LogoutNotice,
} from "../../../identity/protocol-state/logout-notices/logout-notice.ts";
import { claimNotice } from "../../../identity/protocol-state/logout-notices/repository.ts";
import type { DueNotice } from "./choose-notices.ts";
import type { DeliveryPorts } from "./deliver-notice.ts";

/**
 * Claims notices in one write, before anything is sent, and returns those that no other process has claimed. A notice is
 * given up whose last try has died with its process.
 */
export async function claimNotices(
  { context, logger }: Pick<DeliveryPorts, "context" | "logger">,
  due: readonly DueNotice[],
): Promise<readonly DueNotice[]> {
  if (due.length === 0) return [];
  const untilMs = context.clock.nowMs() + claimMs;
  const spent = due.filter(({ notice }) => isSpent(notice)).map(({ notice }) => notice);
  const fresh = due.filter(({ notice }) => !isSpent(notice));
  const { lost, won } = await context.database.write(async (tx) => {
    const dropped = await dropNotices(tx, context, { notices: spent, cause: "process_ended" });
    const claimed: DueNotice[] = [];
    for (const { notice, application } of fresh) {
      const own = await claimNotice(tx, notice, untilMs);
      if (own !== undefined) claimed.push({ notice: own, application });
    }
    return { lost: dropped, won: claimed };
  });
  for (const notice of lost) logger.warn(toLogFields(notice), "logout_token.dropped");
  return won;
}

function toLogFields({ applicationId, sessionId, tries }: LogoutNotice) {
  return { application_id: applicationId, session_id: sessionId, tries, cause: "the process has ended" };
}
