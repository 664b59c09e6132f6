import type { Secret } from "../../../kernel/base/secret.ts";
import { formTokenField } from "../form-token.ts";
import { html, type Markup } from "../markup/html.ts";
import type { PageForm } from "../page-form.ts";
import type { Texts } from "../texts/texts.ts";
import { isProfileText } from "./profile.ts";

/** What a page asks a security key for. The script `webauthn.js` does it. */
export interface KeyForm {
  readonly texts: Texts;
  /** What the page says of the ceremony. Default: that of security keys. */
  readonly words?: KeyWords;
  readonly action: string;
  readonly cookie: Secret;
  readonly ceremony: "registration" | "second-factor" | "passkey";
  /** As the browser takes them, in JSON. */
  readonly options: object;
  readonly button: string;
  /** What went wrong before. */
  readonly problem?: string | Markup | undefined;
  /** Fields that stand above the button. */
  readonly fields?: Markup | undefined;
}

/** What a page says while it asks a device. */
type KeyWords = Pick<Texts["securityKey"], "needsScript" | "waiting" | "failed" | "unsupported">;

/** The longest name of a security key, as VerifyU2f takes it. */
const maxNameLength = 200;

/** Makes the form that sends the answer of a security key. Without script it says that it needs one. */
export function renderKeyForm(form: KeyForm): Markup {
  const { texts, action, cookie, ceremony, options, button, problem, fields } = form;
  const words = form.words ?? texts.securityKey;
  return html`<p class="alert" id="problem" role="alert">${problem}</p>
<noscript><p class="alert">${words.needsScript}</p></noscript>
<form method="post" action="${action}" data-ceremony="${ceremony}" data-options="${JSON.stringify(options)}" data-waiting="${words.waiting}" data-failed="${words.failed}" data-unsupported="${words.unsupported}">
${formTokenField(cookie)}
<input type="hidden" name="credential" value="">
${fields}
<p class="hint" id="status" role="status"></p>
<button type="submit" autofocus>${button}</button>
</form>`;
}

/** How a page asks for the name of a new security key or passkey, and the usual name. */
type NameWords = Pick<Texts["securityKey"], "name" | "defaultName">;

/** Makes the field for the name of a new security key or passkey. */
export function renderKeyNameField({ name, defaultName }: NameWords): Markup {
  return html`<div class="field">
<label for="name">${name}</label>
<input id="name" name="name" type="text" value="${defaultName}" autocomplete="off" maxlength="${maxNameLength}" required>
</div>`;
}

/** Reads the answer of the security key; undefined if it is not JSON, as when there was no script. */
export function readKeyAnswer(form: PageForm): unknown {
  try {
    return JSON.parse(form.get("credential") ?? "");
  } catch {
    return undefined;
  }
}

/** Reads the name of a new security key or passkey. One that the calls would refuse is replaced by the usual one. */
export function readKeyName(form: PageForm, { defaultName }: Pick<NameWords, "defaultName">): string {
  const name = form.get("name") ?? "";
  return isProfileText(name) ? name : defaultName;
}
