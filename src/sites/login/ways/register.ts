import { html } from "../markup/html.ts";
import { findRegistrationOrganization } from "../registration-offer.ts";
import type { LoginWay } from "./way.ts";

/** A link to the page on which people register themselves. */
export const registerWay: LoginWay = {
  kind: "link",
  async render({ state, texts }) {
    if (findRegistrationOrganization(state) === undefined) return undefined;
    const { hasNone, link } = texts.register;
    return html`<p>${hasNone} <a href="/login/${state.interaction.id}/register">${link}</a></p>`;
  },
};
