import { html } from "../../login/markup/html.ts";
import type { AccountPage } from "../account-page.ts";
import { accountPath } from "../../login/standalone/account-path.ts";
import { renderForm, renderRows } from "../render.ts";
import type { PlaceName } from "../texts/texts.ts";

const places: readonly PlaceName[] = [
  "profile",
  "email",
  "phone",
  "password",
  "passkeys",
  "factors",
  "recovery-codes",
  "links",
  "sessions",
  "applications",
  "tokens",
];

/** Leads to all that people can look after themselves. */
export const overviewPage: AccountPage = {
  name: "",
  async show(visit) {
    const { words, user, render } = visit;
    const rows = places.map((place) => {
      const { title, hint } = words.places[place];
      return html`<a class="place" href="${accountPath}/${place}">${title}</a>
<span class="hint">${hint}</span>`;
    });
    const signOut = html`<button type="submit" class="second">${words.signOut}</button>`;
    const body = html`<p class="lead">${words.lead({ name: user.user.username })}</p>
<nav>${renderRows(rows, "")}</nav>
${renderForm(visit, signOut, { action: `${accountPath}/sign-out` })}`;
    return render({ title: words.title, body });
  },
};
