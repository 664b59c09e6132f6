import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import { html } from "./markup/html.ts";
import { type Layout, redirectTo } from "./layout.ts";
import { toTexts } from "./texts/texts.ts";

/** What a browser takes to an application. */
export type BrowserAnswer =
  | { readonly kind: "redirect"; readonly location: string }
  /** A form that posts itself (OAuth 2.0 Form Post Response Mode §2). */
  | {
      readonly kind: "form-post";
      /** An http or https URL that is registered for the application. */
      readonly action: string;
      readonly fields: Readonly<Record<string, string>>;
    };

/**
 * An answer, or what makes it once the write that has decided it is durable: whatever takes its time, such as a signature, is not
 * done in a write.
 */
export type ComingAnswer = BrowserAnswer | (() => Promise<BrowserAnswer>);

/** A reply, or what makes it once a write is durable. */
export type ComingReply = Reply | (() => Promise<Reply>);

/** What the reply is made with. */
export interface AnswerFrame {
  readonly layout: Pick<Layout, "renderPage" | "chooseLanguage">;
  readonly exchange: Pick<Exchange, "header">;
  /** Languages that the user prefers, the best one first. Default: those of the browser. */
  readonly uiLocales?: readonly string[];
  /** Headers `set-cookie`. Default: none. */
  readonly cookies?: readonly string[];
  /** Whether the browser is on its way through a logout, and not back to where the user logs in. Default: no. */
  readonly isLogout?: boolean;
}

/** Makes the reply that sends the browser to the application, at once or after the write. */
export function toComingReply(answer: ComingAnswer, frame: AnswerFrame): ComingReply {
  return typeof answer === "function" ? async () => toReply(await answer(), frame) : toReply(answer, frame);
}

/**
 * It runs before the page has loaded, so that the page of the application replaces this one in the history: a user who
 * goes back comes to the page before, and the answer is not sent again (HTML §4.10.22.3).
 */
const sendForm = html`document.forms[0].submit();`;

/** Makes the reply that sends the browser to the application: a redirect, or a page whose form also works without script. */
export function toReply(answer: BrowserAnswer, frame: AnswerFrame): Reply {
  const { layout, exchange, uiLocales = [], cookies = [], isLogout = false } = frame;
  if (answer.kind === "redirect") return redirectTo(answer.location, cookies);
  const acceptLanguage = exchange.header("accept-language");
  const texts = toTexts(layout.chooseLanguage({ uiLocales, acceptLanguage }));
  const fields = Object.entries(answer.fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`,
  );
  return layout.renderPage({
    texts,
    title: isLogout ? texts.logout.goingOn : texts.back,
    body: html`<p class="lead">${texts.handOver}</p>
<form method="post" action="${answer.action}">
${fields}<button type="submit">${texts.continue}</button>
</form>`,
    inlineScript: sendForm,
    headers: { "set-cookie": [...cookies] },
  });
}
