import { formTokenField } from "../form-token.ts";
import { html } from "../markup/html.ts";
import { startOver } from "../interaction.ts";
import type { ChangeInteraction, LoginPage } from "../login-page.ts";
import { requireLoginApplication, requireLoginUser } from "../login-state.ts";
import { noteAllowedDevice } from "../steps/allow-device.ts";

/** Asks the user whether the device that shows the code may act for the account that is logged in. */
export const allowDevicePage: LoginPage = {
  name: "allow-device",
  async show(visit) {
    const { texts, state, cookie } = visit;
    const { application, organization } = requireLoginApplication(state);
    const { user } = requireLoginUser(state);
    const { title, lead, own, account, allow } = texts.device;
    const names = { application: application.name, organization: organization.name };
    const body = html`<p class="lead">${lead(names)}</p>
<p class="code">${state.interaction.request.userCode}</p>
<p class="note">${own}</p>
<p class="lead">${account({ username: user.username })}</p>
<form method="post" action="/login/${state.interaction.id}/allow-device">
${formTokenField(cookie)}
<input type="hidden" name="account" value="${user.id}">
<button type="submit" name="choice" value="allow">${allow}</button>
<button type="submit" name="choice" value="cancel" class="second">${texts.cancel}</button>
<button type="submit" name="choice" value="another" class="second">${texts.account.another}</button>
</form>`;
    return visit.render({ title: title({ application: application.name }), body, isTrusted: true });
  },
  async submit(_visit, form) {
    switch (form.get("choice")) {
      case "allow":
        return { kind: "go-on", change: allowFor(form.get("account") ?? "") };
      case "another":
        return { kind: "go-on", change: useAnother };
      default:
        return { kind: "refuse", refusal: "access_denied" };
    }
  },
};

/** Only the account that was shown is used: in another window somebody else may have logged in since. */
function allowFor(userId: string): ChangeInteraction {
  return async (_tx, { interaction, user }) => ({
    interaction: user?.user.id === userId ? noteAllowedDevice(interaction) : interaction,
  });
}

const useAnother: ChangeInteraction = async (_tx, { interaction }) => ({
  interaction: startOver(interaction),
});
