import { findApplication } from "../../features/applications/repository.ts";
import type { RefreshFamily } from "../../features/authorizations/authorization.ts";
import { html, type Markup } from "../../login/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import { formatDate, redirectDone, renderForm, renderMore, renderRows, toListRequest } from "../render.ts";

/** Shows the refresh tokens that applications have, and removes them. */
export const applicationsPage: AccountPage = {
  name: "applications",
  async show(visit) {
    const { ports, call, words, render } = visit;
    const { lead, none } = words.applications;
    const { page } = await ports.users.refreshTokens.list(call, call.caller.userId, toListRequest(visit));
    const rows = await Promise.all(page.items.map((family) => renderFamily(visit, family)));
    const body = html`${rows.length > 0 && html`<p class="lead">${lead}</p>`}
${renderRows(rows, none)}
${renderMore(visit, page.nextPageToken)}`;
    return render({ title: words.places.applications.title, body });
  },
  async submit(visit, form) {
    const { ports, call } = visit;
    const tokenId = form.get("token") ?? "";
    await ports.users.refreshTokens.remove(call, { userId: call.caller.userId, tokenId });
    return redirectDone(visit, visit.path, "application-removed");
  },
};

async function renderFamily(visit: AccountVisit, family: RefreshFamily): Promise<Markup> {
  const { ports, words } = visit;
  const { since, gone, remove } = words.applications;
  const application = await ports.context.database.read((tx) => findApplication(tx, family.applicationId));
  const name = application?.name ?? gone;
  const removeIt = html`<input type="hidden" name="token" value="${family.id}">
<button type="submit" class="second">${remove(name)}</button>`;
  return html`<strong>${name}</strong>
<span class="hint">${since(formatDate(visit, family.authTimeMs * 1000))}</span>
${renderForm(visit, removeIt, { isSmall: true })}`;
}
