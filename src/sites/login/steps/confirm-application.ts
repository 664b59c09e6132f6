import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { isCovered } from "../../../identity/logins/authorizations/gift.ts";
import {
  type ConsentParties,
  findConsentStanding,
} from "../../../identity/logins/authorizations/standing.ts";
import { checkAccess } from "../application-access.ts";
import type { AskedGift } from "../login-protocol.ts";
import { type LoginState, requireLoginApplication, requireLoginUser } from "../login-state.ts";
import type { LoginStep } from "../step.ts";

/**
 * Asks users who log in to an application of another organization, unless a grant of their own organization connects them with it,
 * or they have confirmed all of it before; and everybody if the tokens would be for other projects, too, or if the application
 * wants the user to be asked. A user that the project refuses is not asked: the answer refuses them.
 */
export const confirmApplicationStep: LoginStep = {
  page: "confirm",
  refusal: "consent_required",
  async isNeeded(tx, state) {
    const { interaction, application } = state;
    if (application === undefined) return false;
    const parties = toParties(state);
    const isAsked = interaction.request.prompts.includes("consent");
    if (!isAsked && state.protocol?.staysHome === true && parties.homeId === parties.ownerId) return false;
    const { gift } = await listAskedGift(tx, state);
    if (isCovered(gift, interaction.confirmed)) return false;
    if (!isAsked && (await findConsentStanding(tx, parties, gift)) !== undefined) return false;
    const { project, organization } = application;
    const entrant = { userId: parties.userId, organizationId: parties.homeId };
    return (await checkAccess(tx, { ...project, organizationId: organization.id }, entrant)) === "ok";
  },
};

/** Lists what the application would be given if the login ended now. */
export async function listAskedGift(tx: ReadTransaction, state: LoginState): Promise<AskedGift> {
  if (state.protocol === undefined) throw new Error("nobody knows what the application would be given");
  return await state.protocol.listGift(tx, {
    request: state.interaction.request,
    application: requireLoginApplication(state),
    user: requireLoginUser(state),
  });
}

/** Says who would give it to whom. */
export function toParties(state: LoginState) {
  const { user, organization: home } = requireLoginUser(state);
  const { application, project, organization } = requireLoginApplication(state);
  return {
    userId: user.id,
    homeId: home.id,
    applicationId: application.id,
    projectId: project.id,
    ownerId: organization.id,
    isExternal: application.external !== undefined,
  } satisfies ConsentParties;
}
