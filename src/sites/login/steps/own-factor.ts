import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { holdsOutside } from "../../../identity/held-roles/outside.ts";
import { listHeldRoles } from "../../../identity/held-roles/repository.ts";
import { isMultiFactor } from "../../../identity/logins/sessions/session.ts";
import { listQuestionedWays } from "../../../identity/factors/reviews/repository.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";
import type { LoginStep } from "../step.ts";
import { withoutChecksOf } from "./review-factors.ts";

/**
 * Refuses users with a role outside their organization who have proved nothing but an identity at a provider, which is one of their
 * organization: its administrators must not get roles on the instance, or on what belongs to another organization. It comes after
 * the step that asks for an existing second factor. A factor that the user is still to decide about is none here: the
 * administrators of the provider may have set it, and would be asked in place of the user.
 */
export const ownFactorStep: LoginStep = {
  page: "own-factor",
  refusal: "login_required",
  async isNeeded(tx, state) {
    const { methods } = state;
    if (!methods.includes("IDP") || methods.includes("PASSWORD")) return false;
    if (isMultiFactor(methods) && !(await restsOnQuestioned(tx, state))) return false;
    const { user, organization } = requireLoginUser(state);
    return holdsOutside(await listHeldRoles(tx, user.id), organization.id);
  },
};

/** A session counts only if its user has nothing to decide about, so what was proved in one is left alone. */
async function restsOnQuestioned(
  tx: ReadTransaction,
  { interaction, user, methods }: LoginState,
): Promise<boolean> {
  const { checks } = interaction;
  const good = withoutChecksOf(checks, await listQuestionedWays(tx, requireLoginUser({ user }).user.id));
  const lost = new Set(checks.filter((check) => !good.includes(check)).map(({ method }) => method));
  const left = methods.filter((method) => !lost.has(method));
  return !isMultiFactor([...left, ...good.map(({ method }) => method)]);
}
