import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { Secret } from "../../kernel/base/secret.ts";
import type { IdentityProvider } from "../../identity/providers/identity-provider.ts";
import type { Exchange } from "../../kernel/http/exchanges/exchange.ts";
import type { Reply } from "../../kernel/http/exchanges/reply.ts";
import type { ExternalIdentity } from "../../identity/people/identity-links/external-identity.ts";
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
  /**
   * Tries a name and a password at a provider that is a directory, which the login offers. Raises the refusal of one that does not
   * answer.
   */
  tryDirectory(
    browser: LeavingBrowser,
    provider: IdentityProvider,
    typed: { readonly name: string; readonly password: string },
  ): Promise<DirectoryLogin>;
}

/** How it went. */
export type DirectoryLogin =
  | {
      readonly kind: "right";
      readonly identity: ExternalIdentity;
      /** Call it in the write of what follows; the try counts as wrong otherwise. */
      readonly settle: (tx: WriteTransaction) => Promise<void>;
    }
  | { readonly kind: "wrong" }
  | { readonly kind: "paused"; readonly retryAfterMs: number };
