import { addressOf, maskAddress } from "../../../identity/factors/code-factors/code-factor.ts";
import type { CodeFactorKind } from "../../../identity/policies/login-policy.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { renderSentCodeForms } from "../forms/sent-code-forms.ts";
import { html, type Markup } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { LoginPage, LoginVisit, PageAnswer } from "../login-page.ts";
import { requireLoginUser } from "../login-state.ts";
import type { PageForm } from "../page-form.ts";
import { listFactorWays, listNewCodeKinds } from "../steps/second-factor.ts";
import type { LoginState } from "../login-state.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type FactorProblem, offersOf, pausedProblem } from "./factor-ways.ts";
import { settleFactor } from "../settle-factor.ts";

/** Sends a code to an address of the user, and asks for it. It is also the page of the step where the user has nothing better. */
export const emailCodePage = createPage({ name: "email-code", kind: "EMAIL_CODE", isNew: false });
/** As `emailCodePage`, by SMS. */
export const smsCodePage = createPage({ name: "sms-code", kind: "SMS_CODE", isNew: false });
/** Lets a user who needs a second factor and has none add codes by email. */
export const newEmailCodePage = createPage({ name: "new-email-code", kind: "EMAIL_CODE", isNew: true });
/** As `newEmailCodePage`, by SMS. */
export const newSmsCodePage = createPage({ name: "new-sms-code", kind: "SMS_CODE", isNew: true });

interface AskedCode {
  readonly kind: CodeFactorKind;
  /** Whether the factor is added by the code. Default: it is there. */
  readonly isNew?: boolean;
}

function newCodePageOf(kind: CodeFactorKind): string {
  return kind === "EMAIL_CODE" ? newEmailCodePage.name : newSmsCodePage.name;
}

function createPage(page: Required<AskedCode> & { readonly name: string }): LoginPage {
  const { name, isNew } = page;
  return {
    name,
    insteadOf: isNew ? "new-factor" : "second-factor",
    show: (visit) => renderCode(visit, page),
    async submit(visit, form) {
      if (!(await isOffered(visit, page))) return { kind: "page", reply: toStep(visit) };
      return form.get("choice") === "send" ? await send(visit, page) : await check(visit, page, form);
    },
  };
}

async function send(visit: LoginVisit, page: AskedCode): Promise<PageAnswer> {
  const { exchange, ports, state, texts } = visit;
  const { user } = requireLoginUser(state);
  try {
    await ports.codes.send(exchange.requestId, { userId: user.id, kind: page.kind });
    return { kind: "page", reply: await renderCode(visit, page, { isSent: true }) };
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "internal") throw error;
    const { retryAfterMs = 0 } = error;
    const shown =
      retryAfterMs > 0
        ? { ...pausedProblem(texts, { retryAfterMs }), problem: texts.sentCode.tooMany, isSent: true }
        : { problem: texts.sentCode.unsent };
    return { kind: "page", reply: await renderCode(visit, page, shown) };
  }
}

async function check(visit: LoginVisit, page: AskedCode, form: PageForm): Promise<PageAnswer> {
  const { exchange, ports, state, texts } = visit;
  const { kind, isNew = false } = page;
  const { user } = requireLoginUser(state);
  const { remoteAddress, requestId } = exchange;
  const origin = { editor: user.id, remoteAddress, requestId };
  const code = new Secret(form.get("code") ?? "");
  const tried = await ports.codes.check({ userId: user.id, kind, code, isNew }, origin);
  switch (tried.kind) {
    case "wrong": {
      const problem = tried.reason === "CODE_INVALID" ? texts.sentCode.wrong : texts.sentCode.gone;
      return { kind: "page", reply: await renderCode(visit, page, { problem, isSent: true }) };
    }
    case "paused":
      return {
        kind: "page",
        reply: await renderCode(visit, page, { ...pausedProblem(texts, tried), isSent: true }),
      };
    case "right":
      return {
        kind: "go-on",
        change: settleFactor(tried, (tx, now) => isOfferedNow(tx, { ports, state: now }, page)),
      };
  }
}

/** Shows the page: before a code was sent the button that sends one, afterwards the field that takes it. */
export async function renderCode(
  visit: LoginVisit,
  page: AskedCode,
  shown: FactorProblem & { readonly isSent?: boolean } = {},
): Promise<Reply> {
  const { state, texts, cookie } = visit;
  const { kind, isNew = false } = page;
  const { problem, status = 200, headers = {}, isSent = false } = shown;
  const address = addressOf(requireLoginUser(state).user, kind);
  if (address === undefined || !(await isOffered(visit, page))) return toStep(visit);
  const name = isNew ? newCodePageOf(kind) : kind === "EMAIL_CODE" ? "email-code" : "sms-code";
  const action = `/login/${state.interaction.id}/${name}`;
  const masked = maskAddress(address, kind);
  const others = isNew ? [] : (await offersOf(visit)).others(kind);
  const body = html`${renderSentCodeForms({ texts, action, cookie, kind, address: masked, problem, isSent })}
${others}`;
  return visit.render({ title: texts.sentCode.title, body, status, headers });
}

/** Links to the pages that add codes which are sent, from those of better factors. */
export async function renderNewCodeLinks(visit: LoginVisit): Promise<readonly Markup[]> {
  const { ports, state, texts } = visit;
  const kinds = await ports.context.database.read((tx) => listNewCodeKinds(tx, visit));
  return kinds.map(
    (kind) =>
      html`<p><a class="button second" href="/login/${state.interaction.id}/${newCodePageOf(kind)}">${texts.otherFactor[kind]}</a></p>
`,
  );
}

function toStep({ issuer, state }: LoginVisit): Reply {
  return redirectTo(`${issuer}/login/${state.interaction.id}`);
}

async function isOffered(visit: LoginVisit, page: AskedCode): Promise<boolean> {
  return await visit.ports.context.database.read((tx) => isOfferedNow(tx, visit, page));
}

async function isOfferedNow(
  tx: ReadTransaction,
  visit: { readonly ports: Pick<LoginVisit["ports"], "codes">; readonly state: LoginState },
  { kind, isNew = false }: AskedCode,
): Promise<boolean> {
  const ways = isNew ? await listNewCodeKinds(tx, visit) : await listFactorWays(tx, visit.state);
  return ways.includes(kind);
}
