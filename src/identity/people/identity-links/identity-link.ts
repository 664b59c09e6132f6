import type { Editor } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { IdentityLinkId, IdentityProviderId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { alreadyExists, notFound, Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { IdentityProvider } from "../../providers/identity-provider.ts";
import { type LoginOrigin, toLoginOriginPayload } from "../../logins/login-origins/login-origin.ts";
import type { HumanUser } from "../user/user.ts";

/** An identity at an identity provider with which a user logs in. */
export interface IdentityLink {
  readonly id: IdentityLinkId;
  readonly details: Details;
  readonly userId: UserId;
  readonly providerId: IdentityProviderId;
  /** As the provider had it when the link was made. While the provider has another one, the link belongs to nobody there. */
  readonly issuer: string;
  /** Names the identity at the issuer. Empty once the key of the user is destroyed, as `externalUsername`. */
  readonly externalUserId: string;
  /** What people call the identity; may be empty. */
  readonly externalUsername: string;
}

/** An identity as a provider names it. */
export interface LinkedIdentity {
  readonly externalUserId: string;
  readonly externalUsername: string;
}

/** Maximum number of links of a user. */
export const maxIdentityLinks = 100;

/** Says whether identities of the provider can be linked to the user: only the organization that owns the provider uses it. */
export function isProviderOfUser(
  provider: Pick<IdentityProvider, "details">,
  user: Pick<HumanUser, "details">,
): boolean {
  return provider.details.resourceOwner === user.details.resourceOwner;
}

/** Decides to link an identity of the provider, as its issuer is now, to the user. */
export function addIdentityLink(
  id: IdentityLinkId,
  linked: {
    readonly user: Pick<HumanUser, "id" | "details">;
    readonly provider: IdentityProvider;
    readonly identity: LinkedIdentity;
    /** The token of the call; undefined in a login. */
    readonly madeWithTokenId?: TokenId | undefined;
    /** The other people that could have made the login in which users link it to themselves. */
    readonly loginOrigin?: LoginOrigin | undefined;
  },
): NewEvent {
  const { user, provider, identity, madeWithTokenId, loginOrigin } = linked;
  return {
    type: "user.idp_link.added",
    aggregateId: user.id,
    resourceOwner: user.details.resourceOwner,
    payload: {
      link_id: id,
      idp_id: provider.id,
      issuer: provider.config.issuer,
      external_user_id: identity.externalUserId,
      ...(identity.externalUsername === "" ? {} : { external_username: identity.externalUsername }),
      ...(madeWithTokenId === undefined ? {} : { made_with_token_id: madeWithTokenId }),
      ...toLoginOriginPayload(loginOrigin),
    },
  };
}

/** Decides to remove a link: the identity does not log in as the user any more. */
export function removeIdentityLink(link: AboutLink): NewEvent {
  return { ...aggregateOf(link), type: "user.idp_link.removed", payload: { link_id: link.id } };
}

/** A link and the user who made it, who may have the identity. */
export interface LinkLineage {
  readonly id: IdentityLinkId;
  readonly userId: UserId;
  readonly details: Pick<Details, "resourceOwner">;
  readonly creator: Editor;
  /** The token of the call; undefined when there was none, or a login. */
  readonly madeWithTokenId: TokenId | undefined;
  /** The user of that token; undefined when there is none, or it is gone. */
  readonly parentUserId: UserId | undefined;
}

/** Decides to ask the user at the next login whether to keep the link, which lets nobody in until then. */
export function questionIdentityLink(link: AboutLink): NewEvent {
  return { ...aggregateOf(link), type: "user.idp_link.questioned", payload: { link_id: link.id } };
}

/** Decides to keep a link that was questioned. */
export function keepIdentityLink(link: AboutLink): NewEvent {
  return { ...aggregateOf(link), type: "user.idp_link.kept", payload: { link_id: link.id } };
}

/** Returns the problem of a link that is absent or another user's. */
export function identityLinkNotFound(externalUserId: string): Problem {
  return notFound("idp_link", externalUserId);
}

/** Returns the problem of an identity that is linked already, to any user. */
export function identityLinkTaken(externalUserId: string): Problem {
  return alreadyExists("idp_link", externalUserId);
}

/** Returns the problem of users who would link an identity to themselves by their word. */
export function ownLinkForbidden(): Problem {
  return new Problem({
    kind: "denied",
    reason: "SELF_VERIFICATION_FORBIDDEN",
    message: "users link an identity to themselves by logging in with it",
  });
}

type AboutLink = Pick<IdentityLink, "id" | "userId"> & { readonly details: Pick<Details, "resourceOwner"> };

function aggregateOf({ userId, details }: AboutLink) {
  return { aggregateId: userId, resourceOwner: details.resourceOwner };
}
