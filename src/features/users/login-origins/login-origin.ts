import type { Editor } from "../../../base/call.ts";
import { toId, type TokenId, type UserId } from "../../../base/ids.ts";
import type { LoginOriginPayload } from "../../../events/login-origin-payload.ts";

/**
 * Somebody else who could have made a login of a user, because they answer for the way by which the user logged in. They answer for
 * what is set in that login, too: otherwise it would outlive the way itself.
 */
export interface LoginOrigin {
  readonly creator: Editor;
  /** The token with which they set that way; undefined when there was none, or a login. */
  readonly madeWithTokenId: TokenId | undefined;
}

/**
 * In place of a user: whoever runs the identity provider by which alone a login began. They can log in as the user at any time, whoever
 * made the link, but that gives no roles on the instance.
 */
export const identityProviderOperator = toId<UserId>("idp");

/** Makes the part of a payload; empty if only the user can have made the login, or there was none. */
export function toLoginOriginPayload(origin: LoginOrigin | undefined): LoginOriginPayload {
  if (origin === undefined) return {};
  const { creator, madeWithTokenId } = origin;
  return {
    login_by: creator,
    ...(madeWithTokenId === undefined ? {} : { login_with_token_id: madeWithTokenId }),
  };
}
