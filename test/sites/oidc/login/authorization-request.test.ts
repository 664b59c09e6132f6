import { describe, expect, test } from "@jest/globals";
import {
  findFault,
  findFaultInTarget,
  type RequestingApplication,
  responseModeOf,
  toAuthorizationRequest,
} from "../../../../src/sites/oidc/login/authorization-request.ts";
import { parseParameters } from "../../../../src/sites/oidc/requests/form.ts";

const web: RequestingApplication = {
  grantTypes: ["AUTHORIZATION_CODE", "REFRESH_TOKEN"],
  apiAccess: false,
  authMethodType: "BASIC",
  requirePkce: false,
  securityProfile: "NONE",
};
const publicApplication: RequestingApplication = { ...web, authMethodType: "NONE" };
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const pkce = { code_challenge: challenge, code_challenge_method: "S256" };
const good = { response_type: "code", scope: "openid", client_id: "1", redirect_uri: "https://a.example/cb" };

type Fields = Readonly<Record<string, string | undefined>>;

function parametersOf(fields: Fields, more = "") {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined) as [string, string][];
  return parseParameters(`${new URLSearchParams(sent).toString()}${more}`);
}

const faultOf = (fields: Fields, application = web) =>
  findFault(parametersOf({ ...good, ...fields }), application)?.code;

