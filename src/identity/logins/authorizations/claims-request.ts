/**
 * The claims that an application asked for one by one, beside those of its scopes (OpenID Connect Core §5.5). Only names that we know,
 * each once. It can be written as JSON.
 */
export interface ClaimsRequest {
  /** Told by userinfo. */
  readonly userinfo: readonly string[];
  /** Told in ID tokens. */
  readonly idToken: readonly string[];
  /** Whether `acr` says one factor, whatever was proved: the application takes nothing else (§5.5.1.1). */
  readonly tellsOneFactor: boolean;
}
