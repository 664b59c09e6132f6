import type { Secret } from "../../../kernel/base/secret.ts";
import type { OfferedTotp } from "../../../identity/factors/totp/login-commands.ts";
import { html, type Markup } from "../markup/html.ts";
import type { Texts } from "../texts/texts.ts";
import { renderFactorCodeForm } from "./factor-code-form.ts";
import { renderQrCode } from "./qr-code.ts";

/** What the form needs in which people set up an authenticator app. */
export interface NewTotpForm {
  readonly texts: Texts;
  readonly action: string;
  readonly cookie: Secret;
  readonly offered: OfferedTotp;
  readonly problem?: string | undefined;
}

/** Makes the form: the QR code, the secret for people that cannot scan it, and the field for the first code of the app. */
export async function renderNewTotpForm(form: NewTotpForm): Promise<Markup> {
  const { texts, action, cookie, offered, problem } = form;
  const { scan, picture, secret, code: label, submit: button } = texts.newTotp;
  const fields = html`<input type="hidden" name="offer" value="${offered.offer}">`;
  return html`<p class="note">${scan}</p>
${await renderQrCode(offered.uri.reveal(), picture)}
<p class="hint">${secret}</p>
<p class="secret">${inGroups(offered.secret.reveal())}</p>
${renderFactorCodeForm({ action, cookie, kind: "app", label, button, problem, fields })}`;
}

/** Groups of four are easier to type. Apps ignore the spaces. */
function inGroups(text: string): string {
  return (text.match(/.{1,4}/g) ?? []).join(" ");
}
