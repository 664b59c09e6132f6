import { findUserById } from "../../../identity/people/user/repository.ts";
import { formTokenField } from "../form-token.ts";
import { html } from "../markup/html.ts";
import type { ChangeInteraction, LoginPage, LoginVisit } from "../login-page.ts";
import { restOn } from "../interaction.ts";
import { doesSessionCount } from "../session-use.ts";

/** Asks whether to go on with the account of the browser's session, or with another one. */
export const accountPage: LoginPage = {
  name: "account",
  async show(visit) {
    const { texts, state, cookie } = visit;
    const { session, application, interaction } = state;
    const user = await findSessionUser(visit);
    const form = (
      choice: string,
      button: ReturnType<typeof html>,
    ) => html`<form method="post" action="/login/${interaction.id}/account">
${formTokenField(cookie)}
<input type="hidden" name="session" value="${session?.session.id}">
<input type="hidden" name="choice" value="${choice}">
${button}
</form>`;
    const body = html`<p class="lead">${texts.account.lead({ application: application?.application.name ?? texts.instanceName })}</p>
${form("continue", html`<button type="submit">${texts.account.use({ name: user })}</button>`)}
${form("another", html`<button type="submit" class="second">${texts.account.another}</button>`)}`;
    return visit.render({ title: texts.account.title, body });
  },
  async submit(_visit, form) {
    const shown = form.get("session") ?? "";
    return { kind: "go-on", change: form.get("choice") === "continue" ? useAccount(shown) : useAnother };
  },
};

async function findSessionUser({ ports, state }: LoginVisit): Promise<string> {
  const id = state.session?.user.id ?? "";
  const user = await ports.context.database.read((tx) => findUserById(tx, id));
  return user === undefined ? "" : user.username;
}

/** Only the account that was shown is used: another window may have changed the session since. */
function useAccount(sessionId: string): ChangeInteraction {
  return async (tx, { interaction, session, nowMs }) => {
    if (session?.session.id !== sessionId) return { interaction };
    const chosen = { ...interaction, isAccountChosen: true };
    const mayCount = await doesSessionCount(tx, session, { request: interaction.request, nowMs });
    return { interaction: mayCount ? restOn(chosen, session) : chosen };
  };
}

const useAnother: ChangeInteraction = async (_tx, { interaction }) => ({
  interaction: { ...interaction, isAccountChosen: true },
});
