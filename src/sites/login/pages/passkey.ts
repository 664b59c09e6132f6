import type { ProvedPasskey } from "../../../identity/factors/passkeys/login-commands.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { readKeyAnswer, renderKeyForm } from "../forms/key-form.ts";
import { html } from "../markup/html.ts";
import { addCheck } from "../interaction.ts";
import { redirectTo } from "../layout.ts";
import type { ChangeInteraction, LoginPage, LoginVisit } from "../login-page.ts";
import { PageRefusal } from "../page-refusal.ts";
import { findPasskeyUser, isPasskeyOffered } from "../passkey-offer.ts";

/**
 * Lets users log in with a passkey, which also identifies them. Whatever is wrong, the page and its status are the same, so that it
 * does not show which users exist. Where passkeys cannot be used there is nothing at its path.
 */
export const passkeyPage: LoginPage = createPasskeyPage({ name: "passkey", insteadOf: "password" });

/** Asks users for their passkey where what they have proved is not enough. */
export const passkeyNeededPage: LoginPage = createPasskeyPage({ name: "passkey-needed" });

function createPasskeyPage(place: Pick<LoginPage, "name" | "insteadOf">): LoginPage {
  return {
    ...place,
    show: (visit) => render(visit, place, {}),
    async submit(visit, form) {
      requireOffer(visit);
      const { exchange, ports, state, texts } = visit;
      const { remoteAddress, requestId } = exchange;
      const answer = readKeyAnswer(form);
      const tried = await ports.passkeys.check(toPasskeyLogin(visit), { answer, remoteAddress, requestId });
      if (tried.kind === "paused")
        return { kind: "page", reply: await renderPaused(visit, place, tried.retryAfterMs) };
      const user =
        tried.kind === "right" &&
        (await ports.context.database.read((tx) => findPasskeyUser(tx, state, tried.userId)));
      if (tried.kind === "right" && user !== undefined)
        return { kind: "go-on", change: settlePasskey(tried, place) };
      return { kind: "page", reply: await render(visit, place, { problem: texts.passkey.wrong }) };
    },
  };
}

/** The user may have been locked since the answer was checked, and the passkey removed: then the page is shown again. */
function settlePasskey(proved: ProvedPasskey, { name }: Pick<LoginPage, "name">): ChangeInteraction {
  return async (tx, state) => {
    const { interaction, issuer, nowMs } = state;
    const found = await findPasskeyUser(tx, state, proved.userId);
    const settled = found && (await proved.settle(tx));
    if (found === undefined || settled === undefined)
      return { reply: redirectTo(`${issuer}/login/${interaction.id}/${name}`) };
    const user = { id: found.user.id, lockCount: found.lockCount };
    return {
      interaction: addCheck(interaction, user, { ...settled.check, dateMs: nowMs }),
      events: settled.events,
    };
  };
}

/** Raises the page of a path at which there is nothing. */
function requireOffer({ state }: LoginVisit): void {
  if (!isPasskeyOffered(state)) throw new PageRefusal("not-found");
}

function toPasskeyLogin({ state }: LoginVisit) {
  return { issuer: state.issuer, loginId: state.interaction.id };
}

async function renderPaused(
  visit: LoginVisit,
  place: Pick<LoginPage, "name" | "insteadOf">,
  retryAfterMs: number,
): Promise<Reply> {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return await render(visit, place, { problem: visit.texts.passkey.paused, status: 429, headers });
}

/** Each time the page is shown it has a new challenge. */
async function render(
  visit: LoginVisit,
  { name, insteadOf }: Pick<LoginPage, "name" | "insteadOf">,
  shown: {
    readonly problem?: string;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Reply> {
  requireOffer(visit);
  const { ports, state, texts, cookie } = visit;
  const { id } = state.interaction;
  const { problem, status = 200, headers = {} } = shown;
  const options = await ports.passkeys.begin(toPasskeyLogin(visit));
  if (options === undefined) throw new PageRefusal("not-found");
  const { title, lead, neededLead, button, another, ...words } = texts.passkey;
  const action = `/login/${id}/${name}`;
  const form = { texts, words, action, cookie, ceremony: "passkey", options, button, problem } as const;
  const body = html`<p class="lead">${insteadOf === undefined ? neededLead : lead}</p>
${renderKeyForm(form)}
${insteadOf !== undefined && html`<div class="links"><p><a href="/login/${id}">${another}</a></p></div>`}`;
  return visit.render({ title, body, status, headers, scripts: ["webauthn.js"] });
}
