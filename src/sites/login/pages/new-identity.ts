import { askForName } from "../../../identity/people/registrations/commands.ts";
import { isUsernameTaken } from "../../../identity/people/user/login-name-repository.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import { findIdentity, forgetIdentity, noteIdentity } from "../external/identity-note.ts";
import { nameIdentity } from "../external/identity-profile.ts";
import { type NewIdentity, readNewIdentity } from "../external/new-identity.ts";
import { registerIdentity } from "../external/register-identity.ts";
import { findLinkOf, takeIdentity } from "../external/take-identity.ts";
import { formTokenField } from "../form-token.ts";
import {
  findProfileFault,
  profileFields,
  readProfile,
  renderProfileFields,
  type TypedProfile,
} from "../forms/profile.ts";
import { html, type Markup } from "../markup/html.ts";
import type { ChangeInteraction, LoginPage, LoginVisit, PageAnswer } from "../login-page.ts";
import type { LoginState } from "../login-state.ts";
import type { PageForm } from "../page-form.ts";
import type { ProfileFault } from "../texts/texts.ts";

/**
 * Asks those whose identity at a provider is linked to nobody what they want: to log in to an account that they have, and link the
 * identity to it; a new account, if the provider may make any; or to log in in another way. The login comes first if there seems to
 * be an account of theirs. The page names none.
 */
export const newIdentityPage: LoginPage = {
  name: "new-identity",
  show: async (visit) => render(visit, await read(visit)),
  async submit(visit, form) {
    switch (form.get("choice")) {
      case "link":
        return { kind: "go-on", change: wantLink };
      case "create":
        return await create(visit, form);
      default:
        return { kind: "go-on", change: another };
    }
  },
};

