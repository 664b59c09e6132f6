import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import type { PageForm } from "./page-form.ts";
import type { LoginRequest } from "./login-request.ts";
import type { LoginPorts } from "./ports.ts";
import type { Texts } from "./texts/texts.ts";

/** A page below `/login/{name}/` that belongs to no interaction. It has a cookie of its own, which it checks itself. */
export interface StandalonePage {
  /** The first part of the path, which is never the id of an interaction, because those are numbers. */
  readonly name: string;
  /** Whether to show it changes nothing, so that HEAD may ask for it, too. Default: it may change something. */
  readonly isSafe?: boolean;
  /** Shows the page. `rest` is the path below its name, without a slash in it. */
  show(visit: StandaloneVisit, rest: string): Promise<Reply>;
  /** Takes the form. The page checks with `requireOwnForm` that it is its own. */
  submit(visit: StandaloneVisit, rest: string, form: PageForm): Promise<Reply>;
}

/** A request for such a page. */
export interface StandaloneVisit {
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly ports: LoginPorts;
  /** In the language of the browser. */
  readonly texts: Texts;
  /** Begins a login of this browser, and sends it there. */
  readonly begin: (request: LoginRequest) => Promise<Reply>;
}
