import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId, type UserId } from "../../../kernel/base/ids.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Reason } from "../../../kernel/base/reason.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import { releaseTry, reserveTry } from "../../../identity/logins/tries/repository.ts";
import { addressKeyOf, addressLimits } from "../../../identity/logins/tries/try.ts";
import { findBrokenRule } from "../../../identity/people/passwords/password.ts";
import {
  checkNewPassword,
  setOwnPassword,
  usePasswordResetCode,
} from "../../../identity/people/passwords/password-change.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { accountPathOf } from "../standalone/account-path.ts";
import { findApplicationHome } from "../standalone/application-home.ts";
import type { LoginUser } from "../login-state.ts";
import { findLoginUser } from "../login-users.ts";
import { formTokenField, requireOwnForm } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import {
  FaultyPassword,
  faultOf,
  readNewPassword,
  renderNewPasswordFields,
} from "../forms/password-fields.ts";
import { ownCookieOf, readOwnCookie } from "../standalone/own-cookie.ts";
import type { StandalonePage, StandaloneVisit } from "../standalone-page.ts";
import { toRuleText } from "../texts/texts.ts";

const cookieName = "gh_password";

/**
 * Takes a code that sets a password: for a user that has forgotten theirs, and as an invitation for a user that has none yet. What
 * the link says is looked at only when the form is sent, so that a program that looks at links for the user uses nothing up. It
 * logs nobody in, and no second factor is replaced.
 */
export const resetPasswordPage: StandalonePage = {
  name: "password",
  isSafe: true,
  async show(visit, userId) {
    const query = new URLSearchParams(visit.exchange.query);
    return render(visit, {
      userId,
      code: query.get("code") ?? "",
      clientId: query.get("client_id") ?? "",
    });
  },
  async submit(visit, userId, form) {
    requireOwnForm(visit.exchange, form, readOwnCookie(visit, cookieName));
    const shown = { userId, code: form.get("code") ?? "", clientId: form.get("client_id") ?? "" };
    const { resetPassword } = visit.texts;
    const read = readNewPassword(form);
    if ("fault" in read) return render(visit, { ...shown, problem: toRuleText(visit.texts, read.fault, 0) });
    const result = await reset(visit, { userId, code: shown.code, password: read.password });
    switch (result.kind) {
      case "paused":
        return renderPaused(visit, shown, result.retryAfterMs);
      case "wrong":
        return render(visit, { ...shown, problem: resetPassword.wrong });
      case "faulty":
        return render(visit, { ...shown, problem: toRuleText(visit.texts, result.fault, result.minLength) });
      case "done":
        return await renderEnd(visit, shown.clientId, result.organizationId);
    }
  },
};

