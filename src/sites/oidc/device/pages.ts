import type { Secret } from "../../../kernel/base/secret.ts";
import type { AnswerHeaders } from "../../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { formTokenField } from "../../login/form-token.ts";
import { html } from "../../login/markup/html.ts";
import type { Layout } from "../../login/layout.ts";
import type { DeviceEnd, Texts } from "../../login/texts/texts.ts";
import { devicePath } from "./path.ts";

/** The page that asks for the code of a device. */
export interface CodePage {
  readonly texts: Texts;
  /** As it was typed, or as the link has it. */
  readonly typed: string;
  /** What its form is bound to. */
  readonly cookie: Secret;
  readonly headers: Readonly<AnswerHeaders>;
  /** What is wrong. */
  readonly problem?: string;
  /** Default: 200. */
  readonly status?: number;
}

/** The longest text that the field takes: a code with spaces between its letters. */
const maxTyped = 40;

/** Makes the page that asks for the code of a device. */
export function renderCodePage(layout: Layout, page: CodePage): Reply {
  const { texts, typed, cookie, headers, problem, status = 200 } = page;
  const { codeTitle: title, codeLead, code } = texts.device;
  const faulty = problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`;
  const body = html`<p class="lead">${codeLead}</p>
${problem === undefined ? undefined : html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="${devicePath}">
${formTokenField(cookie)}
<div class="field">
<label for="user_code">${code}</label>
<input id="user_code" name="user_code" type="text" value="${typed.slice(0, maxTyped)}" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="${maxTyped}" required${faulty} autofocus>
</div>
<button type="submit">${texts.continue}</button>
</form>`;
  return layout.renderPage({ texts, title, body, status, headers, isIsolated: true });
}

/** The status of each page that says how the login of a device has ended. */
const statusOfEnd: Readonly<Record<DeviceEnd, number>> = {
  allowed: 200,
  canceled: 200,
  "no-access": 403,
  gone: 400,
};

/** Makes the page that says how the login of a device has ended; undefined for a text that is no end. */
export function renderEndPage(layout: Layout, texts: Texts, end: string): Reply | undefined {
  if (!isEnd(end)) return undefined;
  const { title, sentence } = texts.device.ends[end];
  const body = html`<p class="lead" role="status">${sentence}</p>`;
  return layout.renderPage({ texts, title, body, status: statusOfEnd[end], isIsolated: true });
}

function isEnd(text: string): text is DeviceEnd {
  return Object.hasOwn(statusOfEnd, text);
}
