import type { Details } from "../../../kernel/base/details.ts";
import type {
  ApplicationId,
  AuthorizationId,
  OrganizationId,
  SessionId,
  UserId,
} from "../../../kernel/base/ids.ts";
import { notFound, type Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { AuthorizationEnd } from "../../../kernel/events/payloads.ts";
import type { ClaimsRequest } from "./claims-request.ts";
import type { SessionMethod } from "../sessions/session.ts";
import { type Consent, type Gift, toGiftRecord } from "./gift.ts";

/**
 * What a user has let an application do in one login: there is one for each code that was issued, and the tokens that come from the
 * code rest on it. It is not made from the log.
 */
export interface Authorization {
  readonly id: AuthorizationId;
  readonly userId: UserId;
  readonly applicationId: ApplicationId;
  /** The organization of the user. */
  readonly organizationId: OrganizationId;
  readonly sessionId: SessionId;
  readonly scopes: readonly string[];
  /**
   * Why there was nothing to ask the user, in an application of another organization or for projects besides its own. Undefined: the
   * application is of the user's organization, or nobody recorded it.
   */
  readonly consent: Consent | undefined;
  /** What was asked for beside the scopes, one by one; undefined: nothing. */
  readonly claims: ClaimsRequest | undefined;
  /** The applications of the APIs that tokens may be for alone; empty: none was named. */
  readonly resources: readonly string[];
  /** The nonce of the request, as text that only the holder of the code can decrypt. */
  readonly sealedNonce: string | undefined;
  /** When the user logged in, and what was proved then. */
  readonly authTimeMs: number;
  readonly methods: readonly SessionMethod[];
  /** How often the user had been locked. It holds until they are locked again. */
  readonly lockCount: number;
  /** Access tokens that were made in an earlier one have ended. */
  readonly generation: number;
  /** Whether refresh tokens come from it, which go on when the session ends. */
  readonly hasRefresh: boolean;
  readonly creationMs: number;
  /** Until then something that rests on it may hold: `extendAuthorization` moves it on. */
  readonly expirationMs: number;
  /** Whether everything that rests on it has ended for good. */
  readonly isEnded: boolean;
}

/** An authorization with refresh tokens, as its user sees it. */
export interface RefreshFamily {
  readonly id: AuthorizationId;
  readonly details: Details;
  readonly applicationId: ApplicationId;
  readonly authTimeMs: number;
  readonly expirationMs: number;
  readonly scopes: readonly string[];
}

type About = Pick<Authorization, "id" | "organizationId">;

/** Decides to record that an application got a code, or an assertion. */
export function grantAuthorization(
  authorization: Pick<
    Authorization,
    "id" | "userId" | "applicationId" | "organizationId" | "sessionId" | "scopes"
  >,
  isRenewal: boolean,
): NewEvent {
  return {
    ...aggregateOf(authorization),
    type: "authorization.granted",
    payload: {
      user_id: authorization.userId,
      application_id: authorization.applicationId,
      session_id: authorization.sessionId,
      scopes: authorization.scopes,
      ...(isRenewal ? { is_renewal: true } : {}),
    },
  };
}

/** Decides to end everything that rests on an authorization. */
export function revokeAuthorization(authorization: About, reason: AuthorizationEnd): NewEvent {
  return { ...aggregateOf(authorization), type: "authorization.revoked", payload: { reason } };
}

interface Confirmation {
  readonly id: AuthorizationId;
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly applicationId: ApplicationId;
}

/** Decides to remember that the user lets the application have what a page has shown. */
export function confirmAuthorization(confirmation: Confirmation & { readonly shown: Gift }): NewEvent {
  return {
    ...aggregateOf(confirmation),
    type: "authorization.confirmed",
    payload: {
      user_id: confirmation.userId,
      application_id: confirmation.applicationId,
      shown: toGiftRecord(confirmation.shown),
    },
  };
}

/** Decides to forget what the user let the application have: the next login asks again. */
export function unconfirmAuthorization(confirmation: Confirmation): NewEvent {
  return {
    ...aggregateOf(confirmation),
    type: "authorization.unconfirmed",
    payload: { user_id: confirmation.userId, application_id: confirmation.applicationId },
  };
}

/** Says whether an access token of that generation still rests on the authorization. */
export function holdsFor(authorization: Authorization, generation: number): boolean {
  return !authorization.isEnded && authorization.generation === generation;
}

/** Returns the problem of a refresh token that does not exist, or is of another user. */
export function refreshTokenNotFound(id: string): Problem {
  return notFound("refresh_token", id);
}

function aggregateOf({ id, organizationId }: About) {
  return { aggregateId: id, resourceOwner: organizationId };
}
