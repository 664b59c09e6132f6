import { addressOf } from "../../../identity/factors/code-factors/code-factor.ts";
import { findCodeFactor } from "../../../identity/factors/code-factors/repository.ts";
import type { CodeFactorKind } from "../../../identity/policies/login-policy.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { renderSentCodeForms } from "../../login/forms/sent-code-forms.ts";
import { html } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import { settleNewFactor } from "../settle-factor.ts";
import { tryChange } from "../try-change.ts";

/** Lets users add codes by email as a second factor, with a code that was sent. */
export const addEmailCodesPage = createPage("factors/new-email-code", "EMAIL_CODE");
/** As `addEmailCodesPage`, by SMS. */
export const addSmsCodesPage = createPage("factors/new-sms-code", "SMS_CODE");

/** Says whether the user can add codes of the kind: they count, can be sent to a verified address, and are not there yet. */
export async function canAddCodes({ ports, user }: AccountVisit, kind: CodeFactorKind): Promise<boolean> {
  if (!user.policy.secondFactors.includes(kind) || !ports.codes.canSend(kind)) return false;
  if (addressOf(user.user, kind) === undefined) return false;
  return (await ports.context.database.read((tx) => findCodeFactor(tx, user.user.id, kind))) === undefined;
}

function createPage(name: string, kind: CodeFactorKind): AccountPage {
  const show = (visit: AccountVisit, shown: Shown) => render(visit, kind, shown);
  return {
    name,
    isGuarded: true,
    show: (visit, fault) => show(visit, { fault, isSent: false }),
    async submit(visit, form) {
      const { exchange, ports, call, user, words, texts } = visit;
      if (!(await canAddCodes(visit, kind))) return await show(visit, { isSent: false });
      if (form.get("choice") === "send") {
        const of = { userId: user.user.id, kind };
        const fault = await tryChange(visit, () => ports.codes.send(exchange.requestId, of));
        return await show(visit, { fault, isSent: fault === undefined || fault.retryAfterMs !== undefined });
      }
      const typed = { userId: user.user.id, kind, code: new Secret(form.get("code") ?? ""), isNew: true };
      const { remoteAddress, requestId } = call;
      const tried = await ports.codes.check(typed, { editor: user.user.id, remoteAddress, requestId });
      const again = (fault: Fault) => show(visit, { fault, isSent: true });
      switch (tried.kind) {
        case "wrong":
          return await again({
            problem: tried.reason === "CODE_INVALID" ? texts.sentCode.wrong : texts.sentCode.gone,
          });
        case "paused":
          return await again({ problem: words.faults.LOGIN_PAUSED, retryAfterMs: tried.retryAfterMs });
        case "right": {
          const settled = await settleNewFactor(visit, tried);
          return "reply" in settled ? settled.reply : await again(settled.fault);
        }
      }
    },
  };
}

interface Shown {
  readonly fault?: Fault | undefined;
  readonly isSent: boolean;
}

async function render(visit: AccountVisit, kind: CodeFactorKind, { fault, isSent }: Shown): Promise<Reply> {
  const { texts, words, cookie, path, user } = visit;
  const title = words.factors.addCodes[kind];
  const address = addressOf(user.user, kind);
  if (address === undefined || !(await canAddCodes(visit, kind)))
    return visit.render({ title, body: html`<p class="lead">${words.factors.impossible}</p>` });
  const forms = { texts, action: path, cookie, kind, address, problem: undefined, isSent };
  return visit.render({ title, body: renderSentCodeForms(forms), fault });
}
