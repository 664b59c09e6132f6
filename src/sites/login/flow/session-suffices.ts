import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type InteractionId, toId } from "../../../kernel/base/ids.ts";
import type { LiveSession } from "../../../identity/logins/sessions/session.ts";
import { beginInteraction, restOn } from "../interaction.ts";
import type { LoginRequest } from "../login-request.ts";
import { doesSessionCount } from "../session-use.ts";
import { type LoginPosition, readState } from "./read-state.ts";
import { findNextStep } from "./steps.ts";

/**
 * Says whether a login for the request would end at once by the session of the browser: what was proved in it counts, the policies
 * still allow it, and no page is missing. Begins no login.
 */
export async function doesSessionSuffice(
  tx: ReadTransaction,
  session: LiveSession,
  asked: Pick<LoginPosition, "ports" | "issuer" | "nowMs" | "sessionHash"> & {
    readonly request: LoginRequest;
  },
): Promise<boolean> {
  const { request, nowMs } = asked;
  if (!(await doesSessionCount(tx, session, asked))) return false;
  const interaction = restOn(beginInteraction(toId<InteractionId>("0"), request, nowMs), session); // is never stored
  const state = await readState(tx, { ...asked, interaction });
  return (await findNextStep(tx, state)) === undefined;
}
