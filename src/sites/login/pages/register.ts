import { drawUserId } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import { checkNewPassword } from "../../../identity/people/passwords/password-change.ts";
import { askForName, register } from "../../../identity/people/registrations/commands.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { formTokenField } from "../form-token.ts";
import { findProfileFault, readProfile, renderProfileFields, type TypedProfile } from "../forms/profile.ts";
import { faultOf, readNewPassword, renderFirstPasswordFields } from "../forms/password-fields.ts";
import { askBeforeRegistration } from "../hooks/before-registration.ts";
import { html, type Markup } from "../markup/html.ts";
import { addCheck } from "../interaction.ts";
import type { ChangeInteraction, LoginPage, LoginVisit, PageAnswer } from "../login-page.ts";
import { requireLoginApplication } from "../login-state.ts";
import { findLoginUser } from "../login-users.ts";
import type { PageForm } from "../page-form.ts";
import { PageRefusal } from "../page-refusal.ts";
import { findRegistrationOrganization } from "../registration-offer.ts";
import { type ProfileFault, toRuleText } from "../texts/texts.ts";

/**
 * Lets people register themselves, where the policy of the organization that logs in allows it; elsewhere there is nothing at its
 * path. They are logged in with the password that they chose. The page tells that a username is taken, as it must, and nothing of
 * emails. The email is unverified, and a
 * code goes to it where emails can be sent.
 */
export const registerPage: LoginPage = {
  name: "register",
  insteadOf: "password",
  async show(visit) {
    requireOffer(visit.state);
    return render(visit, { profile: readProfile(new Map([["username", loginHintOf(visit)]])) });
  },
  async submit(visit, form) {
    requireOffer(visit.state);
    const { exchange, ports, texts } = visit;
    const profile = readProfile(form);
    const again = (problem: string | Markup, fault?: ProfileFault): PageAnswer => ({
      kind: "page",
      reply: render(visit, { profile, problem, fault }),
    });
    const fault = findProfileFault(profile);
    if (fault !== undefined) return again(texts.profile.faults[fault], fault);
    const chosen = await choosePassword(visit, profile, form);
    if ("problem" in chosen) return again(chosen.problem);
    ports.passwords.requireRoom(); // before the try is counted
    const { remoteAddress } = exchange;
    const asked = await askForName(ports.context, { username: profile.username, remoteAddress });
    switch (asked.kind) {
      case "paused":
        return { kind: "page", reply: renderPaused(visit, profile, asked.retryAfterMs) };
      case "taken":
        return again(texts.profile.faults.username_taken, "username_taken");
      case "free": {
        const encoded = await ports.passwords.hash(chosen.password);
        return { kind: "go-on", change: addUser(visit, profile, encoded) };
      }
    }
  },
};

/** Raises the page of a path at which there is nothing. */
function requireOffer(state: LoginVisit["state"]) {
  const organization = findRegistrationOrganization(state);
  if (organization === undefined) throw new PageRefusal("not-found");
  return organization;
}

async function choosePassword(
  { ports, state, texts }: LoginVisit,
  profile: TypedProfile,
  form: PageForm,
): Promise<{ readonly password: string } | { readonly problem: string | Markup }> {
  const { policy } = state;
  const read = readNewPassword(form);
  if ("fault" in read) return { problem: toRuleText(texts, read.fault, policy.minPasswordLength) };
  const { password } = read;
  const { breached } = ports;
  const place = { organizationName: requireOffer(state).name, issuer: state.issuer };
  const problem = await checkNewPassword({ policy, user: profile, place, password, breached });
  return problem === undefined
    ? { password }
    : { problem: toRuleText(texts, faultOf(problem), policy.minPasswordLength) };
}

/** The policy may have changed meanwhile, and somebody else may have taken the name. */
function addUser(visit: LoginVisit, profile: TypedProfile, encoded: string): ChangeInteraction {
  const { exchange, ports, texts } = visit;
  const { remoteAddress, requestId } = exchange;
  return async (tx, state, hooks) => {
    const { id: organizationId } = requireOffer(state);
    const typed = { ...profile, displayName: "", preferredLanguage: texts.language };
    const asked = { organizationId, profile: typed, isVerified: false };
    const registrant = { ...typed, ...(await askBeforeRegistration(tx, hooks, { state, ...asked })) };
    const id = await drawUserId(tx, hooks);
    const registration = { id, organizationId, registrant, encoded, remoteAddress, requestId };
    const registered = await register(tx, ports, registration);
    if (registered === undefined) {
      const problem = texts.profile.faults.username_taken;
      return { reply: render(visit, { profile, problem, fault: "username_taken" }) };
    }
    const { mail } = registered;
    const afterCommit = () => mail && ports.mailer.start(requestId, mail);
    return { interaction: await logIn(tx, state, id), afterCommit };
  };
}

async function logIn(
  tx: Parameters<ChangeInteraction>[0],
  { interaction, nowMs }: LoginVisit["state"],
  userId: UserId,
) {
  const added = await findLoginUser(tx, userId);
  if (added === undefined) throw new Error("a user who has just registered cannot log in");
  const user = { id: userId, lockCount: added.lockCount };
  return addCheck(interaction, user, { method: "PASSWORD", dateMs: nowMs });
}

function loginHintOf({ state }: LoginVisit): string {
  return state.interaction.request.loginHint ?? "";
}

function renderPaused(visit: LoginVisit, profile: TypedProfile, retryAfterMs: number): Reply {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return render(visit, { profile, problem: visit.texts.register.paused, status: 429, headers });
}

function render(
  visit: LoginVisit,
  shown: {
    readonly profile: TypedProfile;
    readonly problem?: string | Markup;
    readonly fault?: ProfileFault | undefined;
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Reply {
  const { state, texts, cookie } = visit;
  const { profile, problem, fault, status = 200, headers = {} } = shown;
  const { title, lead, submit, hasAccount, signIn } = texts.register;
  const { id } = state.interaction;
  const body = html`<p class="lead">${lead({ application: requireLoginApplication(state).application.name })}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/${id}/register">
${formTokenField(cookie)}
${renderProfileFields(texts, profile, { fault })}
${renderFirstPasswordFields(texts, state.policy.minPasswordLength)}
<button type="submit">${submit}</button>
</form>
<div class="links">
<p>${hasAccount} <a href="/login/${id}">${signIn}</a></p>
</div>`;
  return visit.render({ title, body, status, headers });
}
