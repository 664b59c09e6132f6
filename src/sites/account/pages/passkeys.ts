import type { Passkey } from "../../../identity/factors/passkeys/passkey.ts";
import { html, isolate, type Markup } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import { formatDate, renderMore, renderRows, toListRequest } from "../render.ts";

/** Shows the passkeys of the user, and leads to what adds and removes them. */
export const passkeysPage: AccountPage = {
  name: "passkeys",
  async show(visit) {
    const { ports, call, words, path, render } = visit;
    const { lead, none, add } = words.passkeys;
    const { page } = await ports.users.passkeys.list(call, call.caller.userId, toListRequest(visit));
    const ready = page.items.filter(({ state }) => state === "READY");
    const rows = ready.map((passkey) => renderPasskey(visit, passkey));
    const body = html`${rows.length > 0 && html`<p class="lead">${lead}</p>`}
${renderRows(rows, none)}
${renderMore(visit, page.nextPageToken)}
${arePasskeysOffered(visit) && html`<p class="more"><a class="button second" href="${path}/new">${add}</a></p>`}`;
    return render({ title: words.places.passkeys.title, body });
  },
};

/** Says whether the user can log in with a passkey on pages of ours: the organization allows it, and they have a relying party. */
export function arePasskeysOffered({
  ports,
  issuer,
  user,
}: Pick<AccountVisit, "ports" | "issuer" | "user">): boolean {
  return user.policy.allowPasskeys && ports.factors.domainOf(issuer) !== undefined;
}

/** Names a passkey as its user knows it. A call may have given it no name. */
export function toPasskeyName(
  { words }: Pick<AccountVisit, "words">,
  { name }: Pick<Passkey, "name">,
): string {
  return name === "" ? words.passkeys.defaultName : name;
}

function renderPasskey(visit: AccountVisit, passkey: Passkey): Markup {
  const { words, path } = visit;
  const { added, copied } = words.passkeys;
  const name = toPasskeyName(visit, passkey);
  const facts = [
    added({ date: formatDate(visit, passkey.details.creationDate) }),
    ...(passkey.isBackedUp ? [copied] : []),
  ];
  return html`<strong>${isolate(name)}</strong>
<span class="hint">${facts.join(", ")}</span>
<a href="${path}/${passkey.id}">${words.remove}<span class="hidden"> ${isolate(name)}</span></a>`;
}
