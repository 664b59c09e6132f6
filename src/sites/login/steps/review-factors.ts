import { listQuestionedWays } from "../../../identity/factors/reviews/repository.ts";
import type { QuestionedWay } from "../../../identity/factors/reviews/review.ts";
import type { Interaction, LoginCheck } from "../interaction.ts";
import { requireLoginUser } from "../login-state.ts";
import type { LoginStep } from "../step.ts";

const page = "review-factors";

/**
 * Lets users who have gained roles decide about the ways to log in that others have set for them. It comes after the second factor:
 * a person that knows only the password must not be able to remove one.
 */
export const reviewFactorsStep: LoginStep = {
  page,
  refusal: "interaction_required",
  async isNeeded(tx, state) {
    const { user } = requireLoginUser(state);
    const decided = decidedIn(state.interaction);
    return (await listQuestionedWays(tx, user.id)).some(({ id }) => !decided.includes(id));
  },
};

/**
 * Notes what the user has decided about: what is recorded of it is not applied until the end of the write in which the login goes
 * on. A way that was removed proves nothing, so its checks do not count any more.
 */
export function noteReview(
  interaction: Interaction,
  { decided, removed }: Readonly<Record<"decided" | "removed", readonly QuestionedWay[]>>,
): Interaction {
  const ids = [...decidedIn(interaction), ...decided.map(({ id }) => id)];
  const checks = withoutChecksOf(interaction.checks, removed);
  return { ...interaction, checks, notes: { ...interaction.notes, [page]: ids } };
}

/** Leaves out the checks of these ways. */
export function withoutChecksOf(
  checks: readonly LoginCheck[],
  ways: readonly QuestionedWay[],
): readonly LoginCheck[] {
  return checks.filter((check) => !ways.some((way) => isProofOf(check, way)));
}

function isProofOf({ method, factor }: LoginCheck, { kind, id }: QuestionedWay): boolean {
  return kind === "RECOVERY_CODES" ? method === "RECOVERY_CODE" : factor?.id === id;
}

function decidedIn({ notes }: Interaction): readonly string[] {
  const note = notes[page];
  return Array.isArray(note) ? note.map(String) : [];
}
