import type { AuthorizationId, TokenId } from "./ids.ts";

/** What an access token rests on: it ends with it. */
export type AccessTokenBasis =
  /** The key or secret of a service user that it was got with, whose roles it carries. */
  | { readonly kind: "credential"; readonly credentialId: TokenId }
  /** What a person let an application do. The token is one of that generation of access tokens. */
  | {
      readonly kind: "authorization";
      readonly authorizationId: AuthorizationId;
      readonly generation: number;
    };