describe("a request of an application (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1)", () => {
  test.each<readonly [string, Fields, string]>([
    ["no response_type", { response_type: undefined }, "invalid_request"],
    ["response_type token", { response_type: "token" }, "unsupported_response_type"],
    ["response_type code id_token", { response_type: "code id_token" }, "unsupported_response_type"],
    ["response_type CODE", { response_type: "CODE" }, "unsupported_response_type"],
    ["response_mode fragment", { response_mode: "fragment" }, "invalid_request"],
    ["response_mode web_message", { response_mode: "web_message" }, "invalid_request"],
    [
      "a form for a private scheme",
      { response_mode: "form_post", redirect_uri: "com.example.app:/cb" },
      "invalid_request",
    ],
    ["request", { request: "eyJhbGciOiJub25lIn0.e30." }, "request_not_supported"],
    ["registration", { registration: "{}" }, "registration_not_supported"],
    ["request_uri", { request_uri: "https://a.example/r" }, "request_uri_not_supported"],
    ["no scope", { scope: undefined }, "invalid_scope"],
    ["scope without openid", { scope: "profile" }, "invalid_scope"],
    ["scope with a quote", { scope: 'openid a"b' }, "invalid_scope"],
    ["a domain", { scope: "openid urn:zitadel:iam:org:domain:primary:a.example" }, "invalid_scope"],
    [
      "two organizations",
      { scope: "openid urn:zitadel:iam:org:id:1 urn:zitadel:iam:org:id:2" },
      "invalid_scope",
    ],
    ["prompt create with a hint", { prompt: "create", id_token_hint: "x" }, "invalid_request"],
    ["an unknown prompt", { prompt: "register" }, "invalid_request"],
    ["prompt none login", { prompt: "none login" }, "invalid_request"],
    ["max_age -1", { max_age: "-1" }, "invalid_request"],
    ["max_age 1e3", { max_age: "1e3" }, "invalid_request"],
    ["max_age of 11 digits", { max_age: "12345678901" }, "invalid_request"],
    ["a long state", { state: "x".repeat(8193) }, "invalid_request"],
    ["a long nonce", { nonce: "x".repeat(2049) }, "invalid_request"],
    ["a long login_hint", { login_hint: "x".repeat(2049) }, "invalid_request"],
    ["a long id_token_hint", { id_token_hint: "x".repeat(8193) }, "invalid_request"],
    ["a long scope", { scope: `openid ${"x".repeat(8192)}` }, "invalid_request"],
    ["a state that a form changes", { response_mode: "form_post", state: "a\nb" }, "invalid_request"],
    ["plain PKCE", { ...pkce, code_challenge_method: "plain" }, "invalid_request"],
    ["PKCE without a method", { code_challenge: challenge }, "invalid_request"],
    ["a method alone", { code_challenge_method: "S256" }, "invalid_request"],
    ["a short challenge", { ...pkce, code_challenge: challenge.slice(1) }, "invalid_request"],
    ["a padded challenge", { ...pkce, code_challenge: `${challenge}=` }, "invalid_request"],
  ])("is refused with %s", (_name, fields, code) => {
    expect(faultOf(fields)).toBe(code);
  });

  test.each<readonly [string, Fields]>([
    ["nothing else", {}],
    ["PKCE", pkce],
    ["all prompts but none", { prompt: "login consent select_account create" }],
    ["prompt none", { prompt: "none" }],
    ["max_age 0", { max_age: "0" }],
    ["response_mode query", { response_mode: "query" }],
    ["response_mode form_post", { response_mode: "form_post" }],
    ["what is ignored", { claims: "{}", resource: "https://a.example", display: "page", unknown: "x" }],
    ["empty values", { prompt: "", request: "" }],
  ])("is good with %s", (_name, fields) => {
    expect(faultOf(fields)).toBeUndefined();
  });

  test("needs the grant, and PKCE of whoever cannot authenticate or must send it", () => {
    expect(faultOf({}, { ...web, grantTypes: ["REFRESH_TOKEN"] })).toBe("unauthorized_client");
    expect(faultOf({}, publicApplication)).toBe("invalid_request");
    expect(faultOf(pkce, publicApplication)).toBeUndefined();
    expect(faultOf({}, { ...web, requirePkce: true })).toBe("invalid_request");
    expect(faultOf(pkce, { ...web, requirePkce: true })).toBeUndefined();
    expect(faultOf({}, { ...web, securityProfile: "FAPI_2" })).toBe("invalid_request");
  });

  test("may not repeat a parameter (RFC 6749 §3.1), but resource", () => {
    expect(findFault(parametersOf(good, "&prompt=login&prompt=login"), web)?.code).toBe("invalid_request");
    expect(findFault(parametersOf(good, "&resource=a&resource=b"), web)).toBeUndefined();
  });

  test("is answered in a form if it asks for one that can be sent, whatever else is wrong", () => {
    const modeOf = (fields: Fields, more = "") => responseModeOf(parametersOf({ ...good, ...fields }, more));
    const form = { response_mode: "form_post" };
    expect(modeOf({})).toBe("query");
    expect(modeOf({ ...form, response_type: "token" })).toBe("form_post");
    expect(modeOf({ response_mode: "fragment" })).toBe("query");
    expect(modeOf({ ...form, redirect_uri: "com.example.app:/cb" })).toBe("query");
    expect(modeOf({ ...form, state: "a\0" })).toBe("query");
    expect(modeOf({ ...form, redirect_uri: "http://127.0.0.1:4711/cb" })).toBe("form_post");
    expect(modeOf(form, "&response_mode=query")).toBe("query");
    expect(toAuthorizationRequest(parametersOf({ ...good, ...form }), web).responseMode).toBe("form_post");
  });

  test("is read as it was sent", () => {
    const fields = {
      state: "s t",
      nonce: "n",
      max_age: "60",
      login_hint: "ada",
      prompt: "login login",
      ui_locales: "de-CH xx_ en",
      acr_values: "urn:x urn:gatehouse:acr:mfa",
      scope:
        "openid offline_access urn:zitadel:iam:org:project:id:zitadel:aud mystery urn:zitadel:iam:org:id:7",
    };
    expect(toAuthorizationRequest(parametersOf({ ...good, ...pkce, ...fields }), web)).toMatchObject({
      state: "s t",
      nonce: "n",
      codeChallenge: challenge,
      prompts: ["login"],
      maxAgeSeconds: 60,
      loginHint: "ada",
      uiLocales: ["de-CH", "en"],
      wantsMfa: true,
      scopes: { granted: ["openid", "offline_access", "urn:zitadel:iam:org:id:7"], organizationId: "7" },
    });
  });
});

describe("where a browser may be sent back to", () => {
  const isRegistered = (uri: string) => uri === good.redirect_uri;

  test.each<readonly [string, Fields, string]>([
    ["no client_id", { client_id: undefined }, "bad-application-request"],
    ["no redirect_uri", { redirect_uri: undefined }, "bad-application-request"],
    ["another redirect_uri", { redirect_uri: "https://a.example/cb/" }, "unregistered-redirect"],
  ])("is not known with %s", (_name, fields, fault) => {
    expect(findFaultInTarget(parametersOf({ ...good, ...fields }), isRegistered)).toBe(fault);
  });

  test("is not known without an application, or when it is said twice", () => {
    expect(findFaultInTarget(parametersOf(good), undefined)).toBe("unknown-application");
    for (const name of ["client_id", "redirect_uri"] as const)
      expect(
        findFaultInTarget(parametersOf(good, `&${name}=${encodeURIComponent(good[name])}`), isRegistered),
      ).toBe("bad-application-request");
    expect(findFaultInTarget(parametersOf(good), isRegistered)).toBeUndefined();
  });
});
