import type { OidcSettings } from "../../../identity/applications/oidc/oidc-application.ts";
import { mustUsePkce } from "../../../identity/applications/oidc/security-profile.ts";
import type { LoginPrompt } from "../../login/login-request.ts";
import { mfaReference } from "../requests/authentication-context.ts";
import { type AskedByClaims, readClaimsParameter } from "./claims-parameter.ts";
import { maxLengths } from "./parameter-lengths.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { Form, Lists, Parameters } from "../requests/form.ts";
import { isResponseMode, type ResponseMode, responseModes } from "../requests/response-mode.ts";
import { type RequestedScopes, readScopesOfApplication, type ScopeRights } from "../tokens/scopes.ts";

/** What can be wrong with a request, whatever the user does (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6). */
export type AuthorizationErrorCode =
  | "invalid_request"
  | "unauthorized_client"
  | "unsupported_response_type"
  | "invalid_scope"
  | "invalid_target"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "registration_not_supported"
  | "access_denied";

/** What is wrong with a request. The description never holds a value of the request. */
export interface AuthorizationFault {
  readonly code: AuthorizationErrorCode;
  readonly description: string;
}

/** What is needed to know of an application to check its request. */
export type RequestingApplication = ScopeRights &
  Pick<OidcSettings, "grantTypes" | "authMethodType" | "requirePkce" | "securityProfile">;

/** A request that an application may make. */
export interface AuthorizationRequest {
  readonly responseMode: ResponseMode;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  /** SHA-256 of the verifier (RFC 7636 §4.2); undefined: the code is redeemed without one. */
  readonly codeChallenge: string | undefined;
  /** The thumbprint of the key that the code is for; undefined: any. */
  readonly jkt: string | undefined;
  readonly scopes: RequestedScopes;
  readonly prompts: readonly LoginPrompt[];
  readonly maxAgeSeconds: number | undefined;
  readonly loginHint: string | undefined;
  /** As they were sent, the favourite first; those that are no language tags are left out. */
  readonly uiLocales: readonly string[];
  readonly wantsMfa: boolean;
  readonly claims: AskedByClaims;
  /** An ID token that nobody has verified yet. */
  readonly idTokenHint: string | undefined;
}

/** The prompts that there are. */
export const prompts: readonly LoginPrompt[] = ["none", "login", "consent", "select_account", "create"];

const maxLocales = 20;

/** What the rules look at. */
interface Asked {
  readonly values: Form;
  readonly repeated: ReadonlySet<string>;
  readonly lists: Lists;
  readonly application: RequestingApplication;
}

type Rule = (asked: Asked) => AuthorizationFault | undefined;

/** In the order in which they are checked: the first one that is broken is answered. */
const rules: readonly Rule[] = [
  isSentOnce,
  hasNoRequestObject,
  isForCode,
  mayHaveCode,
  hasGoodResponseMode,
  hasBoundedTexts,
  hasGoodPkce,
  hasGoodThumbprint,
  hasGoodPrompt,
  hasGoodMaxAge,
  hasOpenIdScope,
  hasGoodClaims,
];

/** Why a request cannot be answered by sending the browser back: the name of the page of the error. */
export type TargetFault = "bad-application-request" | "unknown-application" | "unregistered-redirect";

/**
 * Says why a request cannot be answered by sending the browser back (RFC 6749 §4.1.2.1): the application is unknown, or the
 * redirect URI is not one of its own. Undefined: it can. `isRegistered` is undefined without an application.
 */
export function findFaultInTarget(
  { values, repeated }: Parameters,
  isRegistered: ((redirectUri: string) => boolean) | undefined,
): TargetFault | undefined {
  if (repeated.has("client_id") || repeated.has("redirect_uri") || !values.has("client_id"))
    return "bad-application-request";
  if (isRegistered === undefined) return "unknown-application";
  const redirectUri = values.get("redirect_uri");
  if (redirectUri === undefined) return "bad-application-request";
  return isRegistered(redirectUri) ? undefined : "unregistered-redirect";
}

