import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { type OrganizationId, toId, type UserId } from "../../../kernel/base/ids.ts";
import type { LabelPolicy } from "../../../identity/branding/label-policy.ts";
import type { PasskeySession } from "../../../identity/factors/passkeys/login-commands.ts";
import { listOfferedProviders } from "../external/offered-providers.ts";
import { formTokenField } from "../form-token.ts";
import { renderKeyForm } from "../forms/key-form.ts";
import { renderFirstPasswordFields } from "../forms/password-fields.ts";
import type { InvitationCode, Invited } from "../standalone/invited.ts";
import { redirectTo } from "../layout.ts";
import { html, type Markup } from "../markup/html.ts";
import { PageRefusal } from "../page-refusal.ts";
import { accountPath, accountPathOf, organizationParameter } from "../standalone/account-path.ts";
import { findApplicationHome } from "../standalone/application-home.ts";
import { ownCookieOf } from "../standalone/own-cookie.ts";
import type { StandaloneVisit } from "../standalone-page.ts";
import { renderProviderButton } from "../ways/identity-providers.ts";

/** The cookie of the page, to which its forms are bound. */
export const invitationCookie = "gh_invitation";

/** An invitation that could be taken now. */
export interface Asked {
  readonly code: InvitationCode;
  readonly invited: Invited;
  /** Of the organization itself; undefined: it has none. */
  readonly brand: LabelPolicy | undefined;
}

/** What the page shows besides. */
interface Shown {
  readonly problem?: string | Markup;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Shows the ways to sign in that the policy of the user allows: a password, a passkey, identity providers. */
export async function renderChoices(visit: StandaloneVisit, asked: Asked, shown: Shown = {}): Promise<Reply> {
  const { ports, texts } = visit;
  const { invited, brand } = asked;
  const { user, organization, policy, application } = invited;
  const { problem, status = 200, headers = {} } = shown;
  const own = ownCookieOf(visit, invitationCookie);
  const words = texts.invitation;
  const password =
    policy.allowPassword &&
    renderForm(
      asked,
      own.cookie,
      "password",
      html`<input type="text" name="username" value="${user.username}" autocomplete="username" hidden readonly>
${renderFirstPasswordFields(texts, policy.minPasswordLength)}
<button type="submit">${words.submit}</button>`,
    );
  const inviter = { organization: organization.name };
  const lead =
    application === undefined
      ? words.lead(inviter)
      : words.applicationLead({ ...inviter, application: application.name });
  const others = await renderOthers(visit, asked, own.cookie);
  const body = html`<p class="lead">${lead}</p>
<p class="lead">${words.username({ username: user.username })}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
${password}
${password !== false && others.length > 0 && html`<p class="divider">${texts.password.or}</p>`}
${others}
${password === false && others.length === 0 && html`<p class="alert">${texts.password.nothing}</p>`}`;
  return ports.layout.renderPage({
    texts,
    title: words.title,
    body,
    organization,
    brand,
    status,
    headers: { ...own.headers, ...headers },
    isIsolated: true,
  });
}

async function renderOthers(
  visit: StandaloneVisit,
  asked: Asked,
  cookie: Parameters<typeof formTokenField>[0],
): Promise<readonly Markup[]> {
  const { ports, texts } = visit;
  const { invited } = asked;
  if (!invited.isNew) return [];
  const providers = await ports.context.database.read((tx) => listOfferedProviders(tx, toOffering(invited)));
  const buttons = providers.map((provider) => renderProviderButton(provider, texts));
  const passkey = html`<button type="submit" class="second">${texts.passkey.button}</button>`;
  return [
    ...(buttons.length > 0 ? [renderForm(asked, cookie, "provider", html`${buttons}`)] : []),
    ...(isPasskeyPossible(visit, invited) ? [renderForm(asked, cookie, "passkey", passkey)] : []),
  ];
}

/** Asks the device of the user for a passkey, with a new challenge each time. */
export async function renderNewPasskey(
  visit: StandaloneVisit,
  { code, invited, brand }: Asked,
  problem?: string,
): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const options = isPasskeyPossible(visit, invited)
    ? await ports.passkeys.beginRegistration(toPasskeySession(issuer, code))
    : undefined;
  if (options === undefined) throw new PageRefusal("invitation-over");
  const own = ownCookieOf(visit, invitationCookie);
  const words = texts.invitation;
  const path = toPath(code);
  const form = renderKeyForm({
    texts,
    words: { ...texts.passkey, failed: words.passkeyFailed },
    action: path,
    cookie: own.cookie,
    ceremony: "registration",
    options,
    button: words.passkeyButton,
    problem,
    fields: renderHidden(code, "new-passkey"),
  });
  const back = `${path}?${new URLSearchParams({ code: code.code }).toString()}`;
  const body = html`<p class="lead">${words.passkeyLead}</p>
${form}
<div class="links"><p><a href="${back}">${words.another}</a></p></div>`;
  return ports.layout.renderPage({
    texts,
    title: words.passkeyTitle,
    body,
    organization: invited.organization,
    brand,
    headers: own.headers,
    scripts: ["webauthn.js"],
    isIsolated: true,
  });
}

/** Names the registration of the passkey, which needs the code of the invitation in each of its requests. */
export function toPasskeySession(issuer: string, { userId }: InvitationCode): PasskeySession {
  return { issuer, loginId: `invitation ${userId}`, userId: toId<UserId>(userId), methods: [] };
}

/** Names the organization whose providers are offered. */
export function toOffering({ organization, policy }: Invited) {
  return { application: undefined, requestedOrganization: organization, policy };
}

/** Returns where a person ends that has taken an invitation: their account in the organization, or the application. */
export function toEndPath({ organization, application }: Invited): string {
  const query = new URLSearchParams({
    [organizationParameter]: organization.id,
    ...(application === undefined ? {} : { client_id: application.id }),
  });
  return `/login/invitation/done?${query.toString()}`;
}

/**
 * Shows that all is done, or sends the browser to the application. It says nothing about anybody. What stands in the link chooses
 * only which registered address the browser goes to.
 */
export async function renderEnd({ ports, texts, issuer, exchange }: StandaloneVisit): Promise<Reply> {
  const query = new URLSearchParams(exchange.query);
  const clientId = query.get("client_id") ?? "";
  const home = await ports.context.database.read((tx) => findApplicationHome(tx, clientId, issuer));
  if (home !== undefined) return redirectTo(home);
  const asked = query.get(organizationParameter);
  const account = asked === null ? accountPath : accountPathOf(toId<OrganizationId>(asked));
  const { doneTitle: title, done } = texts.invitation;
  const body = html`<p class="lead" role="status">${done}</p>
<p><a class="button second" href="${account}">${texts.toAccount}</a></p>`;
  return ports.layout.renderPage({ texts, title, body, isIsolated: true });
}

function isPasskeyPossible({ ports, issuer }: StandaloneVisit, { policy }: Invited): boolean {
  return policy.allowPasskeys && ports.factors.domainOf(issuer) !== undefined;
}

function renderForm(
  { code }: Asked,
  cookie: Parameters<typeof formTokenField>[0],
  choice: string,
  content: Markup,
): Markup {
  return html`<form method="post" action="${toPath(code)}">
${formTokenField(cookie)}
${renderHidden(code, choice)}
${content}
</form>
`;
}

function renderHidden({ code }: InvitationCode, choice: string): Markup {
  return html`<input type="hidden" name="code" value="${code}">
<input type="hidden" name="choice" value="${choice}">`;
}

function toPath({ userId }: InvitationCode): string {
  return `/login/invitation/${encodeURIComponent(userId)}`;
}
