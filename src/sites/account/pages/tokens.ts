import type { TokenWithLimits } from "../../../identity/programs/tokens/commands.ts";
import { html, type Markup } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import { formatDate, redirectDone, renderForm, renderMore, renderRows, toListRequest } from "../render.ts";

/** Shows the personal access tokens of the user, and removes them. They are made by calls, which programs make. */
export const tokensPage: AccountPage = {
  name: "tokens",
  async show(visit) {
    const { ports, call, words, render } = visit;
    const { lead, none } = words.tokens;
    const { page } = await ports.users.tokens.list(call, call.caller.userId, toListRequest(visit));
    const rows = page.items.map((token) => renderToken(visit, token));
    const body = html`${rows.length > 0 && html`<p class="lead">${lead}</p>`}
${renderRows(rows, none)}
${renderMore(visit, page.nextPageToken)}`;
    return render({ title: words.places.tokens.title, body });
  },
  async submit(visit, form) {
    const { ports, call } = visit;
    const tokenId = form.get("token") ?? "";
    await ports.users.tokens.remove(call, { userId: call.caller.userId, tokenId });
    return redirectDone(visit, visit.path, "token-removed");
  },
};

function renderToken(visit: AccountVisit, { id, details, expirationMs }: TokenWithLimits): Markup {
  const { name, made, expires, forever, remove } = visit.words.tokens;
  const end =
    expirationMs === undefined ? forever : expires({ date: formatDate(visit, expirationMs * 1000) });
  const removeIt = html`<input type="hidden" name="token" value="${id}">
<button type="submit" class="second">${remove({ name: name({ id }) })}</button>`;
  return html`<strong>${name({ id })}</strong>
<span class="hint">${made({ date: formatDate(visit, details.creationDate) })}. ${end}</span>
${renderForm(visit, removeIt, { isSmall: true })}`;
}
