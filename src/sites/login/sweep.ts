import type { FeatureContext } from "../../identity/context.ts";
import { deleteAllExpired } from "../../identity/delete-expired.ts";
import { deleteExpiredSetupLinks } from "../../identity/instance/repository.ts";
import { deleteExpiredInteractions } from "../../identity/logins/interactions/repository.ts";
import { deleteExpiredJwtLogins } from "../../identity/protocol-state/jwt-logins/repository.ts";
import { deleteExpiredBrowsers } from "../../identity/logins/known-browsers/repository.ts";
import { deleteExpiredSamlLogouts } from "../../identity/protocol-state/saml-logouts/repository.ts";
import { deleteExpiredParticipations } from "../../identity/logins/saml-participations/repository.ts";
import { deleteExpiredChallenges } from "../../identity/factors/authenticators/challenge-repository.ts";
import { deleteExpiredTimeSteps } from "../../identity/factors/totp/repository.ts";

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
