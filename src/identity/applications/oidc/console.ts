import { type ApplicationId, toId } from "../../../kernel/base/ids.ts";
import type { OidcSettings } from "./oidc-application.ts";

/** The path below which the browser gets the files of the console. */
export const consolePath = "/console/";

/** Where the console gets its tokens, if somebody is signed in to the browser. */
export const consoleTokensPath = "/oauth/v2/console";

/** The part of the path of the console at which browsers bring the answer of a login. */
export const consoleCallback = "callback";

/**
 * The id of the console, which is what it sends as `client_id`. It is built in: no table has it, and no application can get that
 * id, because all others are numbers. It has neither a project nor an organization.
 */
export const consoleId: ApplicationId = toId("gatehouse-console");

/** Says whether that is the id of the console. */
export function isConsole(id: string): boolean {
  return id === consoleId;
}

/** Returns the address of the console, where browsers go that were logged out of it. */
export function consoleHomeOf(issuer: string): string {
  return `${issuer}${consolePath}`;
}

/** Returns how the console uses OpenID Connect. It is a public client, and keeps its tokens in memory only: none is a refresh token. */
export function consoleSettingsOf(issuer: string): OidcSettings {
  const home = consoleHomeOf(issuer);
  return {
    redirectUris: [`${home}${consoleCallback}`],
    postLogoutRedirectUris: [home],
    responseTypes: ["CODE"],
    grantTypes: ["AUTHORIZATION_CODE"],
    appType: "USER_AGENT",
    authMethodType: "NONE",
    requirePkce: true,
    isDevMode: false,
    accessTokenType: "BEARER",
    accessTokenRoleAssertion: false,
    idTokenRoleAssertion: false,
    idTokenUserinfoAssertion: false,
    additionalOrigins: [],
    backChannelLogoutUri: "",
    signingAlgorithm: "RS256",
    apiAccess: true,
    groupsClaim: "ROLE_KEYS",
    securityProfile: "NONE",
    requirePar: false,
    requireDpop: false,
    subject: "ID",
  };
}