/** Says what is wrong with a request whose application and redirect URI are known; undefined when it is good. */
export function findFault(
  parameters: Parameters,
  application: RequestingApplication,
): AuthorizationFault | undefined {
  const asked = { ...parameters, application };
  for (const rule of rules) {
    const fault = rule(asked);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Says how the application is answered, whatever is wrong with the rest: as it asks, or else in the query. */
export function responseModeOf({ values, repeated }: Parameters): ResponseMode {
  const isAsked = values.get("response_mode") === "form_post" && !repeated.has("response_mode");
  const canBeSent = isOfWeb(values.get("redirect_uri")) && survivesForm(values.get("state"));
  return isAsked && canBeSent ? "form_post" : "query";
}

/** Reads a request in which `findFault` has found nothing. */
export function toAuthorizationRequest(
  parameters: Parameters,
  application: RequestingApplication,
): AuthorizationRequest {
  const { values } = parameters;
  const maxAge = values.get("max_age");
  const claims = readClaimsParameter(values.get("claims"));
  if ("code" in claims) throw new Error("claims were not checked");
  return {
    responseMode: responseModeOf(parameters),
    state: values.get("state"),
    nonce: values.get("nonce"),
    codeChallenge: values.get("code_challenge"),
    jkt: values.get("dpop_jkt"),
    scopes: readScopesOfApplication(values.get("scope") ?? "", application),
    prompts: promptsOf(values).filter((prompt) => isPrompt(prompt)),
    maxAgeSeconds: maxAge === undefined ? undefined : Number(maxAge),
    loginHint: values.get("login_hint"),
    uiLocales: toLocales(values.get("ui_locales")),
    wantsMfa: claims.mfa !== "not" || (values.get("acr_values") ?? "").split(" ").includes(mfaReference),
    claims,
    idTokenHint: values.get("id_token_hint"),
  };
}

/** Reads language tags (RFC 5646 §2.1), separated by spaces. */
export function toLocales(text = ""): readonly string[] {
  return text
    .split(" ")
    .filter((tag) => /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/.test(tag))
    .slice(0, maxLocales);
}

/** RFC 6749 §3.1: parameters must not be sent more than once. */
function isSentOnce({ repeated }: Asked): AuthorizationFault | undefined {
  return repeated.size === 0 ? undefined : wrong("invalid_request", "a parameter is sent more than once");
}

/** OpenID Connect Core §3.1.2.6, §6, §7.2.1: there are no request objects, and no applications that register themselves. */
function hasNoRequestObject({ values }: Asked): AuthorizationFault | undefined {
  if (values.has("registration")) return wrong("registration_not_supported", "registration is not supported");
  if (values.has("request")) return wrong("request_not_supported", "request is not supported");
  if (values.has("request_uri")) return wrong("request_uri_not_supported", "request_uri is not supported");
  return undefined;
}

/** RFC 6749 §3.1.1; RFC 9700 §2.1.2: tokens never come through the browser. */
function isForCode({ values }: Asked): AuthorizationFault | undefined {
  const type = values.get("response_type");
  if (type === undefined) return wrong("invalid_request", "the parameter response_type is missing");
  return type === "code" ? undefined : wrong("unsupported_response_type", "response_type must be code");
}

function mayHaveCode({ application }: Asked): AuthorizationFault | undefined {
  return application.grantTypes.includes("AUTHORIZATION_CODE")
    ? undefined
    : wrong("unauthorized_client", "the application does not have the grant authorization_code");
}

/** OAuth 2.0 Multiple Response Types §2.1, OAuth 2.0 Form Post Response Mode §2. */
function hasGoodResponseMode({ values }: Asked): AuthorizationFault | undefined {
  const mode = values.get("response_mode");
  if (mode === undefined) return undefined;
  if (!isResponseMode(mode))
    return wrong("invalid_request", `response_mode must be one of ${responseModes.join(", ")}`);
  if (mode !== "form_post") return undefined;
  if (!isOfWeb(values.get("redirect_uri")))
    return wrong("invalid_request", "response_mode form_post needs a redirect_uri with http or https");
  return survivesForm(values.get("state"))
    ? undefined
    : wrong("invalid_request", "response_mode form_post needs a state without control characters");
}

/** Browsers send line breaks and NUL of a form as something else. RFC 6749 §A.5 has none of them in a state. */
function survivesForm(state = ""): boolean {
  return !/\p{Cc}/u.test(state);
}

/** No program that has a scheme of its own can be sent a form. */
function isOfWeb(redirectUri = ""): boolean {
  return /^https?:/i.test(redirectUri);
}

function hasBoundedTexts({ values }: Asked): AuthorizationFault | undefined {
  for (const [name, most] of Object.entries(maxLengths))
    if ((values.get(name) ?? "").length > most)
      return wrong("invalid_request", `${name} has at most ${most} characters`);
  return undefined;
}

/** RFC 7636 §4.3, RFC 9700 §2.1.1: a client that cannot authenticate proves that the code is its own. `plain` proves nothing. */
function hasGoodPkce({ values, application }: Asked): AuthorizationFault | undefined {
  const challenge = values.get("code_challenge");
  const method = values.get("code_challenge_method");
  if (challenge === undefined) {
    if (method !== undefined) return wrong("invalid_request", "the parameter code_challenge is missing");
    return mustUsePkce(application)
      ? wrong("invalid_request", "this application must send code_challenge (PKCE)")
      : undefined;
  }
  if (method !== "S256") return wrong("invalid_request", "code_challenge_method must be S256");
  return /^[A-Za-z0-9_-]{43}$/.test(challenge)
    ? undefined
    : wrong("invalid_request", "code_challenge is not a SHA-256 hash in base64url");
}

/** RFC 9449 §10: the key that the code is for, as RFC 7638 names it. */
function hasGoodThumbprint({ values }: Asked): AuthorizationFault | undefined {
  const jkt = values.get("dpop_jkt");
  return jkt === undefined || /^[A-Za-z0-9_-]{43}$/.test(jkt)
    ? undefined
    : wrong("invalid_request", "dpop_jkt is not a SHA-256 hash in base64url");
}

/** OpenID Connect Core §3.1.2.1: `none` stands alone. The application does not know a user who registers. */
function hasGoodPrompt({ values }: Asked): AuthorizationFault | undefined {
  const asked = promptsOf(values);
  if (!asked.every(isPrompt)) return wrong("invalid_request", `prompt must be one of ${prompts.join(", ")}`);
  if (asked.includes("none") && asked.length > 1)
    return wrong("invalid_request", "prompt=none cannot be combined with others");
  return asked.includes("create") && values.has("id_token_hint")
    ? wrong("invalid_request", "prompt=create cannot be combined with id_token_hint")
    : undefined;
}

function hasGoodMaxAge({ values }: Asked): AuthorizationFault | undefined {
  return /^[0-9]{1,10}$/.test(values.get("max_age") ?? "0")
    ? undefined
    : wrong("invalid_request", "max_age must be a number of seconds");
}

/** OpenID Connect Core §3.1.2.1. A request that names a resource is one of OAuth, and may ask for no ID token. */
function hasOpenIdScope({ values, lists, application }: Asked): AuthorizationFault | undefined {
  try {
    const { wantsIdToken } = readScopesOfApplication(values.get("scope") ?? "", application);
    return wantsIdToken || lists.has("resource")
      ? undefined
      : wrong("invalid_scope", "scope must hold openid, or resource must name an API");
  } catch (error) {
    if (error instanceof OAuthError && error.code === "invalid_scope")
      return wrong("invalid_scope", error.message);
    throw error;
  }
}

function hasGoodClaims({ values }: Asked): AuthorizationFault | undefined {
  const read = readClaimsParameter(values.get("claims"));
  return "code" in read ? read : undefined;
}

function promptsOf(values: Form): readonly string[] {
  return [...new Set((values.get("prompt") ?? "").split(" ").filter((prompt) => prompt !== ""))];
}

function isPrompt(text: string): text is LoginPrompt {
  return (prompts as readonly string[]).includes(text);
}

function wrong(code: AuthorizationErrorCode, description: string): AuthorizationFault {
  return { code, description };
}
