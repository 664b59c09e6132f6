import { listQuestionedWays } from "../../../identity/factors/reviews/repository.ts";
import type { QuestionedWay } from "../../../identity/factors/reviews/review.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { formTokenField } from "../form-token.ts";
import { html, isolate, type Markup } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { ChangeInteraction, LoginPage, LoginVisit } from "../login-page.ts";
import { requireLoginUser } from "../login-state.ts";
import type { PageForm } from "../page-form.ts";
import { noteReview } from "../steps/review-factors.ts";
import type { Texts } from "../texts/texts.ts";

/** Asks users who have gained roles to keep or remove each way to log in that others have set for them. */
export const reviewFactorsPage: LoginPage = {
  name: "review-factors",
  show: (visit) => render(visit),
  async submit(visit, form) {
    const ways = await readWays(visit);
    if (ways.every((way) => choiceOf(form, way) !== undefined))
      return { kind: "go-on", change: decide(form) };
    return { kind: "page", reply: await render(visit, { form, problem: visit.texts.reviewFactors.missing }) };
  },
};

type Choice = "keep" | "remove";

function decide(form: PageForm): ChangeInteraction {
  return async (tx, { interaction, issuer, user }) => {
    const decided = await listQuestionedWays(tx, requireLoginUser({ user }).user.id);
    // Another one may have come since the page was shown.
    if (decided.some((way) => choiceOf(form, way) === undefined))
      return { reply: redirectTo(`${issuer}/login/${interaction.id}`) };
    const removed = decided.filter((way) => choiceOf(form, way) === "remove");
    const events = decided.map((way) => (removed.includes(way) ? way.remove : way.keep));
    return { interaction: noteReview(interaction, { decided, removed }), events };
  };
}

function choiceOf(form: PageForm | undefined, { id }: QuestionedWay): Choice | undefined {
  const choice = form?.get(`factor-${id}`);
  return choice === "keep" || choice === "remove" ? choice : undefined;
}

async function readWays({ ports, state }: LoginVisit): Promise<readonly QuestionedWay[]> {
  const { user } = requireLoginUser(state);
  return await ports.context.database.read((tx) => listQuestionedWays(tx, user.id));
}

async function render(
  visit: LoginVisit,
  { form, problem }: { readonly form?: PageForm; readonly problem?: string } = {},
): Promise<Reply> {
  const { texts, state, cookie } = visit;
  const { title, lead } = texts.reviewFactors;
  const ways = await readWays(visit);
  const body = html`<p class="lead">${lead}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/${state.interaction.id}/review-factors">
${formTokenField(cookie)}
${ways.map((way) => renderWay(texts, way, choiceOf(form, way)))}
<button type="submit">${texts.continue}</button>
</form>`;
  return visit.render({ title, body, isTrusted: true });
}

function renderWay(texts: Texts, way: QuestionedWay, chosen: Choice | undefined): Markup {
  const { added, keep, remove } = texts.reviewFactors;
  const date = new Date(way.details.creationDate / 1000);
  const day = date.toLocaleDateString(texts.locale, { dateStyle: "long", timeZone: "UTC" });
  const choice = (value: Choice, label: string) =>
    html`<label class="choice"><input type="radio" name="factor-${way.id}" value="${value}" required${chosen === value && html` checked`}> ${label}</label>`;
  return html`<fieldset>
<legend>${nameOf(texts, way)}</legend>
<p class="hint">${added({ day: html`${day}` })}</p>
${choice("keep", keep)}
${choice("remove", remove)}
</fieldset>`;
}

function nameOf({ reviewFactors: words }: Texts, { kind, name, providerName }: QuestionedWay): Markup {
  if (kind === "IDP_LINK") {
    const names = { provider: providerName ?? "", identity: name };
    return (name === "" ? words.identity : words.namedIdentity)(names);
  }
  return name === "" ? html`${words.kinds[kind]}` : isolate(name);
}
