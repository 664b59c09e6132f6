import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { Secret } from "../../kernel/base/secret.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import type { HookSession } from "../../identity/hooks/calls/ask-hooks.ts";
import type { Interaction } from "./interaction.ts";
import type { PageContent } from "./layout.ts";
import type { LoginRefusal } from "./login-protocol.ts";
import type { LoginState } from "./login-state.ts";
import type { PageForm } from "./page-form.ts";
import type { LoginPorts } from "./ports.ts";
import type { Texts } from "./texts/texts.ts";

/** A page of an interaction. It is shown at `/login/{id}` while its step is the next one; its form goes to `/login/{id}/{name}`. */
export interface LoginPage {
  readonly name: string;
  /**
   * The page of a step that this one is another way through: while that step is the next one, this page is shown at
   * `/login/{id}/{name}`. Undefined: the page belongs to a step itself.
   */
  readonly insteadOf?: string;
  /** Shows the page. Changes nothing but the interaction, by `visit.remember`. */
  show(visit: LoginVisit): Promise<Reply>;
  /** Takes the form, which has been found to come from our page in this browser. */
  submit(visit: LoginVisit, form: PageForm): Promise<PageAnswer>;
}

/** A request for a page of an interaction, by the browser that has its cookie. */
export interface LoginVisit {
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly ports: LoginPorts;
  readonly texts: Texts;
  /** As it was when the request came. */
  readonly state: LoginState;
  /** Of the interaction: what form tokens are bound to. */
  readonly cookie: Secret;
  /** Makes a page with the name of the organization that is due. */
  render(page: Pick<PageContent, "title" | "body" | "status" | "headers" | "scripts" | "isTrusted">): Reply;
  /** Stores what a step has to remember until the next request, in place of its former note. */
  remember(step: string, note: unknown): Promise<void>;
}

/** What becomes of a form. */
export type PageAnswer =
  /** The page again, with what is wrong. */
  | { readonly kind: "page"; readonly reply: Reply }
  /** No login: the application learns why. */
  | { readonly kind: "refuse"; readonly refusal: LoginRefusal }
  /**
   * Something was proved or chosen. All that follows from it is one write: the change itself, and either the next step or the
   * end of the login. `change` gets the state of that write, in which the step of the page is still the next one.
   */
  | { readonly kind: "go-on"; readonly change: ChangeInteraction };

/**
 * Changes the interaction in a write, or gives the page again; the events are recorded either way. They are recorded at the end
 * of the write, so a step that asks the tables whether it is needed also has to ask the interaction whether it was just done.
 * It may be made several times: `hooks` are asked meanwhile.
 */
export type ChangeInteraction = (
  tx: WriteTransaction,
  state: LoginState,
  hooks: HookSession,
) => Promise<{ readonly events?: readonly NewEvent[] } & (GoneOn | ShownAgain)>;

interface GoneOn {
  readonly interaction: Interaction;
  /** What is recorded at once, by "system", because the interaction is about it: somebody who gets an account. Default: nothing. */
  readonly first?: readonly NewEvent[];
  /** What may happen only once the write is durable, such as a mail. */
  readonly afterCommit?: () => void;
}

interface ShownAgain {
  readonly reply: Reply;
}
