import type { WriteTransaction } from "../../../kernel/base/database.ts";
import type { IdentityLinkId } from "../../../kernel/base/ids.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import { linkIdentity } from "../../../identity/people/identity-links/commands.ts";
import { isProviderOfUser } from "../../../identity/people/identity-links/identity-link.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import { addCheck } from "../interaction.ts";
import { takeInvitation } from "../standalone/invited.ts";
import type { ChangeInteraction } from "../login-page.ts";
import type { LoginState } from "../login-state.ts";
import { PageRefusal } from "../page-refusal.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { followGroups } from "./follow-directory.ts";
import { noteIdentity } from "./identity-note.ts";
import { nameIdentity } from "./identity-profile.ts";
import { toIdentityCheck } from "./login-age.ts";
import { requireOffered } from "./new-identity.ts";

/**
 * Links an identity, which nobody has, to the user that was invited and chose its provider, and logs them in. Raises the refusal of an
 * invitation that is over, and of a provider that is not offered any more.
 */
export async function acceptWithIdentity(
  tx: WriteTransaction,
  hooks: HookSession,
  {
    state,
    context,
    identity,
  }: {
    readonly state: LoginState;
    readonly context: Pick<FeatureContext, "keyring" | "clock">;
    readonly identity: ExternalIdentity;
  },
): ReturnType<ChangeInteraction> {
  const { interaction, nowMs } = state;
  const provider = await requireOffered(tx, state, identity);
  const { subject = "", invitationCode = "" } = interaction.request;
  const taken = await takeInvitation(tx, context, { userId: subject, code: invitationCode });
  const { user, lockCount } = taken.invited;
  if (!isProviderOfUser(provider, user)) throw new PageRefusal("provider-off");
  const id = tx.nextId<IdentityLinkId>();
  const linked = { externalUserId: identity.subject, externalUsername: nameIdentity(identity) };
  const { loginOrigin } = taken;
  const first = [
    ...(await linkIdentity(tx, { user, provider, identity: linked, loginOrigin, id })),
    ...taken.events,
    ...(await followGroups(tx, hooks, { identity, user })),
  ];
  const proved = addCheck(interaction, { id: user.id, lockCount }, toIdentityCheck(identity, id, nowMs));
  return { interaction: noteIdentity(proved, { identity, use: "proved" }), first };
}
