import type { OrganizationId } from "../../kernel/base/ids.ts";
import type { LoginProtocol } from "../login/login-protocol.ts";
import type { LoginRequest } from "../login/login-request.ts";
import type { LoginUser } from "../login/login-state.ts";
import { accountPath } from "../login/standalone/account-path.ts";
import { refusedPath } from "./path.ts";

/** What a login for the account pages keeps. */
interface AccountLoginData {
  /** Where the browser goes in the end: always a path of ours, never one that somebody sent. */
  readonly path: string;
}

/**
 * Makes the request of a login after which the browser goes to a page of the account: of users of the organization, by the ways that
 * it offers, or of anybody.
 */
export function toAccountLogin(path: string, organizationId: OrganizationId | undefined): LoginRequest {
  return {
    protocol: "account",
    organizationId,
    prompts: [],
    maxAgeSeconds: undefined,
    loginHint: undefined,
    uiLocales: [],
    wantsMfa: false,
    subject: undefined,
    scopes: [],
    data: { path } satisfies AccountLoginData,
  };
}

/** Makes the request of a new login of the user. Nobody else can come in by it. */
export function toNewAccountLogin(path: string, { user, organization }: LoginUser): LoginRequest {
  const { id: subject, username: loginHint } = user;
  return { ...toAccountLogin(path, organization.id), prompts: ["login"], loginHint, subject };
}

/** The answers to logins that the account pages have asked for. */
export const accountLogins: LoginProtocol = {
  finish: async (_tx, { request, issuer }) => ({
    answer: { kind: "redirect", location: `${issuer}${(request.data as AccountLoginData).path}` }, // made above
    events: [],
  }),
  // No application asks for these logins.
  listGift: async () => ({
    gift: { claims: [], metadata: [], audiences: [], apiScopes: [], offlineAccess: false },
    projects: [],
  }),
  findWayBack: async (_tx, _request, issuer) => `${issuer}${accountPath}`,
  refuse: async (_tx, { issuer }) => ({ kind: "redirect", location: `${issuer}${refusedPath}` }),
};
