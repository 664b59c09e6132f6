import type { Call, Editor } from "../../../kernel/base/call.ts";
import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { endLogins } from "../authorizations/end-logins.ts";

/**
 * Ends what the user has logged in to if somebody else answers for the way to log in that is removed. They may be logged in with it,
 * and nobody could tell that any more once the user gains roles. The session of the call stays if it was not begun in that way. Append
 * the events that it returns.
 */
export async function endLoginsByOthers(
  tx: WriteTransaction,
  { caller }: Pick<Call, "caller">,
  removed: {
    readonly userId: UserId;
    readonly method: "IDP" | "PASSKEY";
    readonly creator: Editor | undefined;
  },
): Promise<readonly NewEvent[]> {
  const { userId, method, creator } = removed;
  if (creator === undefined || creator === userId || creator === "system") return [];
  const { login } = caller;
  const isOwn = caller.userId === userId && login?.methods.includes(method) === false;
  return await endLogins(tx, userId, { exceptSessionId: isOwn ? login?.sessionId : undefined });
}
