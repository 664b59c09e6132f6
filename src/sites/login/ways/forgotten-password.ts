import { html } from "../markup/html.ts";
import { mayAskForPassword } from "../password-offer.ts";
import type { LoginWay } from "./way.ts";

/** A link to the page that mails people a link with which they set a password. */
export const forgottenPasswordWay: LoginWay = {
  kind: "link",
  async render({ ports, state, texts }) {
    if (!mayAskForPassword(ports, state)) return undefined;
    const { link } = texts.forgottenPassword;
    return html`<p><a href="/login/${state.interaction.id}/forgotten-password">${link}</a></p>`;
  },
};
