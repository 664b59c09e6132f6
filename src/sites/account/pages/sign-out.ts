import { terminateSession } from "../../../identity/logins/sessions/session.ts";
import { write } from "../../../identity/context.ts";
import { organizationParameter } from "../../login/standalone/account-path.ts";
import { endedSessionCookie } from "../../login/cookies/session-cookies.ts";
import { html } from "../../login/markup/html.ts";
import { redirectTo } from "../../login/layout.ts";
import type { AccountPage } from "../account-page.ts";
import { signedOutPath } from "../path.ts";
import { renderForm, renderSignedOut } from "../render.ts";

/** Ends the session of the browser. The applications in it are notified, as at every end of a session. */
export const signOutPage: AccountPage = {
  name: "sign-out",
  takesAnySession: true,
  async show(visit) {
    const { title, lead, submit } = visit.texts.logout;
    const button = html`<button type="submit">${submit}</button>`;
    return visit.render({ title, body: html`<p class="lead">${lead}</p>\n${renderForm(visit, button)}` });
  },
  async submit(visit) {
    const { ports, call, issuer, session, user, label } = visit;
    const organizationId = user.organization.id;
    const detour = await write(ports.context, call, async ({ tx, append }) => {
      await append([terminateSession(session.session, "logout")]);
      const makePath = async () => `${signedOutPath}?${organizationParameter}=${organizationId}`;
      return await ports.browserLogouts.begin(tx, { session: session.session, issuer, makePath });
    });
    const ended = endedSessionCookie(issuer);
    if (detour !== undefined) return redirectTo(detour.location, [ended, detour.cookie]);
    return renderSignedOut(ports, visit, { organizationId, label, cookies: [ended] });
  },
};
