import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import { findIdentity } from "../external/identity-note.ts";
import { listOfferedProviders } from "../external/offered-providers.ts";
import { formTokenField } from "../form-token.ts";
import { html, isolate, type Markup } from "../markup/html.ts";
import type { Texts } from "../texts/texts.ts";
import type { LoginWay } from "./way.ts";

/**
 * A button for each identity provider that the login offers. There are none for users who are about to link an identity: they log in
 * here, and a provider would only bring another identity, or the same one again.
 */
export const identityProvidersWay: LoginWay = {
  async render({ ports, state, texts, cookie }) {
    if (findIdentity(state.interaction, "link") !== undefined) return undefined;
    const providers = await ports.context.database.read((tx) => listOfferedProviders(tx, state));
    if (providers.length === 0) return undefined;
    return html`<form method="post" action="/login/${state.interaction.id}/idp">
${formTokenField(cookie)}
${providers.map((provider) => renderProviderButton(provider, texts))}
</form>`;
  },
};

/** Makes the button that names the provider in the form that it stands in. */
export function renderProviderButton({ id, name, stylingType }: IdentityProvider, texts: Texts): Markup {
  const isOfGoogle = stylingType === "STYLING_TYPE_GOOGLE";
  const text = name.trim() === "" && isOfGoogle ? texts.identityProviders.google : name;
  return html`<button type="submit" class="second provider${isOfGoogle && html` idp-google`}" name="provider" value="${id}">${isOfGoogle && googleMark}${isolate(text)}</button>
`;
}

/** Google's mark in its four colours. It repeats the text beside it. */
const googleMark = html`<svg viewBox="0 0 48 48" aria-hidden="true" focusable="false">
<path fill="#4285F4" d="M24 20v8.5h12.1A10.6 10.6 0 0 1 31.6 35.2l7.2 5.6A21 21 0 0 0 44.6 20z"/>
<path fill="#34A853" d="M31.6 35.2A12.9 12.9 0 0 1 11.9 28.7l-7.4 5.7A21.500 21.500 0 0 0 38.8 40.8z"/>
<path fill="#FBBC05" d="M11.9 28.7a13 13 0 0 1 0-9.4l-7.4-5.7a21.6 21.6 0 0 0 0 20.8z"/>
<path fill="#EA4335" d="M11.9 19.3A12.9 12.9 0 0 1 32.3 14.5l6.200-6.200A21.500 21.500 0 0 0 4.500 13.6z"/>
</svg>`;
