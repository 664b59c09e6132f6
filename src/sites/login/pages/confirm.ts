import { hash } from "node:crypto";
import type { AuthorizationId } from "../../../kernel/base/ids.ts";
import { apiAudience } from "../../../identity/logins/access-tokens/access-token.ts";
import { confirmAuthorization } from "../../../identity/logins/authorizations/authorization.ts";
import { findConfirmedGift } from "../../../identity/logins/authorizations/confirmation-repository.ts";
import {
  findUncovered,
  type Gift,
  toConfirmedScope,
  toGiftRecord,
} from "../../../identity/logins/authorizations/gift.ts";
import type { Texts } from "../texts/texts.ts";
import { formTokenField } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import type { ChangeInteraction, LoginPage, LoginVisit } from "../login-page.ts";
import type { AskedGift, Stranger } from "../login-protocol.ts";
import { requireLoginApplication, requireLoginUser } from "../login-state.ts";
import { listAskedGift, toParties } from "../steps/confirm-application.ts";

/** Asks a user whether an application may have what it would be given, and says what of that is new. */
export const confirmPage: LoginPage = {
  name: "confirm",
  async show(visit) {
    const { texts, state, cookie, ports } = visit;
    const { application, organization } = requireLoginApplication(state);
    const isHome = organization.id === requireLoginUser(state).organization.id;
    const { userId, applicationId } = toParties(state);
    const { asked, known } = await ports.context.database.read(async (tx) => ({
      asked: await listAskedGift(tx, state),
      known: await findConfirmedGift(tx, userId, applicationId),
    }));
    const { title, lead, leadHome, more } = texts.confirm;
    const names = { application: application.name, organization: organization.name };
    const { stranger } = asked;
    const introduction = isHome ? leadHome(names) : lead(names);
    const body = html`${stranger === undefined ? html`<p class="lead">${introduction}</p>` : renderStranger(texts, names, stranger)}
${known !== undefined && html`<p class="note">${more}</p>`}
${renderGift(visit, asked, known)}
<form method="post" action="/login/${state.interaction.id}/confirm">
${formTokenField(cookie)}
<input type="hidden" name="shown" value="${toDigest(asked)}">
<button type="submit" name="choice" value="continue">${texts.continue}</button>
<button type="submit" name="choice" value="cancel" class="second">${texts.cancel}</button>
</form>`;
    return visit.render({ title: title({ application: application.name }), body, isTrusted: true });
  },
  async submit(_visit, form) {
    if (form.get("choice") !== "continue") return { kind: "refuse", refusal: "access_denied" };
    return { kind: "go-on", change: confirmShown(form.get("shown") ?? "") };
  },
};

/** Nobody has vouched for such a client: the host of its document, and where the browser goes, are all that is sure. */
function renderStranger(
  { confirm }: Texts,
  { application }: { readonly application: string },
  { host, returnsTo, isOnDevice }: Stranger,
): Markup {
  return html`<p class="lead">${host === undefined ? confirm.registered({ application }) : confirm.described({ application, host })}</p>
<p class="note">${confirm.returnsTo({ place: returnsTo })}</p>
${isOnDevice && html`<p class="note"><strong>${confirm.onDevice}</strong></p>`}`;
}

function renderGift({ texts }: LoginVisit, asked: AskedGift, known: Gift | undefined): Markup {
  const { gift } = asked;
  const { told, claims, audiences, offline, isNew, mayDo } = texts.confirm;
  const added = known === undefined ? undefined : findUncovered(gift, known);
  const item = (text: string | Markup, isAdded: boolean | undefined) =>
    html`<li>${isAdded === true && html`<strong>${isNew}</strong> `}${text}</li>`;
  const learned = gift.claims.map((claim) => item(claims[claim], added?.claims.includes(claim)));
  const stored = gift.metadata.map((key) =>
    item(texts.confirm.metadata({ key }), added?.metadata.includes(key)),
  );
  const places = gift.audiences.map((id) => item(namePlace(texts, asked, id), added?.audiences.includes(id)));
  const rights = listScopes(texts, asked).map(({ key, text }) => item(text, added?.apiScopes.includes(key)));
  return html`<p class="list">${told}</p>
<ul>${learned}${stored}${gift.offlineAccess && item(offline, added?.offlineAccess)}</ul>
${
  places.length > 0 &&
  html`<p class="list">${audiences}</p>
<ul>${places}</ul>`
}${
  rights.length > 0 &&
  html`<p class="list">${mayDo}</p>
<ul>${rights}</ul>`
}`;
}

/** Names where the tokens are for: our own API, an API, or all of a project. */
function namePlace({ confirm }: Texts, { projects, apis = [] }: AskedGift, id: string): string | Markup {
  if (id === apiAudience) return confirm.api;
  const api = apis.find((each) => each.id === id);
  if (api !== undefined) {
    const { name, project, organization } = api;
    return confirm.resource({ api: name, project: project.name, organization: organization.name });
  }
  const named = projects.find((each) => each.id === id);
  return confirm.project({ project: named?.name ?? id, organization: named?.organizationName ?? "" });
}

/** Lists what the application may do at the APIs, in the words of these. */
function listScopes(
  { confirm }: Texts,
  { gift, apis = [] }: AskedGift,
): readonly { readonly key: string; readonly text: Markup }[] {
  return apis.flatMap((api) =>
    api.scopes.flatMap(({ name, description }) => {
      const key = toConfirmedScope(api, name);
      const text = confirm.scope({ scope: description === "" ? name : description, api: api.name });
      return gift.apiScopes.includes(key) ? [{ key, text }] : [];
    }),
  );
}

/** What a form brings back of the page, so that nothing is confirmed that it did not show. */
function toDigest({ gift, stranger }: AskedGift): string {
  return hash("sha256", JSON.stringify([toGiftRecord(gift), stranger]), "base64url");
}

/** Where something else would be given by now, the page is shown again. */
function confirmShown(shown: string): ChangeInteraction {
  return async (tx, state) => {
    const asked = await listAskedGift(tx, state);
    const { gift } = asked;
    if (toDigest(asked) !== shown) return { interaction: state.interaction };
    const { user, organization } = requireLoginUser(state);
    const event = confirmAuthorization({
      id: tx.nextId<AuthorizationId>(),
      userId: user.id,
      organizationId: organization.id,
      applicationId: requireLoginApplication(state).application.id,
      shown: gift,
    });
    return { interaction: { ...state.interaction, confirmed: gift }, events: [event] };
  };
}
