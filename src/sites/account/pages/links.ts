import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { html, isolate, type Markup } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import type { NamedIdentityLink } from "../../../identity/people/identity-links/repository.ts";
import { formatDate, redirectDone, renderForm, renderMore, renderRows, toListRequest } from "../render.ts";
import { tryChange } from "../try-change.ts";

/** Shows the accounts elsewhere with which the user can log in, and removes them. New ones are linked by logging in with them. */
export const linksPage: AccountPage = {
  name: "links",
  isGuarded: true,
  show: (visit) => show(visit),
  async submit(visit, form) {
    const { ports, call } = visit;
    const providerId = form.get("provider") ?? "";
    const externalUserId = form.get("identity") ?? "";
    const asked = { userId: call.caller.userId, providerId, externalUserId };
    const fault = await tryChange(visit, () => ports.users.links.remove(call, asked));
    if (fault !== undefined) return await show(visit, fault);
    return redirectDone(visit, visit.path, "link-removed");
  },
};

async function show(visit: AccountVisit, fault?: Fault): Promise<Reply> {
  const { ports, call, words, render } = visit;
  const { lead, none } = words.links;
  const { page } = await ports.users.links.list(call, call.caller.userId, toListRequest(visit));
  const rows = page.items.map((link) => renderLink(visit, link));
  const body = html`${rows.length > 0 && html`<p class="lead">${lead}</p>`}
${renderRows(rows, none)}
${renderMore(visit, page.nextPageToken)}`;
  return render({ title: words.places.links.title, body, fault });
}

function renderLink(visit: AccountVisit, link: NamedIdentityLink): Markup {
  const { words } = visit;
  const name = link.externalUsername === "" ? link.externalUserId : link.externalUsername;
  const removeIt = html`<input type="hidden" name="provider" value="${link.providerId}">
<input type="hidden" name="identity" value="${link.externalUserId}">
<button type="submit" class="second">${words.links.remove({ name })}</button>`;
  return html`<strong>${isolate(link.providerName)}</strong>
<span class="hint">${isolate(name)}. ${words.links.made({ date: formatDate(visit, link.details.creationDate) })}</span>
${renderForm(visit, removeIt, { isSmall: true })}`;
}
