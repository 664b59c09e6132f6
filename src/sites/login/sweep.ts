import type { FeatureContext } from "../../features/context.ts";
import { deleteAllExpired } from "../../features/delete-expired.ts";
import { deleteExpiredSetupLinks } from "../../features/instance/repository.ts";
import { deleteExpiredInteractions } from "../../features/interactions/repository.ts";
import { deleteExpiredJwtLogins } from "../../features/jwt-logins/repository.ts";
import { deleteExpiredBrowsers } from "../../features/known-browsers/repository.ts";
import { deleteExpiredSamlLogouts } from "../../features/saml-logouts/repository.ts";
import { deleteExpiredParticipations } from "../../features/saml-participations/repository.ts";
import { deleteExpiredChallenges } from "../../features/users/authenticators/challenge-repository.ts";
import { deleteExpiredTimeSteps } from "../../features/users/totp/repository.ts";

/**
 * Deletes what was begun and not ended in time, the browsers in which nobody has logged in for long, and which SAML applications
 * took part in sessions whose time is over.
 */
export async function sweepLogins(context: Pick<FeatureContext, "database" | "clock">): Promise<void> {
  await deleteAllExpired(context, [
    deleteExpiredInteractions,
    deleteExpiredJwtLogins,
    deleteExpiredBrowsers,
    deleteExpiredSamlLogouts,
    deleteExpiredParticipations,
    deleteExpiredChallenges,
    deleteExpiredTimeSteps,
    deleteExpiredSetupLinks,
  ]);
}
