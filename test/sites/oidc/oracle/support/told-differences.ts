import type { ToldOtherwise } from "./told.ts";

/** A difference that is meant in what is told. The list may only get shorter, or a line must have a reason. */
export interface ToldDifference {
  readonly place: RegExp;
  readonly claim: RegExp;
  /** What oidc-provider tells as JSON; "undefined": nothing. */
  readonly reference: RegExp;
  readonly gatehouse: RegExp;
  readonly reason: string;
}

const nothing = /^undefined$/;

/** All of them. */
export const toldDifferences: readonly ToldDifference[] = [
  {
    place: /^ID token/,
    claim: /^(acr|amr)$/,
    reference: nothing,
    gatehouse: /./,
    reason:
      "how a user has logged in is told without being asked for (OpenID Connect Core §2 leaves that to servers)",
  },
  {
    place: /^ID token/,
    claim: /^auth_time$/,
    reference: nothing,
    gatehouse: /./,
    reason: "it is told without max_age, too (OpenID Connect Core §2 requires it only then)",
  },
  {
    place: /^ID token/,
    claim: /^azp$/,
    reference: nothing,
    gatehouse: /./,
    reason:
      "it is the client (OpenID Connect Core §2); some clients want it even where there is one audience",
  },
  {
    place: /^ID token/,
    claim: /^sid$/,
    reference: nothing,
    gatehouse: /./,
    reason: "it names the session for a logout (OpenID Connect Front-Channel Logout 1.0 §3)",
  },
  {
    place: /^ID token/,
    claim: /^at_hash$/,
    reference: nothing,
    gatehouse: /that of/,
    reason: "it is optional in this flow (OpenID Connect Core §3.1.3.6), and binds the access token",
  },
  {
    place: /^ID token of a refresh$/,
    claim: /^nonce$/,
    reference: /a nonce/,
    gatehouse: nothing,
    reason: "a nonce is of the request for the code; here it should not be (OpenID Connect Core §12.2)",
  },
  {
    place: /^token answer$/,
    claim: /^refresh_token$/,
    reference: /a token/,
    gatehouse: nothing,
    reason:
      "it is given for offline_access alone (OpenID Connect Core §11); this oidc-provider was told to give it always",
  },
  {
    place: /./,
    claim: /^scope$/,
    reference: /openid profile email"$/,
    gatehouse: /offline_access"$/,
    reason:
      "offline_access is granted without prompt=consent, because there are no pages that ask for consent",
  },
  {
    place: /^(userinfo|introspection of an access token)$/,
    claim: /^updated_at$/,
    reference: nothing,
    gatehouse: /^[0-9]{10}$/,
    reason: "the account of this oidc-provider has no such claim",
  },
  {
    place: /^introspection/,
    claim: /^username$/,
    reference: nothing,
    gatehouse: /./,
    reason: "it is the name that the user types (RFC 7662 §2.2)",
  },
  {
    place: /^introspection of an access token$/,
    claim: /^(name|given_name|family_name|preferred_username|email|email_verified)$/,
    reference: nothing,
    gatehouse: /./,
    reason: "an API learns what userinfo tells, without another request, as with ZITADEL",
  },
  {
    place: /^introspection of an access token$/,
    claim: /^aud$/,
    reference: nothing,
    gatehouse: /^\[/,
    reason:
      "oidc-provider has audiences only with resource indicators; here they are the client and its project",
  },
  {
    place: /^introspection of an access token$/,
    claim: /^(nbf|jti)$/,
    reference: nothing,
    gatehouse: /./,
    reason: "RFC 7662 §2.2 has them for tokens that have them",
  },
  {
    place: /^introspection of a refresh token$/,
    claim: /^aud$/,
    reference: nothing,
    gatehouse: /./,
    reason: "a refresh token is for its client",
  },
];

/** Returns the difference that allows this. */
export function findToldDifference(told: ToldOtherwise): ToldDifference | undefined {
  return toldDifferences.find(
    (difference) =>
      difference.place.test(told.place) &&
      difference.claim.test(told.claim) &&
      difference.reference.test(JSON.stringify(told.reference) ?? "undefined") &&
      difference.gatehouse.test(JSON.stringify(told.gatehouse) ?? "undefined"),
  );
}
