import type { HeldAccess } from "../../../identity/logins/authorizations/held-access-repository.ts";
import { html, isolate, type Markup } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import { formatDate, redirectDone, renderForm, renderRows } from "../render.ts";

/** Shows the applications that the user has let in, and takes from them what they have. */
export const applicationsPage: AccountPage = {
  name: "applications",
  async show(visit) {
    const { ports, call, words, render } = visit;
    const { lead, none } = words.applications;
    const found = await ports.users.heldAccess.list(call, call.caller.userId);
    const body = html`${found.length > 0 && html`<p class="lead">${lead}</p>`}
${renderRows(
  found.map((access) => renderAccess(visit, access)),
  none,
)}`;
    return render({ title: words.places.applications.title, body });
  },
  async submit(visit, form) {
    const { ports, call } = visit;
    const applicationId = form.get("application") ?? "";
    await ports.users.heldAccess.remove(call, { userId: call.caller.userId, applicationId });
    return redirectDone(visit, visit.path, "application-removed");
  },
};

function renderAccess(visit: AccountVisit, { id, name, authTimeMs }: HeldAccess): Markup {
  const { since, onlyThen, remove } = visit.words.applications;
  const removeIt = html`<input type="hidden" name="application" value="${id}">
<button type="submit" class="second">${remove({ application: name })}</button>`;
  return html`<strong>${isolate(name)}</strong>
<span class="hint">${authTimeMs === undefined ? onlyThen : since({ date: formatDate(visit, authTimeMs * 1000) })}</span>
${renderForm(visit, removeIt, { isSmall: true })}`;
}
