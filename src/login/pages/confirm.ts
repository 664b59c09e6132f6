import type { AuthorizationId, OrganizationId } from "../../base/ids.ts";
import { toId } from "../../base/ids.ts";
import { confirmAuthorization } from "../../features/authorizations/authorization.ts";
import { formTokenField } from "../form-token.ts";
import { html } from "../html.ts";
import type { ChangeInteraction, LoginPage } from "../login-page.ts";
import { requireLoginApplication, requireLoginUser } from "../login-state.ts";
import { listToldClaims } from "../texts/claims-of-scopes.ts";

/** Asks a user who logs in to an application of another organization for the first time whether to go on. */
export const confirmPage: LoginPage = {
  name: "confirm",
  async show(visit) {
    const { texts, state, cookie } = visit;
    const { application, organization } = requireLoginApplication(state);
    const { title, lead, told, claims } = texts.confirm;
    const names = { application: application.name, organization: organization.name };
    const learned = listToldClaims(state.interaction.request.scopes);
    const body = html`<p class="lead">${lead(names)}</p>
<p class="list">${told}</p>
<ul>${learned.map((claim) => html`<li>${claims[claim]}</li>`)}</ul>
<form method="post" action="/login/${state.interaction.id}/confirm">
${formTokenField(cookie)}
<button type="submit" name="choice" value="continue">${texts.continue}</button>
<button type="submit" name="choice" value="cancel" class="second">${texts.cancel}</button>
</form>`;
    return visit.render({ title: title(application.name), body });
  },
  async submit(_visit, form) {
    if (form.get("choice") !== "continue") return { kind: "refuse", refusal: "access_denied" };
    return { kind: "go-on", change: confirm };
  },
};

const confirm: ChangeInteraction = async (tx, state) => {
  const { user } = requireLoginUser(state);
  const event = confirmAuthorization({
    id: tx.nextId<AuthorizationId>(),
    userId: user.id,
    organizationId: toId<OrganizationId>(user.details.resourceOwner),
    applicationId: requireLoginApplication(state).application.id,
  });
  return { interaction: { ...state.interaction, isConfirmed: true }, events: [event] };
};
