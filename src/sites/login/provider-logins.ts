import type { Secret } from "../../kernel/base/secret.ts";
import type { IdentityProvider } from "../../identity/providers/identity-provider.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import type { LoginState } from "./login-state.ts";

/** A browser that is about to be sent to an identity provider. */
export interface LeavingBrowser {
  readonly exchange: Exchange;
  readonly issuer: string;
  readonly state: LoginState;
  /** Of the interaction. */
  readonly cookie: Secret;
}

/** Logins at identity providers of every kind. */
export interface ProviderLogins {
  /**
   * Makes the answer that sends the browser to a provider, which the login offers. What is needed when the browser comes back is stored
   * with the interaction. Raises the refusal of a provider that does not answer.
   */
  begin(browser: LeavingBrowser, provider: IdentityProvider): Promise<Reply>;
}