/** What the page shows besides. */
interface Shown {
  readonly typed?: TypedProfile;
  readonly problem?: string;
  readonly fault?: ProfileFault;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const another: ChangeInteraction = async (_tx, { interaction }) => ({
  interaction: forgetIdentity(interaction),
});

const wantLink: ChangeInteraction = async (tx, state) => {
  const identity = requireIdentity(state);
  const { choices } = await readNewIdentity(tx, state, identity);
  const { interaction } = state;
  return {
    interaction: choices.mayLink ? noteIdentity(interaction, { identity, use: "link" }) : interaction,
  };
};

/** Checks the form. A name that is asked for counts for the address, as it does where people register themselves. */
async function create(visit: LoginVisit, form: PageForm): Promise<PageAnswer> {
  const { exchange, ports, texts } = visit;
  const typed = readProfile(form);
  const found = await read(visit);
  const again = (shown: Shown): PageAnswer => ({
    kind: "page",
    reply: render(visit, found, { typed, ...shown }),
  });
  const change = registerTyped(visit, typed);
  const { mayCreate, profile } = found.choices;
  if (!mayCreate || profile.username !== "") return { kind: "go-on", change };
  const { remoteAddress } = exchange;
  const asked = await askForName(ports.context, { username: typed.username, remoteAddress });
  switch (asked.kind) {
    case "paused": {
      const headers = { "retry-after": String(Math.max(1, Math.ceil(asked.retryAfterMs / 1000))) };
      return again({ problem: texts.register.paused, status: 429, headers });
    }
    case "taken":
      return again({ problem: texts.profile.faults.username_taken, fault: "username_taken" });
    case "free":
      return { kind: "go-on", change };
  }
}

/** What the provider says is not asked for, so nobody can put something else in its place. */
function registerTyped(visit: LoginVisit, typed: TypedProfile): ChangeInteraction {
  return async (tx, state, hooks) => {
    const identity = requireIdentity(state);
    // Another window may have been faster.
    if ((await findLinkOf(tx, state, identity)) !== undefined)
      return await takeIdentity(visit.ports.context, identity)(tx, state, hooks);
    const found = await readNewIdentity(tx, state, identity);
    const { provider, choices } = found;
    if (!choices.mayCreate) return { interaction: state.interaction };
    const profile = fillIn(choices.profile, typed);
    const fault =
      findProfileFault(profile) ?? ((await isUsernameTaken(tx, profile.username)) && "username_taken");
    if (fault === false) return await registerIdentity(tx, hooks, { state, identity, provider, profile });
    const problem = visit.texts.profile.faults[fault];
    return { reply: render(visit, found, { typed, problem, fault }) };
  };
}

function fillIn(known: TypedProfile, typed: TypedProfile): TypedProfile {
  return {
    username: known.username || typed.username,
    givenName: known.givenName || typed.givenName,
    familyName: known.familyName || typed.familyName,
    email: known.email || typed.email,
  };
}

async function read({ ports, state }: LoginVisit): Promise<NewIdentity> {
  return await ports.context.database.read((tx) => readNewIdentity(tx, state, requireIdentity(state)));
}

function render(visit: LoginVisit, { provider, choices }: NewIdentity, shown: Shown = {}): Reply {
  const { texts, state } = visit;
  const { problem, headers = {} } = shown;
  const words = texts.newIdentity;
  const { mayLink, mayCreate, hasMatch } = choices;
  const isNobody = !mayLink && !mayCreate;
  const names = { provider: provider.name, identity: nameIdentity(requireIdentity(state)) };
  const isNamed = names.identity !== "";
  const lead = isNamed ? words.namedLead(names) : words.lead(names);
  const none = isNamed ? words.namedNone(names) : words.none(names);
  const login = mayLink && renderForm(visit, "link", renderLogin(visit, choices));
  const creation = mayCreate && renderForm(visit, "create", renderCreation(visit, choices, shown));
  const body = html`<p class="lead">${isNobody ? none : lead}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
${hasMatch ? login : creation}
${mayLink && mayCreate && html`<p class="divider">${texts.password.or}</p>`}
${hasMatch ? creation : login}
${renderForm(visit, "another", html`<button type="submit" class="second">${words.another}</button>`)}`;
  const title = mayLink ? words.linkTitle : isNobody ? words.noneTitle : words.title;
  return visit.render({ title, body, status: shown.status ?? (isNobody ? 403 : 200), headers });
}

/** A button beside a new account, unless the account that they have is likely or the only way. */
function renderLogin({ texts }: LoginVisit, { hasMatch, mayCreate }: NewIdentity["choices"]): Markup {
  const { link, linkHint, linkUnknown, linkInstead } = texts.newIdentity;
  if (mayCreate && !hasMatch) return html`<button type="submit" class="second">${linkInstead}</button>`;
  return html`<p class="hint">${hasMatch ? linkHint : linkUnknown}</p>
<button type="submit">${link}</button>`;
}

function renderCreation(
  { texts }: LoginVisit,
  { hasMatch, profile, isUsernameTaken: isTaken }: NewIdentity["choices"],
  { typed = readProfile(new Map()), fault }: Shown,
): Markup {
  const fields = profileFields.filter((field) => profile[field] === "");
  const { create: label, missing, taken } = texts.newIdentity;
  const hint = isTaken ? taken : fields.length > 0 && missing;
  return html`${hint !== false && html`<p class="hint">${hint}</p>`}
${renderProfileFields(texts, typed, { fault, fields, isSecond: hasMatch })}
<button type="submit"${hasMatch && html` class="second"`}>${label}</button>`;
}

function renderForm({ state, cookie }: LoginVisit, choice: string, content: Markup): Markup {
  return html`<form method="post" action="/login/${state.interaction.id}/new-identity">
${formTokenField(cookie)}
<input type="hidden" name="choice" value="${choice}">
${content}
</form>`;
}

function requireIdentity({ interaction }: LoginState): ExternalIdentity {
  const identity = findIdentity(interaction, "ask");
  if (identity === undefined) throw new Error("there is no identity to ask about");
  return identity;
}
