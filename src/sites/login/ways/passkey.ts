import { html } from "../markup/html.ts";
import { isPasskeyOffered } from "../passkey-offer.ts";
import type { LoginWay } from "./way.ts";

/** The button that leads to the page of passkeys. */
export const passkeyWay: LoginWay = {
  async render({ state, texts }) {
    if (!isPasskeyOffered(state)) return undefined;
    return html`<a class="button second" href="/login/${state.interaction.id}/passkey">${texts.passkey.button}</a>`;
  },
};
