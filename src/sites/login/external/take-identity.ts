import type { ReadTransaction, WriteTransaction } from "../../../kernel/base/database.ts";
import type { FeatureContext } from "../../../identity/context.ts";
import {
  findIdentityLink,
  type StoredIdentityLink,
} from "../../../identity/people/identity-links/repository.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import { askAfterExternalLogin } from "../hooks/after-external-login.ts";
import { addCheck } from "../interaction.ts";
import type { ChangeInteraction } from "../login-page.ts";
import type { LoginState } from "../login-state.ts";
import { findLoginUser } from "../login-users.ts";
import { PageRefusal } from "../page-refusal.ts";
import { acceptWithIdentity } from "./accept-invitation.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { followProvider } from "./follow-directory.ts";
import { findIdentity, noteIdentity } from "./identity-note.ts";
import { requireFreshIdentity, toIdentityCheck } from "./login-age.ts";
import { isCreatedAtOnce, readNewIdentity, requireOffered } from "./new-identity.ts";
import { registerIdentity } from "./register-identity.ts";

/**
 * Decides what becomes of an interaction whose browser has come back from an identity provider: its user is logged in, gets an
 * account, or is asked what to do; one that was invited is linked. Raises the refusal of a provider that is not offered any more, of
 * an identity of a user that may not log in, and of a login there that is older than the request allows, and the page of a hook that refuses.
 */
export function takeIdentity(
  context: Pick<FeatureContext, "keyring" | "clock">,
  brought: ExternalIdentity,
): ChangeInteraction {
  return async (tx, state, hooks) => {
    requireFreshIdentity(state.interaction, brought);
    const provider = await requireOffered(tx, state, brought);
    const link = await findLinkOf(tx, state, brought);
    const { invitationCode, subject } = state.interaction.request;
    const userId = link?.userId ?? (invitationCode === undefined ? undefined : subject);
    const identity = await askAfterExternalLogin(tx, hooks, { state, provider, identity: brought, userId });
    if (link !== undefined) return await logIn(tx, hooks, { state, identity, link });
    if (invitationCode !== undefined)
      return await acceptWithIdentity(tx, hooks, { state, context, identity });
    const { choices } = await readNewIdentity(tx, state, identity);
    const { profile } = choices;
    if (isCreatedAtOnce(choices))
      return await registerIdentity(tx, hooks, { state, identity, provider, profile });
    return { interaction: noteIdentity(state.interaction, { identity, use: "ask" }) };
  };
}

/** Finds the link of an identity of the present issuer of its provider. Raises the refusal of a provider that is not offered. */
export async function findLinkOf(
  tx: ReadTransaction,
  state: LoginState,
  identity: ExternalIdentity,
): Promise<StoredIdentityLink | undefined> {
  const provider = await requireOffered(tx, state, identity);
  const link = await findIdentityLink(tx, provider.id, identity.subject);
  return link?.issuer === identity.issuer ? link : undefined;
}

/**
 * Makes sure that a login with an identity still holds: the provider may have been switched off since, or the link removed. Raises
 * the refusal of one that does not.
 */
export async function requireIdentityHolds(tx: ReadTransaction, state: LoginState): Promise<void> {
  const identity = findIdentity(state.interaction, "proved");
  if (identity === undefined || state.user === undefined) return;
  const link = await findLinkOf(tx, state, identity);
  if (link?.userId !== state.user.user.id || link.isQuestioned) throw new PageRefusal("no-account");
}

async function logIn(
  tx: WriteTransaction,
  hooks: HookSession,
  {
    state,
    identity,
    link,
  }: {
    readonly state: LoginState;
    readonly identity: ExternalIdentity;
    readonly link: StoredIdentityLink;
  },
): ReturnType<ChangeInteraction> {
  const { interaction, nowMs } = state;
  const found = await findLoginUser(tx, link.userId);
  if (found === undefined) throw new PageRefusal("no-account");
  // Somebody else made it, and may have the identity: only the user may say that it stays, after another login.
  if (link.isQuestioned) throw new PageRefusal("link-in-question");
  const user = { id: found.user.id, lockCount: found.lockCount };
  const proved = addCheck(interaction, user, toIdentityCheck(identity, link.id, nowMs));
  const provider = await requireOffered(tx, state, identity);
  return {
    interaction: noteIdentity(proved, { identity, use: "proved" }),
    first: await followProvider(tx, hooks, { provider, identity, user: found.user }),
  };
}
