// The script of a single-page application that logs people in with oidc-client-ts. `support/relying-party.ts` serves it.
import { type User, UserManager, type UserManagerSettings } from "oidc-client-ts";

/** What the page knows of somebody who has logged in. */
export interface LoggedIn {
  readonly subject: string;
  readonly username: string | undefined;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly idToken: string | undefined;
  readonly state: unknown;
}

/** What the test calls in the page; there it is `globalThis.login`. */
export interface LoginFunctions {
  /** Leaves the page for the login; it comes back to /callback. */
  redirect(state: string): Promise<void>;
  /** Opens the login in a window of its own, and ends when that has come back. */
  popup(): Promise<LoggedIn>;
  /** Takes what a login has brought to /callback. */
  callback(): Promise<LoggedIn>;
  /** Gets new tokens for the refresh token. */
  refresh(): Promise<LoggedIn>;
  /** Asks the userinfo endpoint. Returns the status and the claims. */
  userinfo(accessToken: string): Promise<{ readonly status: number; readonly claims: unknown }>;
  /** Ends the tokens. */
  revoke(): Promise<void>;
  /** Leaves the page to log out. */
  signOut(): Promise<void>;
}

declare const login: { readonly settings: UserManagerSettings };
declare const location: { readonly pathname: string };

const { settings } = login;
const manager = new UserManager(settings);
const functions: LoginFunctions = {
  redirect: (state) => manager.signinRedirect({ state }),
  popup: async () => toLoggedIn(await manager.signinPopup()),
  callback: async () => toLoggedIn(await manager.signinRedirectCallback()),
  refresh: async () => toLoggedIn(await manager.signinSilent()),
  async userinfo(accessToken) {
    const endpoint = await manager.metadataService.getUserInfoEndpoint();
    const answer = await fetch(endpoint, { headers: { authorization: `Bearer ${accessToken}` } });
    return { status: answer.status, claims: await answer.json() };
  },
  revoke: () => manager.revokeTokens(),
  signOut: () => manager.signoutRedirect(),
};
Object.assign(globalThis, { login: functions });

// A window of its own hands over what it got, and closes.
if (location.pathname === "/popup") void manager.signinPopupCallback();

function toLoggedIn(user: User | null): LoggedIn {
  if (user === null) throw new Error("nobody is logged in");
  return {
    subject: user.profile.sub,
    username: user.profile.preferred_username,
    accessToken: user.access_token,
    refreshToken: user.refresh_token,
    idToken: user.id_token,
    state: user.state,
  };
}
