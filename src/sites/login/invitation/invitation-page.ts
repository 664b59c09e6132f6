import { readLook } from "../../../identity/branding/brands.ts";
import { Problem } from "../../../kernel/base/problem.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { findOfferedProvider } from "../external/offered-providers.ts";
import { requireOwnForm } from "../form-token.ts";
import { readKeyAnswer } from "../forms/key-form.ts";
import { readNewPassword } from "../forms/password-fields.ts";
import { requireInvited, takeInvitation } from "../standalone/invited.ts";
import { redirectTo } from "../layout.ts";
import type { Markup } from "../markup/html.ts";
import { PageRefusal } from "../page-refusal.ts";
import type { PageForm } from "../page-form.ts";
import { readOwnCookie } from "../standalone/own-cookie.ts";
import { resetPassword } from "../standalone/password-reset.ts";
import type { StandalonePage, StandaloneVisit } from "../standalone-page.ts";
import { chooseLanguage } from "../texts/choose-texts.ts";
import { toRuleText, toTexts } from "../texts/texts.ts";
import {
  type Asked,
  invitationCookie,
  renderChoices,
  renderEnd,
  renderNewPasskey,
  toEndPath,
  toOffering,
  toPasskeySession,
} from "./choices.ts";

/**
 * Lets people that were invited choose how they sign in. To show it changes nothing, so that a program that looks at links for the
 * user uses nothing up. A password and a passkey log nobody in; an identity provider does.
 */
export const invitationPage: StandalonePage = {
  name: "invitation",
  isSafe: true,
  async show(begun, rest) {
    if (rest === "done") return await renderEnd(begun);
    const code = new URLSearchParams(begun.exchange.query).get("code") ?? "";
    const { visit, asked } = await openAsked(begun, { userId: rest, code });
    return await renderChoices(visit, asked);
  },
  async submit(begun, rest, form) {
    requireOwnForm(begun.exchange, form, readOwnCookie(begun, invitationCookie));
    const { visit, asked } = await openAsked(begun, { userId: rest, code: form.get("code") ?? "" });
    switch (form.get("choice")) {
      case "passkey":
        return await renderNewPasskey(visit, requireNew(asked));
      case "new-passkey":
        return await addPasskey(visit, requireNew(asked), form);
      case "provider":
        return await goToProvider(visit, requireNew(asked), form.get("provider") ?? "");
      default:
        return await setPassword(visit, asked, form);
    }
  },
};

/** Finds the invitation. From then on the page looks and speaks as the organization of the user does. */
async function openAsked(
  visit: StandaloneVisit,
  code: Asked["code"],
): Promise<{ readonly visit: StandaloneVisit; readonly asked: Asked }> {
  const { context, brands } = visit.ports;
  const standard = chooseLanguage({ acceptLanguage: visit.exchange.header("accept-language") });
  return await context.database.read(async (tx) => {
    const invited = await requireInvited(tx, context, code);
    const organizationId = invited.organization.id;
    const { brand, language } = await readLook(tx, brands, { language: standard, organizationId });
    return { visit: { ...visit, texts: toTexts(language) }, asked: { code, invited, brand } };
  });
}

/** Another window may have been faster. */
function requireNew(asked: Asked): Asked {
  if (!asked.invited.isNew) throw new PageRefusal("invitation-over");
  return asked;
}

async function setPassword(visit: StandaloneVisit, asked: Asked, form: PageForm): Promise<Reply> {
  const { texts } = visit;
  const again = (problem: string | Markup) => renderChoices(visit, asked, { problem });
  const read = readNewPassword(form);
  if ("fault" in read) return await again(toRuleText(texts, read.fault, 0));
  const result = await resetPassword(visit, { ...asked.code, password: read.password });
  switch (result.kind) {
    case "paused": {
      const headers = { "retry-after": String(Math.max(1, Math.ceil(result.retryAfterMs / 1000))) };
      return await renderChoices(visit, asked, { problem: texts.newPassword.paused, status: 429, headers });
    }
    case "wrong":
      throw new PageRefusal("invitation-over");
    case "faulty":
      return await again(toRuleText(texts, result.fault, result.minLength));
    case "done":
      return redirectTo(`${visit.issuer}${toEndPath(asked.invited)}`);
  }
}

/** Registers the passkey. The policy of the user is looked at again in the write. */
async function addPasskey(visit: StandaloneVisit, asked: Asked, form: PageForm): Promise<Reply> {
  const { ports, exchange, issuer, texts } = visit;
  const { context, passkeys } = ports;
  const input = { answer: readKeyAnswer(form), name: texts.invitation.passkeyName };
  const tried = await passkeys.checkRegistration(toPasskeySession(issuer, asked.code), input);
  if (tried.kind !== "right") {
    const isTaken = tried.kind === "wrong" && tried.reason === "ALREADY_EXISTS";
    const { passkeyTaken, passkeyFailed } = texts.invitation;
    return await renderNewPasskey(visit, asked, isTaken ? passkeyTaken : passkeyFailed);
  }
  try {
    await context.database.write(async (tx) => {
      const taken = await takeInvitation(tx, context, asked.code);
      const { user, policy } = taken.invited;
      if (!policy.allowPasskeys) throw new PageRefusal("invitation-over");
      const { events } = await tried.settle(tx, taken.loginOrigin);
      const { remoteAddress, requestId } = exchange;
      const origin = { editor: user.id, remoteAddress, requestId };
      await context.log.append(tx, origin, [...events, ...taken.events]);
    });
  } catch (error) {
    if (!(error instanceof Problem) || error.kind === "internal") throw error;
    return await renderNewPasskey(visit, asked, texts.invitation.passkeyFailed); // its challenge is over
  }
  return redirectTo(`${visit.issuer}${toEndPath(asked.invited)}`);
}

/** The identity that the browser comes back with is linked to the user, who is then logged in. */
async function goToProvider(visit: StandaloneVisit, asked: Asked, providerId: string): Promise<Reply> {
  const { ports, begin } = visit;
  const { code, invited } = asked;
  const { user, organization } = invited;
  const provider = await ports.context.database.read((tx) =>
    findOfferedProvider(tx, toOffering(invited), providerId),
  );
  if (provider === undefined) throw new PageRefusal("provider-off");
  return await begin({
    protocol: "account",
    organizationId: organization.id,
    identityProviderId: provider.id,
    prompts: [],
    maxAgeSeconds: undefined,
    loginHint: user.email,
    uiLocales: [],
    wantsMfa: false,
    subject: user.id,
    invitationCode: code.code,
    scopes: [],
    data: { path: toEndPath(invited) },
  });
}
