import type { Editor } from "../../../kernel/base/call.ts";
import { toId, type TokenId, type UserId } from "../../../kernel/base/ids.ts";
import type { LoginOriginPayload } from "../../../kernel/events/login-origin-payload.ts";

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
 * In place of a user: the administrators of the identity provider by which alone a login began. They can log in as the user at any
 * time, even if another made the link, but that gives no roles outside of the user's organization.
 */
export const identityProviderOperator = toId<UserId>("idp");

/**
 * In place of a user: each of several others could have made it, and it is not known which. It carries no roles that are gained
 * later.
 */
export const severalOthers = toId<UserId>("several");

/** Before the id of a user: that user could have made it, and the administrators of the identity provider, too. */
const besides = `${identityProviderOperator}:`;

/** Before the id of a service user: the directory that calls with it answers, as its administrators can say what it says. */
export const directoryOperator = "scim:";

/** The users responsible for something, taken apart. */
export interface Answerable {
  /** Whether the administrators of an identity provider or a directory of the user's organization could have made it. */
  readonly isByProvider: boolean;
  /** The user who could; undefined: nobody but the administrators of the provider. */
  readonly maker: Editor | undefined;
}

/** Parses the record of the users responsible for something. */
export function toAnswerable(creator: Editor): Answerable {
  if (creator === identityProviderOperator) return { isByProvider: true, maker: undefined };
  if (creator.startsWith(directoryOperator))
    return { isByProvider: true, maker: toId<UserId>(creator.slice(directoryOperator.length)) };
  if (!creator.startsWith(besides)) return { isByProvider: false, maker: creator };
  return { isByProvider: true, maker: toId<UserId>(creator.slice(besides.length)) };
}

/** Combines the users responsible for something that the administrators of a provider could have made, and perhaps another user. */
export function withProvider(maker: Editor | undefined): UserId {
  return maker === undefined ? identityProviderOperator : toId<UserId>(`${besides}${maker}`);
}

/** Returns the origin of what a directory vouches for, whose service user makes the calls of SCIM. */
export function byDirectory(serviceUserId: UserId): LoginOrigin {
  return { creator: toId<UserId>(`${directoryOperator}${serviceUserId}`), madeWithTokenId: undefined };
}

/** Makes the part of a payload; empty if only the user can have made the login, or there was none. */
export function toLoginOriginPayload(origin: LoginOrigin | undefined): LoginOriginPayload {
  if (origin === undefined) return {};
  const { creator, madeWithTokenId } = origin;
  return {
    login_by: creator,
    ...(madeWithTokenId === undefined ? {} : { login_with_token_id: madeWithTokenId }),
  };
}
