import { getAuthenticator } from "../../../identity/factors/authenticators/repository.ts";
import { passkeyKind } from "../../../identity/factors/passkeys/passkey.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { html } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import { accountPath } from "../../login/standalone/account-path.ts";
import { redirectDone, renderForm } from "../render.ts";
import { tryChange } from "../try-change.ts";
import { toPasskeyName } from "./passkeys.ts";

/** Asks whether a passkey of the user shall go. */
export const removePasskeyPage: AccountPage = {
  name: "passkeys",
  hasId: true,
  isGuarded: true,
  show: (visit) => show(visit),
  async submit(visit) {
    const { ports, call, id } = visit;
    const asked = { userId: call.caller.userId, id };
    const fault = await tryChange(visit, () => ports.users.passkeys.remove(call, asked));
    if (fault !== undefined) return await show(visit, fault);
    return redirectDone(visit, `${accountPath}/passkeys`, "passkey-removed");
  },
};

async function show(visit: AccountVisit, fault?: Fault): Promise<Reply> {
  const { ports, words, user, id, render } = visit;
  const { removeTitle, removeLead } = words.passkeys;
  const asked = { userId: user.user.id, id };
  const passkey = await ports.context.database.read((tx) => getAuthenticator(tx, passkeyKind, asked));
  const button = html`<button type="submit">${words.remove}</button>`;
  const body = html`<p class="lead">${removeLead({ name: toPasskeyName(visit, passkey) })}</p>
${renderForm(visit, button)}`;
  return render({ title: removeTitle, body, fault });
}
