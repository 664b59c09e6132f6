import type { Brands } from "../../identity/branding/brands.ts";
import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import type { BrowserAnswer } from "./browser-answer.ts";
import type { ErrorPageOptions } from "./layout.ts";
import type { LoginRefusal } from "./login-protocol.ts";
import type { LoginRequest } from "./login-request.ts";
import type { PageRefusalKind } from "./texts/page-refusal-kind.ts";

/** What else a login begins with. */
export interface LoginBeginning {
  /** Runs first in the write that begins the login: if it raises an error, no login begins. Default: nothing. */
  readonly use?: ((tx: WriteTransaction) => Promise<void>) | undefined;
  /**
   * The same, but does not run if the session of the browser suffices: it runs if the login is stored, because it needs a page or
   * was asked for by POST, and if it is refused. Default: nothing.
   */
  readonly unlessFinished?: ((tx: WriteTransaction) => Promise<void>) | undefined;
  /** Why there is no login for any user: the application learns it at once. Default: nothing is known against it. */
  readonly refusal?: LoginRefusal | undefined;
}

/** The logins of browsers, for the protocols in which applications ask for them. */
export interface Logins {
  /** Sites whose answers are pages refresh them at the beginning of a request. */
  readonly brands: Brands;
  /**
   * Answers a checked request of an application by sending the browser on (303): back to the application if its session suffices
   * or no page may be shown, else to the pages. A request by POST comes without the session, because its cookie is SameSite=Lax:
   * it is stored, and the session is looked at when the browser comes to `/login/{id}/continue`, or to the path of the protocol.
   */
  begin(
    exchange: Exchange,
    issuer: string,
    request: LoginRequest,
    beginning?: LoginBeginning,
  ): Promise<Reply>;
  /**
   * Goes on with the login of a browser that comes to the path of its protocol: to its answer, or to the page that is missing.
   * Raises the refusal of a browser that does not have the cookie of the interaction, and of an interaction that has ended: in both
   * cases the user has to begin again.
   */
  goOn(exchange: Exchange, issuer: string, id: string): Promise<Reply>;
  /** Sends the browser back to the application at once. */
  answer(exchange: Exchange, answer: BrowserAnswer, uiLocales?: readonly string[]): Promise<Reply>;
  /** Makes the page of an error, for requests whose application cannot be answered. */
  renderError(exchange: Exchange, kind: PageRefusalKind, options?: ErrorPageOptions): Promise<Reply>;
}
