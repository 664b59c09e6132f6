import { findIdentity } from "../external/identity-note.ts";
import { html } from "../markup/html.ts";
import type { LoginWay } from "./way.ts";

/** A link for users who are about to link an identity: back to all ways to log in, without it. */
export const withoutLinkingWay: LoginWay = {
  kind: "link",
  async render({ state, texts }) {
    if (findIdentity(state.interaction, "link") === undefined) return undefined;
    return html`<p><a href="/login/${state.interaction.id}/another-way">${texts.linkIdentity.without}</a></p>`;
  },
};
