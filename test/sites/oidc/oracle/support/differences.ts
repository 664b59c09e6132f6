import type { Case } from "./cases.ts";

/**
 * A difference that is meant: where Gatehouse answers otherwise than oidc-provider does. The list may only get shorter, or a
 * line must have a reason that a rule of ours or of a standard gives.
 */
export interface Difference {
  /** The name of the base, from its start. */
  readonly base: RegExp;
  /** The name of the alteration. */
  readonly alteration: RegExp;
  readonly reference: RegExp;
  readonly gatehouse: RegExp;
  readonly reason: string;
}

const good = /^(accepted|active|code|login|login_required)$/;
const invalidRequest = /^invalid_request$/;
const invalidClient = /^invalid_client$/;

/** All of them. */
export const differences: readonly Difference[] = [
  {
    base: /^(authorize|push)/,
    alteration: /\bscope\b/,
    reference: invalidRequest,
    gatehouse: /^invalid_scope$/,
    reason:
      "without openid the scope is what is wrong (RFC 6749 §4.1.2.1); oidc-provider names a parameter that needs openid",
  },
  {
    base: /^(authorize|push|device)/,
    alteration: /^(scope|prompt) with a space$/,
    reference: /^invalid_(scope|request)$/,
    gatehouse: good,
    reason: "a space at the end of a list harms nobody, and clients that join lists send it",
  },
  {
    base: /^(authorize|push)/,
    alteration: /\bresponse_mode\b/,
    reference: /^unsupported_response_mode$/,
    gatehouse: /^(invalid_request|unsupported_response_type)$/,
    reason:
      "the error of oidc-provider is in no standard; RFC 6749 §4.1.2.1 has invalid_request for a value that is invalid",
  },
  {
    base: /^(authorize|push)/,
    alteration: /^response_mode .*= fragment$/,
    reference: good,
    gatehouse: invalidRequest,
    reason: "a code is answered in the query, as discovery says",
  },
  {
    base: /^(authorize|push)/,
    alteration: /^(state|nonce) very long$/,
    reference: good,
    gatehouse: invalidRequest,
    reason: "state and nonce are kept during a login, so they have a limit",
  },
  {
    base: /^(authorize|push) .*response_mode=form_post/,
    alteration: /^state with NUL$/,
    reference: good,
    gatehouse: invalidRequest,
    reason:
      "browsers change control characters of a form, so such a state would not come back as it was sent",
  },
  {
    base: /^authorize .*response_mode=query/,
    alteration: /^response_type = /,
    reference: invalidRequest,
    gatehouse: /^unsupported_response_type$/,
    reason: "that there is no such response type is said before that it would not go into the query",
  },
  {
    base: /^authorize/,
    alteration: /^max_age with a space$/,
    reference: good,
    gatehouse: invalidRequest,
    reason: "max_age is a number (OpenID Connect Core §3.1.2.1)",
  },
  {
    base: /^(authorize|push)/,
    alteration: /^response_type = code code$/,
    reference: good,
    gatehouse: /^unsupported_response_type$/,
    reason: "a response type is one of those that discovery names",
  },
  {
    base: /^(authorize|push|code|refresh|client_credentials|device|poll)/,
    alteration: /^resource added/,
    reference: /^invalid_target$/,
    gatehouse: good,
    reason: "resource is ignored, as before RFC 8707: clients of other providers send it always",
  },
  {
    base: /^(authorize|push)/,
    alteration: /^code_challenge longer$/,
    reference: good,
    gatehouse: invalidRequest,
    reason: "a SHA-256 sum has 43 characters (RFC 7636 §4.2), so no verifier could ever fit",
  },
  {
    base: /^code/,
    alteration: /^redirect_uri (missing|empty)$/,
    reference: invalidRequest,
    gatehouse: /^invalid_grant$/,
    reason:
      "what does not match the request for the code is invalid_grant (RFC 6749 §5.2), and nothing does not match",
  },
  {
    base: /^(code|refresh|client_credentials|poll)/,
    alteration: /^grant_type = (client_credentials|authorization_code|refresh_token|urn:.*:device_code)$/,
    reference: invalidRequest,
    gatehouse: /^unauthorized_client$/,
    reason: "whether the client may use the grant is judged before its parameters (RFC 6749 §5.2)",
  },
  {
    base: /^client_credentials/,
    alteration: /^authorization of another client$/,
    reference: invalidRequest,
    gatehouse: /^unauthorized_client$/,
    reason: "the other client may not use this grant (RFC 6749 §5.2)",
  },
  {
    base: /^code/,
    alteration: /\bcode_verifier\b/,
    reference: invalidRequest,
    gatehouse: /^invalid_grant$/,
    reason: "a verifier that does not fit is invalid_grant, whatever its form (RFC 7636 §4.6)",
  },
  {
    base: /^(push|code|refresh|client_credentials|introspect|revoke|device|poll)/,
    alteration: /^(authorization |no parameters$|client_id (missing|empty)$|client_assertion )/,
    reference: invalidRequest,
    gatehouse: invalidClient,
    reason: "authentication that is missing or cannot be read has failed (RFC 6749 §5.2, RFC 7521 §4.2.1)",
  },
  {
    base: /^(push|code|refresh|client_credentials|introspect|userinfo|device|poll)/,
    alteration: /^authorization with two spaces$/,
    reference: invalidRequest,
    gatehouse: good,
    reason: "between the scheme and the rest there may be several spaces (RFC 9110 §11.4)",
  },
  {
    base: /^(code|refresh|poll)/,
    alteration: /\bgrant_type swapped$/,
    reference: /^invalid_(client|request)$/,
    gatehouse: /^unsupported_grant_type$/,
    reason: "two mistakes in one: the grant is looked at first",
  },
  {
    base: /^userinfo/,
    alteration: /^authorization /,
    reference: invalidRequest,
    gatehouse: /^invalid_token$/,
    reason: "there is no token that is good (RFC 6750 §3.1); which mistake it was is of no use to anybody",
  },
  {
    base: /^userinfo/,
    alteration: /^too late$/,
    reference: good,
    gatehouse: /^invalid_token$/,
    reason:
      "an access token that has expired is none (RFC 6750 §3.1); oidc-provider allows some time for clocks",
  },
  {
    base: /./,
    alteration: /^assertion without jti$/,
    reference: invalidClient,
    gatehouse: good,
    reason: "jti is optional (RFC 7523 §3); without it the assertion as a whole is good once",
  },
  {
    base: /./,
    alteration: /^assertion (from the future|for ten years)$/,
    reference: good,
    gatehouse: invalidClient,
    reason: "an assertion lives for an hour at most, from iat on if it is there (RFC 7523 §3 allows both)",
  },
  {
    base: /./,
    alteration: /^client_assertion with a space$/,
    reference: good,
    gatehouse: invalidClient,
    reason: "an assertion has no other spellings than its own (RFC 7515 §2), or it would not be good once",
  },
  {
    base: /./,
    alteration: /^client_secret with NUL$/,
    reference: good,
    gatehouse: invalidClient,
    reason: "a secret with something behind it is another one",
  },
  {
    base: /^push/,
    alteration: /^request_uri added/,
    reference: /^request_uri_not_supported$/,
    gatehouse: invalidRequest,
    reason: "a pushed request must not refer to another one, which is invalid_request (RFC 9126 §2.1, §2.3)",
  },
  {
    base: /^push/,
    alteration: /^redirect_uri and response_type swapped$/,
    reference: /^unsupported_response_type$/,
    gatehouse: invalidRequest,
    reason: "two mistakes in one: the redirect URI is looked at first, as at the authorization endpoint",
  },
  {
    base: /^push key/,
    alteration: /^assertion for another subject$/,
    reference: invalidRequest,
    gatehouse: invalidClient,
    reason: "an assertion whose iss is not its sub authenticates nobody (RFC 7523 §3), whoever client_id is",
  },
  {
    base: /^poll .* that waits$/,
    alteration: /^sent twice$/,
    reference: /^authorization_pending, then authorization_pending$/,
    gatehouse: /^authorization_pending, then slow_down$/,
    reason: "who asks too often is told to wait (RFC 8628 §3.5); oidc-provider leaves the pace to devices",
  },
  {
    base: /^device/,
    alteration: /^(?=.*\bscope\b)(?=.*\b(max_age|nonce) added)/,
    reference: invalidRequest,
    gatehouse: good,
    reason:
      "a device may leave openid out, and asks nothing that needs it (RFC 8628 §3.1): what else it sends is ignored",
  },
  {
    base: /^refresh/,
    alteration: /^sent twice$/,
    reference: /^accepted, then invalid_grant$/,
    gatehouse: /^accepted, then accepted$/,
    reason:
      "who did not get the answer may repeat for 30 seconds and gets the same successor (RFC 9700 §4.14.2 leaves the grace to servers)",
  },
];

/** Returns the difference that allows a case with one alteration to end so. */
export function findDifference(
  { base, alterations }: Case,
  outcomes: { readonly reference: string; readonly gatehouse: string },
): Difference | undefined {
  const name = alterations.map((alteration) => alteration.name).join(": ");
  return differences.find(
    (difference) =>
      difference.base.test(base.name) &&
      difference.alteration.test(name) &&
      difference.reference.test(outcomes.reference) &&
      difference.gatehouse.test(outcomes.gatehouse),
  );
}
