import type { UserSession } from "../../../identity/logins/sessions/session.ts";
import { sessionNotFound } from "../../../identity/logins/sessions/session.ts";
import { html, type Markup } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import { formatDate, redirectDone, renderForm, renderMore, renderRows, toListRequest } from "../render.ts";
import { recogniseBrowser } from "../user-agent.ts";

/** Shows where the user is logged in, and ends sessions. The session of this browser ends by signing out. */
export const sessionsPage: AccountPage = {
  name: "sessions",
  async show(visit) {
    const { ports, call, words, render } = visit;
    const filter = { userId: call.caller.userId, state: "ACTIVE" } as const;
    const { page } = await ports.sessions.list(call, filter, toListRequest(visit));
    const { lead, othersLead, endOthers } = words.sessions;
    // Before a later part there were others.
    const hasOthers =
      toListRequest(visit).pageToken !== "" || page.items.some((session) => !isCurrent(visit, session));
    const rows = page.items.map((session) => renderSession(visit, session));
    const endAll = html`<input type="hidden" name="session" value="others">
<p class="hint">${othersLead}</p>
<button type="submit">${endOthers}</button>`;
    const body = html`<p class="lead">${lead}</p>
${renderRows(rows, "")}
${renderMore(visit, page.nextPageToken)}
${hasOthers && renderForm(visit, endAll)}`;
    return render({ title: words.places.sessions.title, body });
  },
  async submit(visit, form) {
    const chosen = form.get("session") ?? "";
    if (chosen === "others") {
      await endOtherSessions(visit);
      return redirectDone(visit, visit.path, "sessions-ended");
    }
    await endSession(visit, chosen);
    return redirectDone(visit, visit.path, "session-ended");
  },
};

async function endOtherSessions({ ports, call, session }: AccountVisit): Promise<void> {
  const { userId } = call.caller;
  await ports.users.refreshTokens.terminateAll(call, { userId, exceptSessionId: session.session.id });
}

/** The use case ends sessions of everybody in the organization. Whose a session is never changes. */
async function endSession({ ports, call }: AccountVisit, id: string): Promise<void> {
  const session = await ports.sessions.get(call, id);
  if (session.userId !== call.caller.userId) throw sessionNotFound(id);
  await ports.sessions.terminate(call, id);
}

function isCurrent({ session }: Pick<AccountVisit, "session">, { id }: UserSession): boolean {
  return id === session.session.id;
}

function renderSession(visit: AccountVisit, session: UserSession): Markup {
  const { words } = visit;
  const { begun, from, by, end, current, browser, unknownBrowser, methods } = words.sessions;
  const known = recogniseBrowser(session.userAgent);
  const name = known === undefined ? unknownBrowser : browser(known);
  const proved = session.checks.map(({ method }) => methods[method]).join(", ");
  const facts = [
    begun({ date: formatDate(visit, session.details.creationDate) }),
    ...(session.remoteAddress === "" ? [] : [from({ address: session.remoteAddress })]),
    by({ methods: html`${proved}` }),
  ];
  const endIt = html`<input type="hidden" name="session" value="${session.id}">
<button type="submit" class="second">${end({ browser: name })}</button>`;
  return html`<strong>${name}</strong>
<span class="hint">${facts.map((fact, index) => html`${index > 0 && ", "}${fact}`)}</span>
${isCurrent(visit, session) ? html`<span class="current">${current}</span>` : renderForm(visit, endIt, { isSmall: true })}`;
}