interface Shown {
  readonly userId: string;
  readonly code: string;
  readonly clientId: string;
  readonly problem?: string | Markup;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type ResetResult =
  | { readonly kind: "done"; readonly organizationId: OrganizationId }
  | { readonly kind: "wrong" }
  | { readonly kind: "paused"; readonly retryAfterMs: number }
  | { readonly kind: "faulty"; readonly fault: FaultyPassword["fault"]; readonly minLength: number };

/** Codes that are wrong, too late or used look the same, as do users who do not exist. */
const codeReasons: ReadonlySet<Reason> = new Set([
  "CODE_INVALID",
  "CODE_EXPIRED",
  "CODE_NOT_PENDING",
] as const);

/** Breaks no rule but those that are the same for everybody. */
const nobody = {
  policy: { minPasswordLength: 0 },
  user: { username: "", email: "", givenName: "", familyName: "" },
  place: { organizationName: undefined, issuer: undefined },
};

interface Attempt {
  readonly userId: string;
  readonly code: string;
  readonly password: string;
}

/** Computes the hash first, for every user: how long it takes says nothing about users and codes. */
async function reset(visit: StandaloneVisit, attempt: Attempt): Promise<ResetResult> {
  const { ports, exchange } = visit;
  const { context, passwords, breached } = ports;
  const reservedMs = context.clock.nowMs();
  const counter = { kind: "address", key: addressKeyOf(context.keyring, exchange.remoteAddress) } as const;
  const tried = await context.database.write((tx) =>
    reserveTry(tx, { ...counter, nowMs: reservedMs, limits: addressLimits }),
  );
  if (!tried.isAllowed) return { kind: "paused", retryAfterMs: tried.retryAfterMs };
  const encoded = await passwords.hash(attempt.password);
  const listed = await checkNewPassword({ ...nobody, password: attempt.password, breached });
  try {
    const organizationId = await context.database.write(async (tx) => {
      const nowMs = context.clock.nowMs();
      const found = await findPasswordUser(tx, attempt.userId);
      const userId = found?.user.id ?? toId<UserId>("0");
      const code = new Secret(attempt.code);
      const origin = await usePasswordResetCode(tx, { userId, code, keyring: context.keyring, nowMs });
      if (origin instanceof Problem) return origin;
      if (found === undefined) throw new Error("a code was right that nobody has");
      requireGood({ password: attempt.password, issuer: visit.issuer, listed }, found);
      const events = await setOwnPassword(tx, found.user, { encoded, isChangeRequired: false, origin });
      await releaseTry(tx, counter, { reservedMs, nowMs });
      const { remoteAddress, requestId } = exchange;
      await context.log.append(tx, { editor: userId, remoteAddress, requestId }, events);
      return found.organization.id;
    });
    return { kind: "done", organizationId };
  } catch (error) {
    if (error instanceof FaultyPassword)
      return { kind: "faulty", fault: error.fault, minLength: error.minLength };
    if (error instanceof Problem && codeReasons.has(error.reason)) return { kind: "wrong" };
    throw error;
  }
}

/** Finds the user; undefined if there is none who may log in, or no password lets them in, so that no code sets one. */
async function findPasswordUser(tx: ReadTransaction, userId: string): Promise<LoginUser | undefined> {
  const found = await findLoginUser(tx, toId<UserId>(userId));
  return found?.policy.allowPassword === true ? found : undefined;
}

/** Only a user with the code learns what is wrong, and may use it for another password. */
function requireGood(
  chosen: {
    readonly password: string;
    readonly issuer: string;
    /** What is wrong for every user. */
    readonly listed: Problem | undefined;
  },
  { user, policy, organization }: LoginUser,
): void {
  const { password, issuer, listed } = chosen;
  const broken = findBrokenRule(password, user, policy, { organizationName: organization.name, issuer });
  if (broken !== undefined) throw new FaultyPassword(broken, policy.minPasswordLength);
  if (listed !== undefined) throw new FaultyPassword(faultOf(listed), policy.minPasswordLength);
}

async function renderEnd(
  visit: StandaloneVisit,
  clientId: string,
  organizationId: OrganizationId,
): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const home = await ports.context.database.read((tx) => findApplicationHome(tx, clientId, issuer));
  if (home !== undefined) return redirectTo(home);
  const { doneTitle, done } = texts.resetPassword;
  const body = html`<p class="lead" role="status">${done}</p>
${clientId === "" && html`<p><a class="button second" href="${accountPathOf(organizationId)}">${texts.toAccount}</a></p>`}`;
  return ports.layout.renderPage({ texts, title: doneTitle, body, isIsolated: true });
}

function renderPaused(visit: StandaloneVisit, shown: Shown, retryAfterMs: number): Reply {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return render(visit, { ...shown, problem: visit.texts.newPassword.paused, status: 429, headers });
}

function render(visit: StandaloneVisit, shown: Shown): Reply {
  const { ports, texts } = visit;
  const { userId, code, clientId, problem, status = 200, headers = {} } = shown;
  const own = ownCookieOf(visit, cookieName);
  const { title, lead, code: codeLabel, submit } = texts.resetPassword;
  const codeField =
    code === ""
      ? html`<div class="field">
<label for="code">${codeLabel}</label>
<input id="code" name="code" type="text" value="" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="64" required>
</div>`
      : html`<input type="hidden" name="code" value="${code}">`;
  const body = html`<p class="lead">${lead}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/password/${encodeURIComponent(userId)}">
${formTokenField(own.cookie)}
<input type="hidden" name="client_id" value="${clientId}">
${codeField}
${renderNewPasswordFields(texts, undefined)}
<button type="submit">${submit}</button>
</form>`;
  return ports.layout.renderPage({
    texts,
    title,
    body,
    status,
    headers: { ...own.headers, ...headers },
    isIsolated: true,
  });
}
