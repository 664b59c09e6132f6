import type { ReadTransaction } from "../../kernel/base/database.ts";
import { Problem } from "../../kernel/base/problem.ts";
import type { ProvedFactor, ProvedKey } from "../../identity/factors/second-factors/login-commands.ts";
import { addCheck } from "./interaction.ts";
import { redirectTo } from "./layout.ts";
import type { ChangeInteraction } from "./login-page.ts";
import { type LoginState, requireLoginUser } from "./login-state.ts";

/**
 * Notes a second factor that was proved, if `isOffered` still says that it counts here. If it does not, or the proof is of no use
 * any more, as when the same answer was sent twice, or is of another user than the one that logs in now, the page is shown again.
 */
export function settleFactor(
  proved: ProvedFactor | ProvedKey,
  isOffered: (tx: ReadTransaction, state: LoginState) => boolean | Promise<boolean>,
): ChangeInteraction {
  return async (tx, state) => {
    const { interaction, issuer, nowMs } = state;
    const { user, lockCount } = requireLoginUser(state);
    const again = { reply: redirectTo(`${issuer}/login/${interaction.id}`) };
    if (proved.userId !== user.id || !(await isOffered(tx, state))) return again;
    try {
      const settled = await tx.nested(proved.settle);
      if (settled === undefined) return again;
      const { check, events } = settled;
      const noted = addCheck(interaction, { id: user.id, lockCount }, { ...check, dateMs: nowMs });
      return { interaction: noted, events };
    } catch (error) {
      if (!(error instanceof Problem) || error.kind === "internal") throw error;
      return again;
    }
  };
}
