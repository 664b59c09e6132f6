import { findRecoveryCodes } from "../../../identity/factors/recovery-codes/repository.ts";
import type { SecondFactor } from "../../../identity/factors/second-factors/u2f.ts";
import { html, isolate } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import { accountPath } from "../../login/standalone/account-path.ts";
import { canAddCodes } from "./add-codes.ts";
import { formatDate, renderMore, renderRows, toListRequest } from "../render.ts";

/** Shows the second factors of the user, and leads to what adds and removes them. */
export const factorsPage: AccountPage = {
  name: "factors",
  async show(visit) {
    const { ports, call, words, path, user, render } = visit;
    const { lead, none, added, add, addApp, addCodes, codesLead, makeCodes } = words.factors;
    const { page } = await ports.users.u2f.list(call, call.caller.userId, toListRequest(visit));
    const ready = page.items.filter(({ state }) => state === "READY");
    const rows = ready.map((factor) => {
      const name = toFactorName(visit, factor);
      return html`<strong>${isolate(name)}</strong>
<span class="hint">${added({ date: formatDate(visit, factor.details.creationDate) })}</span>
<a href="${path}/${factor.id}">${words.remove}<span class="hidden"> ${isolate(name)}</span></a>`;
    });
    const { secondFactors } = user.policy;
    const hasApp = page.items.some(({ type, state }) => type === "TOTP" && state === "READY");
    const codes = await ports.context.database.read((tx) => findRecoveryCodes(tx, user.user.id));
    const body = html`${rows.length > 0 && html`<p class="lead">${lead}</p>`}
${renderRows(rows, none)}
${renderMore(visit, page.nextPageToken)}
${
  ready.some(({ type }) => type === "U2F" || type === "TOTP") &&
  codes === undefined &&
  html`<p class="lead">${codesLead}</p>
<p class="more"><a class="button" href="${accountPath}/recovery-codes">${makeCodes}</a></p>`
}
${secondFactors.includes("U2F") && html`<p class="more"><a class="button second" href="${path}/new">${add}</a></p>`}
${secondFactors.includes("TOTP") && !hasApp && html`<p class="more"><a class="button second" href="${path}/new-app">${addApp}</a></p>`}
${(await canAddCodes(visit, "EMAIL_CODE")) && html`<p class="more"><a class="button second" href="${path}/new-email-code">${addCodes.EMAIL_CODE}</a></p>`}
${(await canAddCodes(visit, "SMS_CODE")) && html`<p class="more"><a class="button second" href="${path}/new-sms-code">${addCodes.SMS_CODE}</a></p>`}`;
    return render({ title: words.places.factors.title, body });
  },
};

/** Names a factor as its user knows it. */
export function toFactorName(
  { texts, words }: Pick<AccountVisit, "texts" | "words">,
  { name, type }: Pick<SecondFactor, "name" | "type">,
): string {
  if (type === "TOTP") return words.factors.app;
  if (type !== "U2F") return words.factors.codes[type];
  return name === "" ? texts.securityKey.defaultName : name;
}
