import { letsPeopleRegister } from "../../identity/policies/login-policy.ts";
import type { Organization } from "../../identity/organizations/organization.ts";
import type { LoginState } from "./login-state.ts";

/**
 * Returns the organization in which people may register themselves: the one that logs in, if its policy says so and allows the
 * password that they would choose. Undefined: nobody may, as where only a certain user may log in, or the login is
 * for pages of ours.
 */
export function findRegistrationOrganization(
  state: Pick<LoginState, "application" | "requestedOrganization" | "policy" | "interaction">,
): Organization | undefined {
  const { application, requestedOrganization, policy, interaction } = state;
  if (!letsPeopleRegister(policy) || interaction.request.subject !== undefined) return undefined;
  return application && (requestedOrganization ?? application.organization);
}
