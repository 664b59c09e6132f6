import { findTotp, getSecondFactor } from "../../../identity/factors/second-factors/repository.ts";
import { findCodeFactorById } from "../../../identity/factors/code-factors/repository.ts";
import type { SecondFactor } from "../../../identity/factors/second-factors/u2f.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { html } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import { accountPath } from "../../login/standalone/account-path.ts";
import { redirectDone, renderForm } from "../render.ts";
import { tryChange } from "../try-change.ts";
import { toFactorName } from "./factors.ts";

/** Asks whether a second factor of the user shall go. */
export const removeFactorPage: AccountPage = {
  name: "factors",
  hasId: true,
  isGuarded: true,
  show: (visit) => show(visit),
  async submit(visit) {
    const { ports, call, id } = visit;
    const { userId } = call.caller;
    const { totp, u2f, codeFactors } = ports.users;
    const { type } = await readFactor(visit);
    const fault = await tryChange(visit, () => {
      if (type === "TOTP") return totp.remove(call, userId);
      if (type === "U2F") return u2f.remove(call, { userId, u2fId: id });
      return codeFactors.remove(call, { userId, codeFactorId: id });
    });
    if (fault !== undefined) return await show(visit, fault);
    return redirectDone(visit, `${accountPath}/factors`, "factor-removed");
  },
};

async function show(visit: AccountVisit, fault?: Fault): Promise<Reply> {
  const { words, render } = visit;
  const { removeTitle, removeLead } = words.factors;
  const button = html`<button type="submit">${words.remove}</button>`;
  const body = html`<p class="lead">${removeLead({ name: toFactorName(visit, await readFactor(visit)) })}</p>
${renderForm(visit, button)}`;
  return render({ title: removeTitle, body, fault });
}

async function readFactor({
  ports,
  call,
  id,
}: AccountVisit): Promise<Pick<SecondFactor, "id" | "name" | "type">> {
  const { userId } = call.caller;
  return await ports.context.database.read(async (tx) => {
    const codes = await findCodeFactorById(tx, userId, id);
    if (codes !== undefined) return { ...codes, name: "" };
    const app = await findTotp(tx, userId);
    return app?.id === id ? app : { ...(await getSecondFactor(tx, userId, id)), type: "U2F" };
  });
}
