import type { Origin } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { findApplication } from "../../applications/repository.ts";
import type { FeatureContext } from "../../context.ts";
import { dropNotice, type LogoutFailure, type LogoutNotice } from "./logout-notice.ts";
import { removeNotice } from "./repository.ts";

const origin: Origin = { editor: "system", remoteAddress: undefined, requestId: "logout-tokens" };

/**
 * Gives up notices for the same cause, in the write of the caller, which records nothing else: they go, and the applications that are
 * still there get an event for each. Returns those that went: not those whose claim was taken over.
 */
export async function dropNotices(
  tx: WriteTransaction,
  { log }: Pick<FeatureContext, "log">,
  { notices, cause }: { readonly notices: readonly LogoutNotice[]; readonly cause: LogoutFailure },
): Promise<readonly LogoutNotice[]> {
  const dropped: LogoutNotice[] = [];
  const events: NewEvent[] = [];
  for (const notice of notices) {
    if (!(await removeNotice(tx, notice))) continue;
    dropped.push(notice);
    const application = await findApplication(tx, notice.applicationId);
    if (application !== undefined) events.push(dropNotice(application, notice, cause));
  }
  if (events.length > 0) await log.append(tx, origin, events);
  return dropped;
}
