import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { askHooks, type HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { HumanProfile } from "../../../identity/people/user/user.ts";
import { toPageOfHook } from "./hook-refusal.ts";
import type { LoginState } from "../login-state.ts";

/** Somebody who is about to get an account. */
interface NewPerson {
  readonly state: Pick<LoginState, "application">;
  /** Where the account would be: the organization that logs in. */
  readonly organizationId: string;
  /** Undefined: they register themselves. */
  readonly providerId?: string;
  readonly profile: Omit<HumanProfile, "phone">;
  /** Whether the email address would be verified. */
  readonly isVerified: boolean;
}

/**
 * Asks the hooks of the organization before somebody gets an account there. Returns the names as they want them. Raises the page of a
 * refusal. Nobody is asked where no application logs in, as for the console.
 */
export async function askBeforeRegistration(
  tx: ReadTransaction,
  hooks: HookSession,
  { state: { application: login }, organizationId, providerId, profile, isVerified }: NewPerson,
): Promise<Partial<Pick<HumanProfile, "givenName" | "familyName" | "displayName">>> {
  if (login === undefined) return {};
  const { application, project } = login;
  const { refusal, additions } = await askHooks(tx, hooks, {
    kind: "BEFORE_REGISTRATION",
    organizationId,
    applicationId: application.id,
    data: {
      organization_id: organizationId,
      project_id: project.id,
      application_id: application.id,
      ...(providerId === undefined ? {} : { identity_provider_id: providerId }),
      username: profile.username,
      email: profile.email,
      email_verified: isVerified,
      given_name: profile.givenName,
      family_name: profile.familyName,
      display_name: profile.displayName,
      preferred_language: profile.preferredLanguage,
    },
  });
  if (refusal !== undefined) throw toPageOfHook(refusal);
  const names = additions.flatMap(({ profile: changed = {} }) => Object.entries(changed));
  return Object.fromEntries(names.filter(([, name]) => name !== undefined));
}
