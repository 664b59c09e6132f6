import { Secret } from "../../../kernel/base/secret.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { renderNewTotpForm } from "../../login/forms/new-totp-form.ts";
import { html } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit, Fault } from "../account-page.ts";
import { settleNewFactor, toFactorSession } from "../settle-factor.ts";

/** Lets users set up an authenticator app. Nothing is stored before the app has made a code. */
export const addAppPage: AccountPage = {
  name: "factors/new-app",
  isGuarded: true,
  show: (visit, fault) => renderOffer(visit, { fault }),
  async submit(visit, form) {
    const { ports, texts, words } = visit;
    const offer = form.get("offer") ?? "";
    const code = new Secret(form.get("code") ?? "");
    const again = (fault: Fault) => renderOffer(visit, { fault, offer });
    const tried = isOffered(visit)
      ? await ports.totp.checkOffer(toFactorSession(visit), { offer, code })
      : undefined;
    switch (tried?.kind) {
      case undefined:
        return await again({ problem: texts.newTotp.expired });
      case "wrong":
        return await again({ problem: texts.newTotp.wrong });
      case "paused":
        return await again({ problem: words.faults.LOGIN_PAUSED, retryAfterMs: tried.retryAfterMs });
      case "right": {
        const settled = await settleNewFactor(visit, tried);
        return "reply" in settled ? settled.reply : await again(settled.fault);
      }
    }
  },
};

async function renderOffer(
  visit: AccountVisit,
  { fault, offer }: { readonly fault: Fault | undefined; readonly offer?: string },
): Promise<Reply> {
  const { ports, texts, words, cookie, path, render } = visit;
  const { title } = texts.newTotp;
  if (!isOffered(visit))
    return render({ title, body: html`<p class="lead">${words.factors.impossible}</p>` });
  const offered = await ports.totp.offer(toFactorSession(visit), offer);
  const form = { texts, action: path, cookie, offered, problem: undefined };
  return render({ title, body: await renderNewTotpForm(form), fault });
}

function isOffered({ user }: AccountVisit): boolean {
  return user.policy.secondFactors.includes("TOTP");
}
