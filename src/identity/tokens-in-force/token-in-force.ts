import type { CallerAccessToken } from "../../kernel/base/call.ts";
import type { OrganizationId, UserId } from "../../kernel/base/ids.ts";
import type { ClientAlgorithm } from "../../kernel/base/jws.ts";
import type { StoredAccessToken } from "../logins/access-tokens/access-token.ts";
import { type Authorization, holdsFor } from "../logins/authorizations/authorization.ts";
import type { Token } from "../programs/tokens/repository.ts";

/** What is needed of an access token to check whether it holds. */
export type CheckedToken = CallerAccessToken;

/** What an access token that holds at this moment rests on. */
export interface BasisInForce {
  readonly user: Pick<TokenUser, "id" | "organizationId" | "username">;
  /** The key or secret that it was got with; undefined for the token of a login. */
  readonly credential: Token | undefined;
  /** The login that it came from; undefined for the token of a program. */
  readonly authorization: Authorization | undefined;
  /** Says whether our own API takes it, if it is for our API at all: while all applications that it went through have api_access. */
  mayCallApi(): boolean;
  /** Says whether a proof with that algorithm may come with it, if it is bound to a key: all applications that it went through decide. */
  takesProofBy(algorithm: ClientAlgorithm): boolean;
}

/** An access token of OAuth that holds at this moment. */
export interface TokenInForce extends BasisInForce {
  readonly token: StoredAccessToken;
}

/** The user of an access token, and the states around them. */
export interface TokenUser {
  readonly id: UserId;
  readonly organizationId: OrganizationId;
  readonly username: string;
  readonly userState: Token["userState"];
  readonly organizationState: Token["organizationState"];
  /** How often they were locked. */
  readonly lockCount: number;
}

/** Says whether the token holds, as far as the user and the locks of the user go. */
export function isUserInForce(token: CheckedToken, user: TokenUser): boolean {
  return (
    token.userId === user.id &&
    token.lockCount === user.lockCount &&
    user.userState === "ACTIVE" &&
    user.organizationState === "ACTIVE"
  );
}

/** Says whether the authorization lets an access token of that generation hold. */
export function isAuthorizationInForce(
  authorization: Authorization,
  token: CheckedToken,
  generation: number,
): boolean {
  return authorization.userId === token.userId && holdsFor(authorization, generation);
}
