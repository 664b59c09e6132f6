import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import { linkIdentity } from "../../../identity/people/identity-links/commands.ts";
import { isProviderOfUser, maxIdentityLinks } from "../../../identity/people/identity-links/identity-link.ts";
import { countIdentityLinks } from "../../../identity/people/identity-links/repository.ts";
import { findLoginOrigin } from "../../../identity/logins/login-origins/repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { followGroups } from "../external/follow-directory.ts";
import { findIdentity, forgetIdentity } from "../external/identity-note.ts";
import { nameIdentity } from "../external/identity-profile.ts";
import { requireOffered } from "../external/new-identity.ts";
import { findLinkOf } from "../external/take-identity.ts";
import { formTokenField } from "../form-token.ts";
import { html } from "../markup/html.ts";
import type { ChangeInteraction, LoginPage, LoginVisit } from "../login-page.ts";
import { type LoginState, requireLoginUser } from "../login-state.ts";

/** Asks users who have logged in whether to link the identity that they came with to their account. */
export const linkIdentityPage: LoginPage = {
  name: "link-identity",
  show: async (visit) =>
    render(visit, await visit.ports.context.database.read((tx) => check(tx, visit.state))),
  async submit(visit, form) {
    return { kind: "go-on", change: form.get("choice") === "link" ? link(visit) : skip };
  },
};

/** Shows an error if the user reached the limit of links in another window. */
function link(visit: LoginVisit): ChangeInteraction {
  return async (tx, state, hooks) => {
    const { user } = requireLoginUser(state);
    const identity = requireIdentity(state);
    const checked = await check(tx, state);
    if (checked.verdict === "full") return { reply: render(visit, checked) };
    const interaction = forgetIdentity(state.interaction);
    if (checked.verdict === "not-theirs") return { interaction };
    const { provider } = checked;
    const linked = { externalUserId: identity.subject, externalUsername: nameIdentity(identity) };
    const loginOrigin = await findLoginOrigin(tx, { userId: user.id, methods: state.methods });
    const events = [
      ...(await linkIdentity(tx, { user, provider, identity: linked, loginOrigin })),
      ...(await followGroups(tx, hooks, { identity, user })),
    ];
    return { interaction, events };
  };
}

const skip: ChangeInteraction = async (_tx, { interaction }) => ({
  interaction: forgetIdentity(interaction),
});

function render(visit: LoginVisit, { provider, verdict }: CheckedLink): Reply {
  const { texts, state, cookie } = visit;
  const { title, lead, namedLead, notTheirs, full, link: linkLabel, skip: skipLabel } = texts.linkIdentity;
  const { username } = requireLoginUser(state).user;
  const names = { provider: provider.name, identity: nameIdentity(requireIdentity(state)), username };
  const mayLink = verdict === "theirs";
  const theirs = names.identity === "" ? lead : namedLead;
  const text = { theirs, "not-theirs": notTheirs, full }[verdict](names);
  const body = html`<p class="lead">${text}</p>
<form method="post" action="/login/${state.interaction.id}/link-identity">
${formTokenField(cookie)}
${mayLink && html`<button type="submit" name="choice" value="link">${linkLabel}</button>`}
<button type="submit" name="choice" value="skip"${mayLink && html` class="second"`}>${mayLink ? skipLabel : texts.continue}</button>
</form>`;
  return visit.render({
    title: title({ provider: provider.name }),
    body,
    status: verdict === "full" ? 403 : 200,
  });
}

/** What the page says. */
interface CheckedLink {
  readonly provider: IdentityProvider;
  /** Whether the user may link the identity, or would if they did not have as many links as anybody may have. */
  readonly verdict: "theirs" | "not-theirs" | "full";
}

/**
 * A user of the organization that owns the provider may link an identity that nobody has, but only after a login in this very
 * interaction: a session of the browser may belong to another person at the same browser. The steps before this one have asked for
 * all factors. Where only a certain user may log in, nobody else links anything.
 */
async function check(tx: ReadTransaction, state: LoginState): Promise<CheckedLink> {
  const identity = requireIdentity(state);
  const provider = await requireOffered(tx, state, identity);
  const { user } = requireLoginUser(state);
  const { sessionId, request } = state.interaction;
  const isLoggedIn = sessionId === undefined;
  const isMeant = request.subject === undefined || request.subject === user.id;
  const isFree = (await findLinkOf(tx, state, identity)) === undefined;
  const isTheirs = isLoggedIn && isMeant && isProviderOfUser(provider, user) && isFree;
  if (!isTheirs) return { provider, verdict: "not-theirs" };
  const count = await countIdentityLinks(tx, user.id, maxIdentityLinks);
  return { provider, verdict: count < maxIdentityLinks ? "theirs" : "full" };
}

function requireIdentity({ interaction }: LoginState): ExternalIdentity {
  const identity = findIdentity(interaction, "link");
  if (identity === undefined) throw new Error("there is no identity to link");
  return identity;
}
