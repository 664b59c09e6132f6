import { addAdministrator, type SetupRefusal } from "../../../identity/instance/administrator.ts";
import { isSetupLinkUsed, type UsedSetupLink } from "../../../identity/instance/repository.ts";
import { readSetupCode } from "../../../identity/instance/setup-link.ts";
import { changeLoginPolicy, type LoginPolicy } from "../../../identity/policies/login-policy.ts";
import { findLoginPolicy, readLoginPolicy } from "../../../identity/policies/repository.ts";
import { checkNewPassword } from "../../../identity/people/passwords/password-change.ts";
import { openPolicy } from "../../../identity/factors/ways-in/way-in.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { formTokenField, requireOwnForm } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import { redirectTo } from "../layout.ts";
import type { PageForm } from "../page-form.ts";
import { faultOf, readNewPassword, renderFirstPasswordFields } from "../forms/password-fields.ts";
import { findProfileFault, readProfile, renderProfileFields, type TypedProfile } from "../forms/profile.ts";
import { ownCookieOf, readOwnCookie } from "../standalone/own-cookie.ts";
import type { StandalonePage, StandaloneVisit } from "../standalone-page.ts";
import { type ProfileFault, toRuleText } from "../texts/texts.ts";
import { beginStandaloneSession } from "../standalone/begun-session.ts";
import { showSetupEnd, showSetupFactor, submitSetupFactor } from "./setup-factor.ts";
import { factorPath, setupCookieName } from "./setup-session.ts";
import { showSetupTotp, submitSetupTotp } from "./setup-totp.ts";

/** Lets the first administrator sign up with a link, and then offers a second factor. */
export const setupPage: StandalonePage = {
  name: "setup",
  async show(visit, rest) {
    if (rest === "factor") return await showSetupFactor(visit, undefined);
    if (rest === "totp") return await showSetupTotp(visit, {});
    if (rest === "done") return showSetupEnd(visit);
    const { database } = visit.ports.context;
    const link = readLink(visit, rest);
    if (link === undefined || (await database.read((tx) => isSetupLinkUsed(tx, link))))
      return renderGone(visit);
    return await render(visit, { code: rest, profile: readProfile(new Map()) });
  },
  async submit(visit, rest, form) {
    requireOwnForm(visit.exchange, form, readOwnCookie(visit, setupCookieName));
    if (rest === "factor") return await submitSetupFactor(visit, form);
    if (rest === "totp") return await submitSetupTotp(visit, form);
    return await signUp(visit, rest, form);
  },
};

async function signUp(visit: StandaloneVisit, code: string, form: PageForm): Promise<Reply> {
  const { ports, texts, issuer } = visit;
  const link = readLink(visit, code);
  if (link === undefined) return renderGone(visit);
  const profile = readProfile(form);
  const again = (problem: string | Markup, fault?: ProfileFault) =>
    render(visit, { code, profile, problem, fault });
  const fault = findProfileFault(profile);
  if (fault !== undefined) return again(texts.profile.faults[fault], fault);
  const read = readNewPassword(form);
  const problem =
    "fault" in read ? toRuleText(texts, read.fault, 0) : await checkPassword(visit, profile, read.password);
  if ("fault" in read || problem !== undefined) return again(problem ?? "");
  const encoded = await ports.passwords.hash(read.password);
  try {
    const cookie = await addInWrite(visit, link, { ...profile, encoded });
    return redirectTo(`${issuer}${factorPath}`, [cookie]);
  } catch (error) {
    if (!(error instanceof SetupRefused)) throw error;
    switch (error.refusal) {
      case "link_used":
        return renderGone(visit);
      case "username_taken":
        return again(texts.profile.faults.username_taken, "username_taken");
    }
  }
}

/** Thrown in the write, so that the link is not used up by what went wrong. */
class SetupRefused extends Error {
  readonly refusal: SetupRefusal;

  constructor(refusal: SetupRefusal) {
    super(refusal);
    this.name = "SetupRefused";
    this.refusal = refusal;
  }
}

/** Adds the administrator, logs them in, and returns the cookie of the session. */
async function addInWrite(
  visit: StandaloneVisit,
  link: UsedSetupLink,
  input: TypedProfile & { readonly encoded: string },
): Promise<string> {
  const { ports, exchange } = visit;
  return await ports.context.database.write(async (tx) => {
    const added = await addAdministrator(tx, { link, ...input });
    if (typeof added === "string") throw new SetupRefused(added);
    const policy = await readLoginPolicy(tx, undefined);
    const stored = await findLoginPolicy(tx, added.instanceId); // the one that nobody has set is open
    const opened =
      stored === undefined ? [] : changeLoginPolicy(stored, openPolicy(stored, hasRelyingParty(visit)));
    const login = { ...added, checks: [{ method: "PASSWORD" }] } as const;
    const session = await beginStandaloneSession(tx, visit, login, policy);
    const { remoteAddress, requestId } = exchange;
    const origin = { editor: added.userId, remoteAddress, requestId };
    await ports.context.log.append(tx, origin, [...opened, ...added.events, ...session.events]);
    return session.cookie;
  });
}

/** Returns the text for the rule that the new password breaks, or undefined. */
async function checkPassword(
  visit: StandaloneVisit,
  profile: TypedProfile,
  password: string,
): Promise<string | Markup | undefined> {
  const { ports, texts, issuer } = visit;
  const policy = await readPolicy(visit);
  const { breached } = ports;
  const place = { organizationName: undefined, issuer }; // that of the first start has the name of the service
  const problem = await checkNewPassword({ policy, user: profile, place, password, breached });
  return problem && toRuleText(texts, faultOf(problem), policy.minPasswordLength);
}

/** Reads the policy of the instance, which applies to users with a role there. */
async function readPolicy({ ports }: StandaloneVisit): Promise<LoginPolicy> {
  return await ports.context.database.read(async (tx) => readLoginPolicy(tx, undefined));
}

function hasRelyingParty({ ports, issuer }: StandaloneVisit): boolean {
  return ports.factors.domainOf(issuer) !== undefined;
}

function readLink({ ports }: StandaloneVisit, code: string): UsedSetupLink | undefined {
  const { keyring, clock } = ports.context;
  return readSetupCode(code, { keyring, nowMs: clock.nowMs() });
}

function renderGone({ ports, texts }: StandaloneVisit): Reply {
  const { goneTitle: title, gone } = texts.setup;
  return ports.layout.renderPage({
    texts,
    title,
    body: html`<p class="lead">${gone}</p>`,
    status: 400,
    isIsolated: true,
  });
}

async function render(
  visit: StandaloneVisit,
  shown: {
    readonly code: string;
    readonly profile: TypedProfile;
    readonly problem?: string | Markup;
    readonly fault?: ProfileFault | undefined;
  },
): Promise<Reply> {
  const { ports, texts } = visit;
  const { code, profile, problem, fault } = shown;
  const { setup } = texts;
  const own = ownCookieOf(visit, setupCookieName);
  const policy = await readPolicy(visit);
  const isOpened = openPolicy(policy, hasRelyingParty(visit)) !== policy;
  const body = html`<p class="lead">${setup.lead}</p>
${isOpened && html`<p class="hint">${setup.opensPolicy}</p>`}
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/setup/${code}">
${formTokenField(own.cookie)}
${renderProfileFields(texts, profile, { fault })}
${renderFirstPasswordFields(texts, policy.minPasswordLength)}
<button type="submit">${setup.submit}</button>
</form>`;
  return ports.layout.renderPage({ texts, title: setup.title, body, headers: own.headers, isIsolated: true });
}
