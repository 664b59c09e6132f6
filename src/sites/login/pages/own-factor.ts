import { formTokenField } from "../form-token.ts";
import { html } from "../markup/html.ts";
import { startOver } from "../interaction.ts";
import type { LoginPage } from "../login-page.ts";

/** Tells users that an identity elsewhere is not enough for the roles that they have, and lets them log in in another way. */
export const ownFactorPage: LoginPage = {
  name: "own-factor",
  async show(visit) {
    const { texts, state, cookie } = visit;
    const { title, lead } = texts.ownFactor;
    const body = html`<p class="lead">${lead}</p>
<form method="post" action="/login/${state.interaction.id}/own-factor">
${formTokenField(cookie)}
<button type="submit">${texts.newIdentity.another}</button>
</form>`;
    return visit.render({ title, body, status: 403 });
  },
  async submit() {
    return {
      kind: "go-on",
      change: async (_tx, { interaction }) => ({ interaction: startOver(interaction) }),
    };
  },
};
